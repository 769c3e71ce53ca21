// Timers beside commands, and clocks that are not what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "engine/engine.h"
#include "engine/movable_clock.h"
#include "store/memory/memory_store.h"

namespace millrace::engine {
namespace {

using namespace std::chrono_literals;
using queue::Status;

const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};
constexpr ShardId kShard{7};
constexpr auto kPatience = 20s;

class TimingTest : public testing::Test {
 protected:
  TimingTest() { start(); }

  void start() {
    EngineOptions options;
    options.shard.lease_grace = Millis(0);
    engine_ = std::make_unique<Engine>(store_, clock_, options, [](const std::string& why) { FAIL() << why; });
    engine_->start();
    while (engine_->state() != State::ready) std::this_thread::yield();
  }
  void restart() {
    engine_.reset();
    start();
  }

  template <class T>
  T run(shard::Command command, ShardId shard = kShard) {
    auto promise = std::make_shared<std::promise<shard::Reply>>();
    engine_->submit(shard, std::move(command), [promise](shard::Reply reply) { promise->set_value(std::move(reply)); });
    auto future = promise->get_future();
    if (future.wait_for(kPatience) != std::future_status::ready) throw std::runtime_error("no answer");
    shard::Reply reply = future.get();
    if (const auto* error = std::get_if<Error>(&reply)) throw std::runtime_error(error->detail);
    return std::get<T>(std::move(reply));
  }

  ItemId create(std::optional<Time> run_at = {}) {
    shard::NewItem item{.tags = {"a"}, .max_retries = 1, .run_at = run_at};
    item.body = std::make_shared<queue::Body>(queue::Body{"title", std::nullopt, "a", "{}", {}});
    return run<shard::Created>(shard::Create{kQueue, {std::move(item)}}).items.at(0).id;
  }
  std::vector<queue::ItemRecord> claim(Millis wait, Millis lease = 30s) {
    return run<shard::Claimed>(
               shard::Claim{.queue = kQueue, .tags = {"a"}, .worker = "w:1", .wait = wait, .lease = lease})
        .items;
  }
  std::uint64_t count(Status status) {
    return run<shard::Counts>(shard::CountItems{kQueue}).by_status[static_cast<std::size_t>(status)];
  }

  MovableClock clock_;
  store::MemoryStore store_;
  std::unique_ptr<Engine> engine_;
};

// S4.7, S4.10: the command finds the lease at its end, which is decided and not stored yet when it asks for the item.
TEST_F(TimingTest, AResetAtTheMomentALeaseEndsCountsTheItemOnce) {
  const ItemId item = create();
  ASSERT_EQ(claim(0ms).size(), 1u);
  clock_.advance(1h);
  run<shard::Recorded>(shard::Reset{kQueue, item, "again"});
  EXPECT_EQ(count(Status::pending), 1u);
  EXPECT_EQ(count(Status::processing), 0u);
  EXPECT_EQ(count(Status::failed), 0u);
  restart();
  EXPECT_EQ(claim(0ms).size(), 1u);
  EXPECT_EQ(count(Status::processing), 1u);
  EXPECT_EQ(store_.items(kShard, {.queue = kQueue, .status = Status::failed, .limit = 10}).items.size(), 0u);
}

TEST_F(TimingTest, LeasesEndAndWaitsAreAnsweredAfterTheClockWasSetBack) {
  create();
  clock_.advance(24h);
  ASSERT_EQ(claim(0ms, 50ms).size(), 1u);
  clock_.advance(-24h);
  EXPECT_THAT(claim(10ms), testing::IsEmpty());
  while (count(Status::failed) == 0) std::this_thread::yield();
}

// The time of the last commit is far ahead of the clock of the next start.
TEST_F(TimingTest, AStartGoesOnWhereAClockThatWasAheadHadCome) {
  clock_.advance(24h);
  create();
  const Time last = clock_.now();
  ASSERT_EQ(claim(0ms, 50ms).size(), 1u);
  clock_.advance(-24h);
  restart();
  while (count(Status::failed) == 0) std::this_thread::yield();
  create();
  EXPECT_EQ(claim(0ms).size(), 1u);
  EXPECT_GE(store_.load(kShard).last_commit, last);
  while (engine_->numbers().clock_ahead < 23h) std::this_thread::yield();
}

// S4.1: the caller's clock is the wall's, whatever time the shards have.
TEST_F(TimingTest, ARunAtIsOfTheWallClockAlsoAfterThatWasSetBack) {
  clock_.advance(24h);
  create();
  ASSERT_EQ(claim(0ms).size(), 1u);
  clock_.advance(-24h);
  const Time run_at = clock_.now() + 1h;
  create(run_at);
  // Long steps would be a clock that is set. The claims take time too, so they end well before the item is due.
  for (int second = 0; second < 3600 - 120; ++second) {
    ASSERT_THAT(claim(0ms), testing::IsEmpty()) << second;
    clock_.advance(1s);
  }
  Time asked = clock_.now();
  while (claim(0ms).empty()) {
    ASSERT_LT(asked, run_at + 1min);
    clock_.advance(1s);
    asked = clock_.now();
  }
  EXPECT_GE(clock_.now(), run_at - 1s);
}

// A folder of before 2026-11-16 may have it: the item was counted as failed when its lease ended, and was not.
TEST_F(TimingTest, AWrongNumberOfLeasedItemsIsMendedByTheStart) {
  const ItemId item = create();
  const LeaseToken token = claim(0ms).at(0).lease.token;
  engine_.reset();
  shard::Batch wrong{.shard = kShard, .counters = store_.load(kShard).counters};
  auto& counted = wrong.counters.at(0).queues.at(0).by_status;
  counted[static_cast<std::size_t>(Status::processing)] = 0;
  counted[static_cast<std::size_t>(Status::failed)] = 1;
  store_.commit(store_.acquire({}).value(), {&wrong, 1});
  start();
  EXPECT_EQ(count(Status::processing), 1u);
  EXPECT_EQ(count(Status::failed), 0u);
  const shard::Outcome done{.holder = {.item = item, .worker = "w:1", .token = token}, .success = true};
  run<shard::Settled>(shard::Settle{.queue = kQueue, .outcomes = {done}});
  EXPECT_EQ(count(Status::processing), 0u);
}

}  // namespace
}  // namespace millrace::engine
