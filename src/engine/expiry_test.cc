// What is past its time goes, however much it is (S0.7, S4.15).
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "engine/corked_store.h"
#include "engine/engine.h"
#include "store/memory/memory_store.h"

namespace millrace::engine {
namespace {

constexpr ShardId kShard{7};
const TenantId kTenant = TenantId::default_tenant();
const queue::QueueKey kQueue{kTenant, "events"};
constexpr int kMany = 3200;  // several rounds, the last of them not full

// Stands still unless it is moved: whatever happens then, happens in one period of the engine's look at it.
class StandingClock final : public Clock {
 public:
  Time now() const override { return time_from_ms(ms_.load()); }
  void advance(Millis by) { ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> ms_ = to_ms(SystemClock().now());
};

class ExpiryTest : public testing::Test {
 protected:
  void start(const EngineOptions& options) {
    engine_.emplace(watched_, clock_, options, [](const std::string& why) { FAIL() << why; });
    engine_->start();
    while (engine_->state() != State::ready) std::this_thread::yield();
  }
  template <class Answer>
  Answer run(shard::Command command) {
    std::promise<shard::Reply> promise;
    engine_->submit(kShard, std::move(command), [&](shard::Reply reply) { promise.set_value(std::move(reply)); });
    return std::get<Answer>(promise.get_future().get());
  }
  // So many callers, each waiting for its answer.
  void call_at_once(int callers) {
    std::latch answered(callers);
    for (int i = 0; i < callers; ++i) {
      engine_->submit(kShard, shard::ListWorkers{.queue = kQueue}, [&](const shard::Reply&) { answered.count_down(); });
    }
    answered.wait();
  }
  void append_many(std::optional<Time> expires) {
    shard::AppendEvents append{kTenant, {}};
    for (int i = 0; i < kMany; ++i) {
      shard::NewEvent event{.header = {}, .rest = std::make_shared<const std::string>("{}")};
      event.header.event_id = std::to_string(i);
      event.header.type = "order.created";
      event.header.expires = expires;
      append.events.push_back(std::move(event));
    }
    run<shard::Appended>(std::move(append));
  }
  void finish_many() {
    shard::Create create{kQueue, {}};
    for (int i = 0; i < kMany; ++i) {
      shard::NewItem item;
      item.tags = {"a"};
      item.body = std::make_shared<queue::Body>(queue::Body{"title", std::nullopt, "a", "{}", {}});
      create.items.push_back(std::move(item));
    }
    const auto created = run<shard::Created>(std::move(create));
    shard::Settle settle{kQueue, {}, std::nullopt};
    for (int left = kMany; left > 0;) {
      const auto claimed =
          run<shard::Claimed>(shard::Claim{.queue = kQueue, .tags = {"a"}, .worker = "w:1", .limit = 100, .wait = {}});
      ASSERT_FALSE(claimed.items.empty());
      left -= static_cast<int>(claimed.items.size());
    }
    for (const auto& item : created.items) {
      settle.outcomes.push_back({.holder = {.item = item.id, .worker = "w:1"}, .success = true});
    }
    run<shard::Settled>(std::move(settle));
  }
  // Each command lets the engine look at its clock, and at its mail.
  template <class Left>
  void expect_all_gone(Left left) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (left() > 0 && std::chrono::steady_clock::now() < deadline) {
      run<shard::Workers>(shard::ListWorkers{.queue = kQueue});
    }
    EXPECT_EQ(left(), 0u);
  }
  std::size_t events_left() { return store_.event_log(kShard, {.tenant = kTenant, .limit = kMany}).events.size(); }

  StandingClock clock_;
  store::MemoryStore store_;
  CorkedStore watched_{store_};
  std::optional<Engine> engine_;
};

TEST_F(ExpiryTest, AllEventsPastTheirTimeGoAtOnce) {  // S0.7
  start({});
  append_many(clock_.now() + std::chrono::seconds(1));
  EXPECT_EQ(events_left(), static_cast<std::size_t>(kMany));
  clock_.advance(std::chrono::seconds(10));
  expect_all_gone([&] { return events_left(); });
}

TEST_F(ExpiryTest, AllEventsPastRetentionGoAtOnce) {  // S0.7
  start({.event_retention = std::chrono::hours(1)});
  append_many(std::nullopt);
  clock_.advance(std::chrono::minutes(59));
  EXPECT_FALSE(engine_->event_horizon(clock_.now()).hides(std::nullopt, clock_.now() - std::chrono::minutes(59)));
  EXPECT_TRUE(engine_->event_horizon(clock_.now()).hides(std::nullopt, clock_.now() - std::chrono::minutes(61)));
  run<shard::Workers>(shard::ListWorkers{.queue = kQueue});
  EXPECT_EQ(events_left(), static_cast<std::size_t>(kMany));
  clock_.advance(std::chrono::minutes(2));
  expect_all_gone([&] { return events_left(); });
}

TEST_F(ExpiryTest, AllItemsPastRetentionGoAtOnce) {  // S4.15
  start({.retention = std::chrono::hours(1)});
  finish_many();
  const auto left = [&] { return store_.expired(kShard, kNever, kMany).size(); };
  EXPECT_EQ(left(), static_cast<std::size_t>(kMany));
  clock_.advance(std::chrono::hours(2));
  expect_all_gone(left);
}

// S4.15: without callers a round is as large as it may be; beside them it is small, since their group waits for it.
TEST_F(ExpiryTest, RoundsAreSmallBesideCallers) {
  start({.retention = std::chrono::hours(1)});
  finish_many();
  const auto left = [&] { return store_.expired(kShard, kNever, kMany).size(); };
  clock_.advance(std::chrono::hours(2));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (left() > 0 && std::chrono::steady_clock::now() < deadline) call_at_once(16);
  EXPECT_EQ(left(), 0u);
  EXPECT_LT(watched_.least_expired.load(), 100u);
}

}  // namespace
}  // namespace millrace::engine
