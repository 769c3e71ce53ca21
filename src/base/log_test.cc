#include "base/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace millrace {
namespace {

// As a server does whose store fails: its threads still answer, and log that, when the process ends.
[[noreturn]] void end_under_those_who_log() {
  start_log("info");
  std::atomic<int> lines = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&lines] {
      while (true) {
        spdlog::warn(R"("msg":"answered","line":{})", lines.fetch_add(1));
      }
    });
  }
  while (lines < 1000) std::this_thread::yield();
  flush_log();
  while (lines < 20'000) std::this_thread::yield();
  std::_Exit(74);
}

TEST(LogDeathTest, TheProcessMayEndUnderThreadsThatLog) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_under_those_who_log(), testing::ExitedWithCode(74), "answered");
}

}  // namespace
}  // namespace millrace
