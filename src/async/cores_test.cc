#include "async/cores.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <future>

#include "async/block_on.h"
#include "async/io_threads.h"

namespace millrace::async {
namespace {

Async<int> core_here() { co_return sched_getcpu(); }

Async<std::vector<int>> cores_here() { co_return usable_cores(); }

TEST(Cores, AreThoseOfThisProcess) {
  const std::vector<int> cores = usable_cores();
  EXPECT_THAT(cores, testing::Contains(sched_getcpu()));
  EXPECT_EQ(cores.size(), std::thread::hardware_concurrency());
}

TEST(Cores, AThreadThatIsKeptOnOneMayUseNoOther) {
  const int last = usable_cores().back();
  std::promise<void> kept;
  std::vector<int> seen;
  std::thread thread([&] {
    kept.get_future().wait();
    seen = usable_cores();
  });
  keep_on(thread, last);
  kept.set_value();
  thread.join();
  EXPECT_THAT(seen, testing::ElementsAre(last));
}

TEST(IoThreads, OneOnEachCoreStaysThere) {
  const std::vector<int> cores = usable_cores();
  IoThreads threads(cores);
  ASSERT_EQ(threads.size(), cores.size());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    EXPECT_THAT(block_on(threads.at(i), cores_here()), testing::ElementsAre(cores[i]));
    EXPECT_EQ(block_on(threads.at(i), core_here()), cores[i]);
  }
}

TEST(IoThreads, SoManyRunWhereTheKernelPutsThem) {
  IoThreads threads(1);
  EXPECT_EQ(block_on(threads.at(0), cores_here()), usable_cores());
}

}  // namespace
}  // namespace millrace::async
