// What a worker and its items go through: create, claim, settle, retry, time out, reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using queue::Action;
using queue::Status;
using testing::ElementsAre;

std::vector<std::uint64_t> ids(const std::vector<queue::ItemRecord>& items) {
  std::vector<std::uint64_t> out;
  for (const auto& item : items) out.push_back(item.id.value);
  return out;
}

std::vector<Action> actions(ShardUnderTest& shard, ItemId id) {
  std::vector<Action> out;
  for (const auto& entry : shard.logs[{test_queue(), id}]) out.push_back(entry.action);
  return out;
}

queue::ItemRecord stored(ShardUnderTest& shard, ItemId id) { return shard.items.at({test_queue(), id}); }

// S4.2
TEST(Claim, TakesHighestPriorityThenEarliestDueThenLowestId) {
  ShardUnderTest shard;
  NewItem late = new_item({"a"});
  NewItem early = new_item({"b"});
  early.run_at = shard.now - Millis(500);
  NewItem urgent = new_item({"a", "c"});
  urgent.priority = 5;
  add(shard, std::move(late));      // 1
  add(shard, new_item({"a"}));      // 2
  add(shard, std::move(early));     // 3
  add(shard, std::move(urgent));    // 4
  add(shard, new_item({"other"}));  // 5
  EXPECT_THAT(ids(take_items(shard, claim_of({"a", "b"}, "w:1", 10))), ElementsAre(4, 3, 1, 2));
}

// S4.2
TEST(Claim, GivesAnItemWithSeveralTagsOnce) {
  ShardUnderTest shard;
  add(shard, new_item({"a", "b"}));
  EXPECT_EQ(take_items(shard, claim_of({"a"})).size(), 1u);
  EXPECT_EQ(take_items(shard, claim_of({"b"})).size(), 0u);
}

// S4.2
TEST(Claim, RecordsWorkerTokenAndPickedEntry) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  const auto item = take_items(shard, claim_of({"a"}, "host:7")).at(0);
  EXPECT_EQ(item.status, Status::processing);
  EXPECT_EQ(*item.lease.worker, "host:7");
  EXPECT_NE(item.lease.token.value, 0u);
  EXPECT_EQ(item.lease.until, shard.now + std::chrono::seconds(30));
  EXPECT_THAT(actions(shard, id), ElementsAre(Action::picked));
}

// S4.3
TEST(Claim, ThatWaitsIsAnsweredByTheCommandThatMakesAnItemReady) {
  ShardUnderTest shard;
  Claim claim = claim_of({"a"});
  claim.wait = std::chrono::seconds(10);
  EXPECT_FALSE(shard.run(claim).has_value());
  const RequestId waiting = shard.last_request();
  add(shard, new_item({"b"}));
  EXPECT_FALSE(shard.take(waiting).has_value());
  add(shard, new_item({"a"}));
  const auto reply = shard.take(waiting);
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(ids(std::get<Claimed>(*reply).items), ElementsAre(2));
}

// S4.3
TEST(Claim, ThatWaitsLongEnoughIsAnsweredEmpty) {
  ShardUnderTest shard;
  Claim claim = claim_of({"a"});
  claim.wait = std::chrono::seconds(2);
  shard.run(claim);
  const RequestId waiting = shard.last_request();
  EXPECT_EQ(shard.shard().next_tick(), shard.now + std::chrono::seconds(2));
  shard.advance(std::chrono::seconds(2));
  EXPECT_TRUE(std::get<Claimed>(*shard.take(waiting)).items.empty());
}

TEST(Claim, OldestWaiterIsServedFirst) {
  ShardUnderTest shard;
  Claim claim = claim_of({"a"});
  claim.wait = std::chrono::seconds(10);
  shard.run(claim);
  const RequestId first = shard.last_request();
  shard.run(claim);
  const RequestId second = shard.last_request();
  add(shard, new_item({"a"}));
  EXPECT_TRUE(shard.take(first).has_value());
  EXPECT_FALSE(shard.take(second).has_value());
}

TEST(Claim, EndedWaitLeasesNothingLater) {
  ShardUnderTest shard;
  Claim claim = claim_of({"a"});
  claim.wait = std::chrono::seconds(10);
  shard.run(claim);
  const RequestId waiting = shard.last_request();
  shard.run(EndWait{waiting});
  EXPECT_TRUE(std::get<Claimed>(*shard.take(waiting)).items.empty());
  const ItemId id = add(shard, new_item({"a"}));
  EXPECT_EQ(stored(shard, id).status, Status::pending);
}

// S4.5
TEST(Settle, CompletesAndCounts) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}));
  ASSERT_TRUE(settle(shard, settle_of(id, true)).has_value());
  EXPECT_EQ(stored(shard, id).status, Status::completed);
  EXPECT_EQ(stored(shard, id).placement, queue::Placement::done);
  EXPECT_THAT(shard.expect<Counts>(CountItems{test_queue()}).by_status, ElementsAre(0, 0, 1, 0, 0));
  EXPECT_EQ(shard.shard().live_items(), 0u);
}

// S4.6
TEST(Settle, FailureWaitsForTheBackoffThenTheLastOneIsFinal) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.max_retries = 2;
  const ItemId id = add(shard, std::move(item));
  take_items(shard, claim_of({"a"}));
  const auto first = settle(shard, settle_of(id, false));
  EXPECT_EQ(first->entry.next_retry_at, shard.now + std::chrono::minutes(5));
  EXPECT_EQ(stored(shard, id).retry_count, 1u);
  EXPECT_TRUE(take_items(shard, claim_of({"a"})).empty());

  shard.advance(std::chrono::minutes(5));
  take_items(shard, claim_of({"a"}));
  const auto last = settle(shard, settle_of(id, false));
  EXPECT_FALSE(last->entry.next_retry_at.has_value());
  EXPECT_EQ(last->entry.retry_count, 2u);
  EXPECT_EQ(stored(shard, id).status, Status::failed);
  EXPECT_THAT(actions(shard, id), ElementsAre(Action::picked, Action::failed, Action::picked, Action::failed));
}

// S4.6: zero and one retries both mean a single try.
TEST(Settle, ZeroRetriesMeanOneTry) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.max_retries = 0;
  const ItemId id = add(shard, std::move(item));
  take_items(shard, claim_of({"a"}));
  const auto only = settle(shard, settle_of(id, false));
  EXPECT_EQ(only->entry.retry_count, 1u);
  EXPECT_EQ(stored(shard, id).status, Status::failed);
}

// S4.7
TEST(Settle, RepeatGetsTheFirstAnswerAndWritesNothing) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}));
  Settle command = settle_of(id, true);
  command.outcomes[0].execution_time_ms = 5;
  const auto first = settle(shard, command);
  const std::size_t writes = shard.writes;
  shard.advance(std::chrono::seconds(3));
  command.outcomes[0].execution_time_ms = 99;
  const auto again = settle(shard, command);
  EXPECT_EQ(first->entry, again->entry);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(shard.writes, writes);
}

// S4.7
TEST(Settle, UnnamedRepeatAfterAnotherClaimIsAConflictButANamedOneIsAnswered) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  const auto lease = take_items(shard, claim_of({"a"})).at(0).lease;
  const auto first = settle(shard, settle_of(id, false));
  shard.advance(std::chrono::minutes(5));
  take_items(shard, claim_of({"a"}, "w:2"));

  EXPECT_EQ(settle(shard, settle_of(id, false)).error().code, Errc::conflict);
  Settle named = settle_of(id, false);
  named.outcomes[0].holder.attempt = 1;
  EXPECT_EQ(settle(shard, named)->entry, first->entry);
  named.outcomes[0].holder.attempt = std::nullopt;
  named.outcomes[0].holder.token = lease.token;
  EXPECT_EQ(settle(shard, named)->entry, first->entry);
  named.outcomes[0].success = true;  // never recorded for that attempt
  EXPECT_EQ(settle(shard, named).error().code, Errc::conflict);
}

// S4.7
TEST(Settle, StrangerIsToldTheHolderAndChangesNothing) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}, "owner:1"));
  const auto refused = settle(shard, settle_of(id, true, "thief:2"));
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_THAT(refused.error().detail, testing::HasSubstr("owner:1"));
  EXPECT_EQ(stored(shard, id).status, Status::processing);
}

TEST(Settle, UnknownItemIsNotFound) {
  ShardUnderTest shard;
  EXPECT_EQ(settle(shard, settle_of(ItemId{77}, true)).error().code, Errc::not_found);
}

// S4.16
TEST(Settle, ArrayAnswersInOrderAndClaimsTheNext) {
  ShardUnderTest shard;
  for (int i = 0; i < 3; ++i) add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}, "w:1", 2));
  Settle command = settle_of(ItemId{2}, true);
  command.outcomes.push_back({.holder = {.item = ItemId{9}, .worker = "w:1"}, .success = true});
  command.outcomes.push_back({.holder = {.item = ItemId{1}, .worker = "w:1"}, .success = false});
  command.outcomes.push_back({.holder = {.item = ItemId{2}, .worker = "w:1"}, .success = true});
  command.claim = claim_of({"a"});
  const auto settled = shard.expect<Settled>(command);
  ASSERT_EQ(settled.outcomes.size(), 4u);
  EXPECT_EQ(settled.outcomes[0]->entry.action, Action::completed);
  EXPECT_EQ(settled.outcomes[1].error().code, Errc::not_found);
  EXPECT_EQ(settled.outcomes[2]->entry.action, Action::failed);
  EXPECT_EQ(settled.outcomes[3]->entry, settled.outcomes[0]->entry);
  EXPECT_THAT(ids(settled.claimed), ElementsAre(3));
}

// S4.4
TEST(Touch, ExtendsTheLeaseAndWritesStartedOnce) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}));
  shard.advance(std::chrono::seconds(20));
  Touch start{.queue = test_queue(), .holder = {.item = id, .worker = "w:1"}};
  EXPECT_EQ(shard.expect<Touched>(start).lease_until, shard.now + std::chrono::seconds(30));
  shard.expect<Touched>(start);
  start.kind = Touch::Kind::heartbeat;
  shard.expect<Touched>(start);
  EXPECT_THAT(actions(shard, id), ElementsAre(Action::picked, Action::started));
  EXPECT_EQ(stored(shard, id).lease.until, shard.now + std::chrono::seconds(30));
  start.holder.worker = "w:2";
  EXPECT_EQ(std::get<Error>(*shard.run(start)).code, Errc::conflict);
}

// S4.11
TEST(Lease, ThatRunsOutIsAFailedTryWithoutBackoff) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.max_retries = 2;
  const ItemId id = add(shard, std::move(item));
  take_items(shard, claim_of({"a"}));
  shard.advance(std::chrono::seconds(30));
  EXPECT_EQ(stored(shard, id).status, Status::pending);
  EXPECT_EQ(stored(shard, id).retry_count, 1u);
  EXPECT_EQ(take_items(shard, claim_of({"a"}, "w:2")).at(0).attempt, 2u);
  shard.advance(std::chrono::seconds(30));
  EXPECT_EQ(stored(shard, id).status, Status::failed);
  EXPECT_THAT(actions(shard, id), ElementsAre(Action::picked, Action::timed_out, Action::picked, Action::timed_out));
  EXPECT_EQ(settle(shard, settle_of(id, true, "w:2")).error().code, Errc::conflict);
}

// S4.10
TEST(Reset, BringsBackWhatIsHeldFailedOrWaiting) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.max_retries = 1;
  const ItemId id = add(shard, std::move(item));
  take_items(shard, claim_of({"a"}));
  const auto entry = shard.expect<Recorded>(Reset{test_queue(), id, "worker_timeout"}).entry;
  EXPECT_EQ(entry.reason, "worker_timeout");
  EXPECT_EQ(settle(shard, settle_of(id, true)).error().code, Errc::conflict);

  take_items(shard, claim_of({"a"}));
  settle(shard, settle_of(id, false));
  EXPECT_EQ(stored(shard, id).status, Status::failed);
  shard.expect<Recorded>(Reset{test_queue(), id, "again"});
  EXPECT_EQ(stored(shard, id).retry_count, 0u);
  take_items(shard, claim_of({"a"}));
  settle(shard, settle_of(id, true));
  EXPECT_EQ(std::get<Error>(*shard.run(Reset{test_queue(), id, "no"})).code, Errc::conflict);
}

TEST(Reset, MakesAScheduledItemDueNow) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.run_at = shard.now + std::chrono::hours(1);
  const ItemId id = add(shard, std::move(item));
  EXPECT_TRUE(take_items(shard, claim_of({"a"})).empty());
  shard.expect<Recorded>(Reset{test_queue(), id, "now"});
  EXPECT_EQ(take_items(shard, claim_of({"a"})).size(), 1u);
}

TEST(Cancel, EndsAnItemAndKeepsTheReason) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  const auto entry = shard.expect<Recorded>(Cancel{test_queue(), id, "not needed"}).entry;
  EXPECT_EQ(stored(shard, id).status, Status::cancelled);
  EXPECT_TRUE(take_items(shard, claim_of({"a"})).empty());
  EXPECT_EQ(shard.expect<Recorded>(Cancel{test_queue(), id, "again"}).entry, entry);
}

TEST(Release, GivesTheItemBackWithoutATry) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  const auto lease = take_items(shard, claim_of({"a"})).at(0).lease;
  shard.expect<Ack>(Release{test_queue(), id, lease.token});
  EXPECT_EQ(stored(shard, id).retry_count, 0u);
  EXPECT_EQ(take_items(shard, claim_of({"a"})).size(), 1u);
  shard.expect<Ack>(Release{test_queue(), id, lease.token});  // that lease is gone
  EXPECT_EQ(stored(shard, id).status, Status::processing);
}

// S4.1
TEST(Idempotency, SameKeyAndBodyGiveTheSameItemAnotherBodyAConflict) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.idempotency_key = "k";
  item.fingerprint = "f1";
  const ItemId id = add(shard, item);
  Create again{test_queue(), {item}};
  const auto repeat = shard.expect<Created>(again).items.at(0);
  EXPECT_TRUE(repeat.existing);
  EXPECT_EQ(repeat.id, id);
  again.items[0].fingerprint = "f2";
  EXPECT_EQ(std::get<Error>(*shard.run(again)).code, Errc::conflict);
  EXPECT_EQ(shard.items.size(), 1u);
  shard.advance(std::chrono::hours(24));
  EXPECT_FALSE(shard.expect<Created>(again).items.at(0).existing);
}

TEST(Idempotency, HoldsWithinOneCallAndAllOfItOrNothing) {
  ShardUnderTest shard;
  NewItem item = new_item({"a"});
  item.idempotency_key = "k";
  item.fingerprint = "f1";
  Create both{test_queue(), {item, new_item({"b"}), item}};
  const auto created = shard.expect<Created>(both).items;
  EXPECT_EQ(created[0].id, created[2].id);
  item.idempotency_key = "other";
  NewItem clash = item;
  clash.fingerprint = "f2";
  clash.key_field = "[1].idempotency_key";
  const auto refused = std::get<Error>(*shard.run(Create{test_queue(), {item, clash}}));
  EXPECT_EQ(refused.code, Errc::conflict);
  EXPECT_EQ(refused.field, "[1].idempotency_key");
  EXPECT_EQ(shard.items.size(), 2u);
}

TEST(Recovery, GoesOnWhereTheLastCommitLeftIt) {
  ShardUnderTest shard;
  NewItem later = new_item({"a"});
  later.run_at = shard.now + std::chrono::minutes(1);
  add(shard, std::move(later));
  const ItemId held = add(shard, new_item({"a"}));
  const ItemId ready = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}));
  shard.reload();
  EXPECT_THAT(ids(take_items(shard, claim_of({"a"}, "w:2", 10))), ElementsAre(ready.value));
  EXPECT_TRUE(settle(shard, settle_of(held, true)).has_value());
  EXPECT_EQ(add(shard, new_item({"a"})).value, 4u);
  shard.advance(std::chrono::minutes(1));
  EXPECT_THAT(ids(take_items(shard, claim_of({"a"}, "w:2", 10))), testing::UnorderedElementsAre(1, 3, 4));
}

}  // namespace
}  // namespace millrace::shard
