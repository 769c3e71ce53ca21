// The bound on items in memory is that of the node, not of each shard.
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

#include "engine/engine.h"
#include "store/memory/memory_store.h"

namespace millrace::engine {
namespace {

using namespace std::chrono_literals;

const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};
constexpr std::size_t kMost = 100;
constexpr std::size_t kLeast = 16;  // what a shard has in any case

class SharedMemoryTest : public testing::Test {
 protected:
  SharedMemoryTest()
      : engine_(store_, clock_, {.shard = {.live_items_max = kMost}}, [](const std::string& why) { FAIL() << why; }) {
    engine_.start();
    while (engine_.state() != State::ready) std::this_thread::yield();
  }

  template <class T>
  T run(ShardId shard, shard::Command command) {
    std::promise<shard::Reply> promise;
    engine_.submit(shard, std::move(command), [&](shard::Reply reply) { promise.set_value(std::move(reply)); });
    return std::get<T>(promise.get_future().get());
  }
  enum class Grouping { none, own };
  void create(ShardId shard, std::size_t count, Grouping grouping = Grouping::none) {
    shard::Create command{kQueue, {}};
    for (std::size_t i = 0; i < count; ++i) {
      shard::NewItem item{.tags = {"a"}};
      if (grouping == Grouping::own) {
        item.group = queue::GroupKey{"group-" + std::to_string(i), queue::GroupMode::block_on_error};
      }
      item.body = std::make_shared<queue::Body>(queue::Body{"title", std::nullopt, "a", "{}", {}});
      command.items.push_back(std::move(item));
    }
    run<shard::Created>(shard, std::move(command));
  }
  // Items in memory, as of now: a command makes the engine look.
  std::size_t live() {
    run<shard::Counts>(ShardId{7}, shard::CountItems{kQueue});
    return engine_.numbers().live_items;
  }
  // All that is there, an item at a time as a worker takes them; once `expected` were there, it waits for no more.
  std::size_t drain(ShardId shard, std::size_t expected) {
    std::size_t taken = 0;
    while (true) {
      const Millis wait = taken < expected ? 10s : 0s;
      const auto claimed = run<shard::Claimed>(
          shard, shard::Claim{.queue = kQueue, .tags = {"a"}, .worker = "w:1", .wait = wait, .lease = 1h});
      if (claimed.items.empty()) return taken;
      taken += claimed.items.size();
      const auto& item = claimed.items.front();
      const shard::Outcome done{.holder = {.item = item.id, .worker = "w:1", .token = item.lease.token}};
      run<shard::Settled>(shard, shard::Settle{.queue = kQueue, .outcomes = {done}});
    }
  }

  SystemClock clock_;
  store::MemoryStore store_;
  Engine engine_;
};

TEST_F(SharedMemoryTest, AShardHasWhatTheOthersLeaveAndALittleInAnyCase) {
  create(ShardId{7}, kMost);
  while (live() < kMost) std::this_thread::yield();
  create(ShardId{8}, 1);  // makes the shard
  while (live() < kMost + 1) std::this_thread::yield();
  create(ShardId{8}, 300);
  while (live() == kMost + 1) std::this_thread::yield();
  EXPECT_LE(live(), kMost + kLeast);
  EXPECT_EQ(drain(ShardId{8}, 301), 301u);
  EXPECT_EQ(drain(ShardId{7}, kMost), kMost);
}

// It does not count towards the bound, so it takes nothing from the other shards either.
TEST_F(SharedMemoryTest, TheFirstOfAGroupTakesNoMemoryFromOthers) {
  constexpr std::size_t kGroups = 3 * kMost;
  create(ShardId{7}, kGroups, Grouping::own);
  create(ShardId{8}, 1);  // makes the shard
  while (live() < kGroups + 1) std::this_thread::yield();
  create(ShardId{8}, kMost - 1);
  while (live() == kGroups + 1) std::this_thread::yield();
  EXPECT_EQ(live(), kGroups + kMost);
}

}  // namespace
}  // namespace millrace::engine
