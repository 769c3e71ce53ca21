// Events through the engine: stored before they are answered, told to those who follow, gone after their time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "engine/engine.h"
#include "engine/movable_clock.h"
#include "store/memory/memory_store.h"

namespace millrace::engine {
namespace {

constexpr ShardId kShard{7};
const TenantId kTenant = TenantId::default_tenant();

shard::AppendEvents append_command(const std::string& id, const TenantId& tenant = kTenant) {
  shard::NewEvent event{.header = {}, .rest = std::make_shared<const std::string>("{}")};
  event.header.event_id = id;
  event.header.type = "order.created";
  event.header.source = "shop";
  return {tenant, {std::move(event)}};
}

class EventLogTest : public testing::Test {
 protected:
  EventLogTest() : engine_(store_, clock_, {}, [](const std::string& why) { FAIL() << why; }) {
    engine_.start();
    while (engine_.state() != State::ready) std::this_thread::yield();
  }

  std::future<shard::Reply> send(shard::Command command) {
    auto promise = std::make_shared<std::promise<shard::Reply>>();
    engine_.submit(kShard, std::move(command), [promise](shard::Reply reply) { promise->set_value(std::move(reply)); });
    return promise->get_future();
  }
  shard::AppendedEvent append(shard::AppendEvents command) {
    return std::get<shard::Appended>(send(std::move(command)).get()).events.at(0);
  }

  MovableClock clock_;
  store::MemoryStore store_;
  Engine engine_;
};

TEST_F(EventLogTest, AnAnsweredEventCanBeRead) {
  const auto appended = append(append_command("a"));
  EXPECT_EQ(appended.position, Position{1});
  const auto read = store_.events_at(kShard, kTenant, {&appended.position, 1}, {clock_.now()}).at(0);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tsid, appended.record->tsid);
  EXPECT_EQ(store_.last_position(kShard, kTenant), Position{1});
}

TEST_F(EventLogTest, OneOfManyCallersWithTheSameIdStoresIt) {
  std::vector<std::future<shard::Reply>> answers;
  answers.reserve(50);
  for (int i = 0; i < 50; ++i) answers.push_back(send(append_command("a")));
  int stored = 0;
  for (auto& answer : answers) {
    const auto event = std::get<shard::Appended>(answer.get()).events.at(0);
    EXPECT_EQ(event.position, Position{1});
    if (!event.duplicate) ++stored;
  }
  EXPECT_EQ(stored, 1);
}

TEST_F(EventLogTest, WatchersAreToldOncePositionsCanBeRead) {
  std::promise<Position> told;
  std::promise<Position> never;
  auto gone = engine_.watch_log(kTenant, [&](Position position) { never.set_value(position); });
  const auto other =
      engine_.watch_log(*TenantId::parse("other"), [&](Position position) { never.set_value(position); });
  gone.reset();
  const auto watch = engine_.watch_log(kTenant, [&](Position position) {
    EXPECT_EQ(store_.last_position(kShard, kTenant), position);
    told.set_value(position);
  });
  append(append_command("a"));
  EXPECT_EQ(told.get_future().get(), Position{1});
  EXPECT_EQ(never.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

TEST_F(EventLogTest, ADuplicateWakesNobody) {
  append(append_command("a"));
  std::atomic<int> told = 0;
  const auto watch = engine_.watch_log(kTenant, [&](Position) { ++told; });
  EXPECT_TRUE(append(append_command("a")).duplicate);
  EXPECT_EQ(told, 0);
}

// S0.7
TEST_F(EventLogTest, EventsGoInTheBackgroundAfterTheirTime) {
  auto passing = append_command("a");
  passing.events[0].header.expires = clock_.now() + std::chrono::seconds(1);
  append(passing);
  append(append_command("b"));
  const auto held = [&] { return store_.event_log(kShard, {.tenant = kTenant}).events.size(); };
  EXPECT_EQ(held(), 2u);
  clock_.advance(std::chrono::seconds(10));
  // Each command lets the engine look at its clock.
  while (held() == 2) append(append_command("b"));
  EXPECT_TRUE(append(append_command("a")).duplicate);
}

}  // namespace
}  // namespace millrace::engine
