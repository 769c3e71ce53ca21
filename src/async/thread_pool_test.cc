#include "async/thread_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "async/block_on.h"
#include "async/io_threads.h"
#include "async/signal.h"
#include "base/unavailable.h"

namespace millrace::async {
namespace {

TEST(ThreadPool, RunsElsewhereAndResumesAtHome) {
  IoThread io;
  ThreadPool pool(2);
  auto run = [](ThreadPool& pool) -> Async<std::string> {
    const auto home = std::this_thread::get_id();
    const auto away = co_await pool.run([] { return std::this_thread::get_id(); });
    EXPECT_NE(away, home);
    EXPECT_EQ(std::this_thread::get_id(), home);
    co_await pool.run([] {});
    co_return "back";
  };
  EXPECT_EQ(block_on(io, run(pool)), "back");
}

TEST(ThreadPool, CarriesExceptionsOver) {
  IoThread io;
  ThreadPool pool(1);
  auto run = [](ThreadPool& pool) -> Async<> { co_await pool.run([]() -> int { throw std::invalid_argument("no"); }); };
  EXPECT_THROW(block_on(io, run(pool)), std::invalid_argument);
}

TEST(ThreadPool, RefusesBeyondItsQueue) {
  IoThread io;
  std::promise<void> release;
  std::promise<void> started;
  ThreadPool pool(1, 1);
  spawn(
      io,
      [](ThreadPool& p, std::promise<void>& s, std::future<void> r) -> Async<> {
        co_await p.run([&s, wait = std::move(r)] {
          s.set_value();
          wait.wait();
        });
      }(pool, started, release.get_future()),
      "test");
  started.get_future().wait();
  auto second = [](ThreadPool& p) -> Async<> { co_await p.run([] {}); };
  spawn(io, second(pool), "test");
  block_on(io, sleep_until(Steady::now()));
  EXPECT_THROW(block_on(io, second(pool)), Unavailable);
  release.set_value();
}

TEST(Signal, RunsCallbacksOnceAndForgetsEndedSubscriptions) {
  Signal signal;
  int kept = 0;
  int ended = 0;
  auto one = signal.subscribe([&] { ++kept; });
  {
    auto two = signal.subscribe([&] { ++ended; });
  }
  signal.raise();
  signal.raise();
  EXPECT_TRUE(signal.raised());
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace millrace::async
