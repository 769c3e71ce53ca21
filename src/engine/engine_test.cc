#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>

#include "engine/corked_store.h"
#include "store/memory/memory_store.h"

namespace millrace::engine {
namespace {

using shard::Reply;
using store::Fate;
using store::MemoryStore;

const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};
constexpr ShardId kShard{7};

shard::Create create_command(std::vector<std::string> tags = {"a"}) {
  shard::NewItem item;
  item.tags = std::move(tags);
  item.body = std::make_shared<queue::Body>(queue::Body{"title", std::nullopt, "a", "{}", {}});
  return {kQueue, {std::move(item)}};
}

shard::Claim claim_command(Millis wait) {
  return {.queue = kQueue, .tags = {"a"}, .worker = "w:1", .limit = 1, .wait = wait};
}

class EngineTest : public testing::Test {
 protected:
  void start(const EngineOptions& options = {}) {
    engine_ =
        std::make_unique<Engine>(corked_, clock_, options, [this](const std::string& why) { broken_.set_value(why); });
    engine_->start();
    wait_ready();
  }

  void wait_ready() {
    while (engine_->state() != State::ready) std::this_thread::yield();
  }

  std::future<Reply> send(shard::Command command) {
    auto promise = std::make_shared<std::promise<Reply>>();
    auto future = promise->get_future();
    const RequestId sent =
        engine_->submit(kShard, std::move(command), [promise](Reply reply) { promise->set_value(std::move(reply)); });
    last_.store(sent.value);
    return future;
  }

  template <class T>
  T run(shard::Command command) {
    Reply reply = send(std::move(command)).get();
    if (const auto* error = std::get_if<Error>(&reply)) throw std::runtime_error(error->detail);
    return std::get<T>(std::move(reply));
  }

  // A caller refused by a failed commit may be back before the engine has begun to load again; it is then
  // refused once more and tries again, as clients do.
  template <class T>
  T run_after_failure(const shard::Command& command) {
    while (true) {
      wait_ready();
      Reply reply = send(command).get();
      if (auto* answer = std::get_if<T>(&reply)) return std::move(*answer);
      if (std::get<Error>(reply).code != Errc::unavailable) throw std::runtime_error(std::get<Error>(reply).detail);
    }
  }

  Errc refused(shard::Command command) { return std::get<Error>(send(std::move(command)).get()).code; }

  std::size_t stored_items() { return memory_.items(kShard, {.queue = kQueue, .limit = 100}).items.size(); }

  SystemClock clock_;
  MemoryStore memory_;
  CorkedStore corked_{memory_};
  std::promise<std::string> broken_;
  std::unique_ptr<Engine> engine_;
  std::atomic<std::uint64_t> last_ = 0;
};

bool is_pending(std::future<Reply>& reply) {
  return reply.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
}

TEST_F(EngineTest, AnswersOnlyWhatIsStored) {
  start();
  corked_.cork();
  auto created = send(create_command());
  auto counted = send(shard::CountItems{kQueue});  // changes nothing, and still rests on the create
  EXPECT_TRUE(is_pending(created));
  EXPECT_TRUE(is_pending(counted));
  EXPECT_EQ(stored_items(), 0u);
  corked_.uncork();
  EXPECT_EQ(std::get<shard::Created>(created.get()).items.at(0).id.value, 1u);
  EXPECT_EQ(std::get<shard::Counts>(counted.get()).by_status[0], 1u);
  EXPECT_EQ(stored_items(), 1u);
}

TEST_F(EngineTest, CommandsThatComeDuringACommitShareTheNextOne) {
  start();
  run<shard::Created>(create_command());
  const std::uint64_t before = engine_->numbers().commits;
  corked_.cork();
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 50; ++i) replies.push_back(send(create_command()));
  corked_.uncork();
  for (auto& reply : replies) reply.get();
  EXPECT_LE(engine_->numbers().commits - before, 2u);
}

// S4.3: woken by the commit, not by polling.
TEST_F(EngineTest, HeldClaimIsAnsweredByTheCreate) {
  start();
  auto claim = send(claim_command(std::chrono::seconds(20)));
  while (engine_->numbers().pending_commands != 0) std::this_thread::yield();
  EXPECT_TRUE(is_pending(claim));
  run<shard::Created>(create_command());
  EXPECT_EQ(std::get<shard::Claimed>(claim.get()).items.size(), 1u);
}

TEST_F(EngineTest, EndWaitAndDrainAnswerHeldClaimsEmpty) {
  start();
  auto first = send(claim_command(std::chrono::seconds(20)));
  engine_->end_wait(kShard, RequestId{last_});
  EXPECT_TRUE(std::get<shard::Claimed>(first.get()).items.empty());
  auto second = send(claim_command(std::chrono::seconds(20)));
  engine_->drain();
  EXPECT_TRUE(std::get<shard::Claimed>(second.get()).items.empty());
  auto third = send(claim_command(std::chrono::seconds(20)));
  EXPECT_TRUE(std::get<shard::Claimed>(third.get()).items.empty());
}

TEST_F(EngineTest, LostCommitIsRefusedAndForgotten) {
  start();
  run<shard::Created>(create_command());
  memory_.fail_next_commit(Fate::not_done);
  EXPECT_EQ(refused(create_command()), Errc::unavailable);
  EXPECT_EQ(run_after_failure<shard::Created>(create_command()).items.at(0).id.value, 2u);
  EXPECT_EQ(stored_items(), 2u);
}

TEST_F(EngineTest, UnknownCommitThatHappenedIsFoundAgain) {
  start();
  memory_.fail_next_commit(Fate::unknown, MemoryStore::Outcome::applied);
  EXPECT_EQ(refused(create_command()), Errc::unavailable);
  EXPECT_EQ(run_after_failure<shard::Claimed>(claim_command(Millis(0))).items.size(), 1u);
  EXPECT_EQ(run<shard::Created>(create_command()).items.at(0).id.value, 2u);
}

TEST_F(EngineTest, HeldClaimsAreRefusedWhenTheShardIsLost) {
  start();
  auto held = send(claim_command(std::chrono::seconds(20)));
  memory_.fail_next_commit(Fate::not_done);
  EXPECT_EQ(refused(create_command()), Errc::unavailable);
  EXPECT_EQ(std::get<Error>(held.get()).code, Errc::unavailable);
}

// Another node may have taken the shards while this one had nothing to commit.
TEST_F(EngineTest, LostOwnershipIsNoticedWithoutACommit) {
  start();
  run<shard::Created>(create_command());
  corked_.away = true;
  corked_.owned = false;
  EXPECT_EQ(engine_->state(), State::standby);
  EXPECT_EQ(refused(claim_command(Millis(0))), Errc::unavailable);
}

TEST_F(EngineTest, ShardsAreTakenAndLoadedAgainAfterTheirOwnershipWasLost) {
  start();
  run<shard::Created>(create_command());
  auto held = send({shard::Claim{.queue = kQueue, .tags = {"b"}, .worker = "w:1", .limit = 1, .wait = Millis(60'000)}});
  while (engine_->numbers().pending_commands != 0) std::this_thread::yield();  // until it is held
  corked_.owned = false;
  EXPECT_EQ(std::get<Error>(held.get()).code, Errc::unavailable);
  EXPECT_EQ(run_after_failure<shard::Claimed>(claim_command(Millis(0))).items.size(), 1);
}

// What came during the commit that was lost must neither hang on a standby nor be executed when it is the owner again.
TEST_F(EngineTest, CallsThatCameDuringALostCommitAreRefusedAtOnce) {
  start();
  run<shard::Created>(create_command());
  corked_.cork();
  corked_.elsewhere = true;
  memory_.fail_next_commit(Fate::fenced);
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 6; ++i) replies.push_back(send(create_command()));
  corked_.uncork();
  for (auto& reply : replies) EXPECT_EQ(std::get<Error>(reply.get()).code, Errc::unavailable);
  EXPECT_EQ(engine_->numbers().pending_commands, 0u);
  corked_.elsewhere = false;
  EXPECT_EQ(run_after_failure<shard::Created>(create_command()).items.at(0).id.value, 2u);
  EXPECT_EQ(stored_items(), 2u);
}

TEST_F(EngineTest, AStandbyStopsAtOnceThoughCallsCameDuringALostCommit) {
  start();
  corked_.cork();
  corked_.elsewhere = true;
  memory_.fail_next_commit(Fate::fenced);
  auto first = send(create_command());
  auto second = send(create_command());
  corked_.uncork();
  engine_->stop();
  EXPECT_TRUE(std::holds_alternative<Error>(first.get()));
  EXPECT_TRUE(std::holds_alternative<Error>(second.get()));
}

TEST_F(EngineTest, WhatOnlyAsksIsAnsweredWhileNothingCanBeWritten) {
  start();
  run<shard::Created>(create_command());
  corked_.full = true;
  EXPECT_EQ(refused(create_command()), Errc::unavailable);
  const auto counts = run<shard::Counts>(shard::CountItems{.queue = kQueue});
  EXPECT_EQ(counts.by_status[static_cast<std::size_t>(queue::Status::pending)], 1u);
}

// It changes nothing, so no store would refuse it.
TEST_F(EngineTest, AnAnswerFromMemoryIsNotGivenOnceOwnershipIsLost) {
  start();
  corked_.cork();
  auto create = send(create_command());
  auto empty = send(shard::Claim{.queue = kQueue, .tags = {"b"}, .worker = "w:1", .limit = 1, .wait = Millis(0)});
  corked_.away = true;
  corked_.owned = false;
  corked_.uncork();
  create.wait();
  EXPECT_TRUE(std::holds_alternative<Error>(empty.get()));
}

TEST_F(EngineTest, BrokenStoreStopsAcknowledgingForGood) {
  start();
  memory_.fail_next_commit(Fate::broken);
  EXPECT_EQ(refused(create_command()), Errc::unavailable);
  EXPECT_FALSE(broken_.get_future().get().empty());
  EXPECT_EQ(engine_->state(), State::failed);
  EXPECT_EQ(refused(create_command()), Errc::unavailable);
}

TEST_F(EngineTest, RefusesAtTheDoorWhenTooMuchIsUnderWay) {
  start({.pending_commands_max = 10});
  corked_.cork();
  std::vector<std::future<Reply>> accepted;
  for (int i = 0; i < 10; ++i) accepted.push_back(send(create_command()));
  EXPECT_EQ(refused(create_command()), Errc::overloaded);
  corked_.uncork();
  for (auto& reply : accepted) EXPECT_TRUE(std::holds_alternative<shard::Created>(reply.get()));
  run<shard::Created>(create_command());
  EXPECT_EQ(stored_items(), 11u);
}

TEST_F(EngineTest, FactsAreReadOnceEverythingBeforeIsStored) {
  for (const bool local : {true, false}) {
    corked_.local = local;
    start();
    const auto id = run<shard::Created>(create_command()).items.at(0).id;
    run<shard::Claimed>(claim_command(Millis(0)));
    shard::Settle settle{kQueue, {}, std::nullopt};
    settle.outcomes.push_back({.holder = {.item = id, .worker = "w:1"}, .success = true});
    corked_.cork();
    auto first = send(settle);
    auto repeat = send(settle);  // must find what the first one wrote
    corked_.uncork();
    const auto entry = std::get<shard::Settled>(first.get()).outcomes.at(0)->entry;
    EXPECT_EQ(std::get<shard::Settled>(repeat.get()).outcomes.at(0)->entry, entry);
    engine_->stop();
  }
}

TEST_F(EngineTest, CatalogShowsADocumentOnceItIsDurable) {
  start();
  const TenantId tenant = *TenantId::parse("acme");
  EXPECT_EQ(engine_->shard_of(tenant), std::nullopt);
  shard::PutDocument put{.kind = std::string(kTenantKind),
                         .key = "acme",
                         .tenant = tenant,
                         .body = R"({"shard":12})",
                         .expected_version = 0,
                         .audit = {.tenant = tenant, .entity_type = "millrace.tenant"}};
  run<shard::Document>(put);
  EXPECT_EQ(engine_->shard_of(tenant), ShardId{12});
  engine_->stop();
  Engine next(corked_, clock_, {}, [](const std::string&) {});
  next.start();
  while (next.state() != State::ready) std::this_thread::yield();
  EXPECT_EQ(next.shard_of(tenant), ShardId{12});
}

TEST_F(EngineTest, StopFinishesWhatWasSubmitted) {
  start();
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 100; ++i) replies.push_back(send(create_command()));
  engine_->stop();
  std::size_t stored = 0;
  for (auto& reply : replies) stored += std::holds_alternative<shard::Created>(reply.get()) ? 1u : 0u;
  EXPECT_EQ(stored, stored_items());
  EXPECT_EQ(stored, 100u);
}

// It may be long: what is parked is gone through page by page.
TEST_F(EngineTest, AStopDoesNotWaitForAWalkOverParkedItems) {
  start({.shard = {.live_items_max = 16}});
  for (int i = 0; i < 100; ++i) run<shard::Created>(create_command({"dead"}));
  corked_.holds_parked = true;
  auto held = send(claim_command(std::chrono::hours(1)));
  while (corked_.parked_reads.load() == 0) std::this_thread::yield();
  auto stopping = std::async(std::launch::async, [this] { engine_->stop(); });
  EXPECT_TRUE(std::holds_alternative<shard::Claimed>(held.get()));  // by now the stop is known
  corked_.holds_parked = false;
  stopping.get();
  EXPECT_EQ(corked_.parked_reads.load(), 1u);
}

TEST_F(EngineTest, ManyThreadsGetManyDifferentItems) {
  start();
  constexpr int kThreads = 8;
  constexpr int kEach = 200;
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::uint64_t> claimed;
  std::atomic<int> duplicates = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        run<shard::Created>(create_command());
        for (const auto& item : run<shard::Claimed>(claim_command(Millis(0))).items) {
          const std::lock_guard lock(mutex);
          if (!claimed.insert(item.id.value).second) ++duplicates;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(duplicates.load(), 0);
  EXPECT_EQ(claimed.size(), static_cast<std::size_t>(kThreads * kEach));
}

}  // namespace
}  // namespace millrace::engine
