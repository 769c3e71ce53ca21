// Groups, paused routes, the bound on memory, the catalog.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using queue::GroupMode;
using queue::Status;
using testing::ElementsAre;

NewItem grouped(std::string group, GroupMode mode) {
  NewItem item = new_item({"a"});
  item.group = queue::GroupKey{std::move(group), mode};
  item.max_retries = 2;
  return item;
}

std::vector<std::uint64_t> claim_ids(ShardUnderTest& shard, std::size_t limit = 10) {
  std::vector<std::uint64_t> out;
  for (const auto& item : take_items(shard, claim_of({"a"}, "w:1", limit))) out.push_back(item.id.value);
  return out;
}

// S3.15
TEST(FifoGroup, LetsOneItemOutAtATimeInOrder) {
  ShardUnderTest shard;
  for (int i = 0; i < 3; ++i) add(shard, grouped("g", GroupMode::block_on_error));
  EXPECT_THAT(claim_ids(shard), ElementsAre(1));
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  settle(shard, settle_of(ItemId{1}, true));
  EXPECT_THAT(claim_ids(shard), ElementsAre(2));
}

// S3.15
TEST(FifoGroup, FailedItemBlocksItsGroupOnly) {
  ShardUnderTest shard;
  add(shard, grouped("g", GroupMode::block_on_error));  // 1
  add(shard, grouped("g", GroupMode::block_on_error));  // 2
  add(shard, grouped("h", GroupMode::block_on_error));  // 3
  EXPECT_THAT(claim_ids(shard), ElementsAre(1, 3));
  settle(shard, settle_of(ItemId{1}, false));
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  shard.advance(std::chrono::minutes(5));
  EXPECT_THAT(claim_ids(shard), testing::Contains(1));
  settle(shard, settle_of(ItemId{1}, false));  // the last try
  EXPECT_EQ(shard.items.at({test_queue(), ItemId{1}}).status, Status::failed);
  EXPECT_THAT(claim_ids(shard), testing::Not(testing::Contains(2)));
  shard.reload();
  EXPECT_THAT(claim_ids(shard), testing::Not(testing::Contains(2)));
  shard.expect<Recorded>(Cancel{test_queue(), ItemId{1}, "ignored"});
  EXPECT_THAT(claim_ids(shard), testing::Contains(2));
}

// S3.15
TEST(FifoGroup, NextOnErrorSetsTheFailedOneAsideAndRetriesIt) {
  ShardUnderTest shard;
  for (int i = 0; i < 2; ++i) add(shard, grouped("g", GroupMode::next_on_error));
  EXPECT_THAT(claim_ids(shard), ElementsAre(1));
  settle(shard, settle_of(ItemId{1}, false));
  EXPECT_THAT(claim_ids(shard), ElementsAre(2));
  shard.reload();
  shard.advance(std::chrono::minutes(5));
  EXPECT_THAT(claim_ids(shard), testing::Contains(1));
}

// S3.15
TEST(FifoGroup, ImmediateKeepsNoOrder) {
  ShardUnderTest shard;
  for (int i = 0; i < 3; ++i) add(shard, grouped("g", GroupMode::immediate));
  EXPECT_THAT(claim_ids(shard), ElementsAre(1, 2, 3));
}

TEST(FifoGroup, ResetItemComesBeforeLaterOnesAgain) {
  ShardUnderTest shard;
  for (int i = 0; i < 3; ++i) add(shard, grouped("g", GroupMode::next_on_error));
  claim_ids(shard);
  settle(shard, settle_of(ItemId{1}, false));
  shard.advance(std::chrono::minutes(5));
  claim_ids(shard);
  settle(shard, settle_of(ItemId{1}, false));  // used up
  settle(shard, settle_of(ItemId{2}, true));
  shard.expect<Recorded>(Reset{test_queue(), ItemId{1}, "mended"});
  EXPECT_THAT(claim_ids(shard), ElementsAre(1));
  settle(shard, settle_of(ItemId{1}, true));
  EXPECT_THAT(claim_ids(shard), ElementsAre(3));
}

// S3.15: item 1 comes before item 2 again, but item 2 is held already, before and after a restart.
TEST(FifoGroup, ResetItemWaitsForALaterOneThatIsHeldAcrossARestart) {
  ShardUnderTest shard;
  for (int i = 0; i < 3; ++i) {
    NewItem item = grouped("g", GroupMode::next_on_error);
    item.max_retries = 1;
    add(shard, std::move(item));
  }
  EXPECT_THAT(claim_ids(shard), ElementsAre(1));
  settle(shard, settle_of(ItemId{1}, false));
  EXPECT_THAT(claim_ids(shard), ElementsAre(2));
  shard.expect<Recorded>(Reset{test_queue(), ItemId{1}, "mended"});
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  shard.reload();
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  settle(shard, settle_of(ItemId{2}, true));
  EXPECT_THAT(claim_ids(shard), ElementsAre(1));
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  settle(shard, settle_of(ItemId{1}, true));
  EXPECT_THAT(claim_ids(shard), ElementsAre(3));
}

// S3.7
TEST(Pause, StopsLeasingAtOnceAndSurvivesARestart) {
  ShardUnderTest shard;
  add(shard, new_item({"a"}));
  shard.expect<Ack>(SetPaused{test_queue(), "default", true});
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  shard.reload();
  add(shard, new_item({"a"}));
  EXPECT_THAT(claim_ids(shard), ElementsAre());
  Claim claim = claim_of({"a"}, "w:1", 10);
  claim.wait = std::chrono::seconds(10);
  shard.run(claim);
  const RequestId waiting = shard.last_request();
  shard.expect<Ack>(SetPaused{test_queue(), "default", false});
  ASSERT_TRUE(shard.take(waiting).has_value());
  settle(shard, settle_of(ItemId{1}, true));
  EXPECT_EQ(shard.items.at({test_queue(), ItemId{2}}).placement, queue::Placement::live);
}

TEST(Parking, ItemsBeyondTheBoundWaitInTheStoreAndComeBackInOrder) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 4});
  for (int i = 0; i < 20; ++i) {
    add(shard, new_item({"a"}));
    shard.now += Millis(1);
  }
  EXPECT_EQ(shard.shard().live_items(), 4u);
  std::vector<std::uint64_t> order;
  for (int i = 0; i < 20; ++i) {
    const auto ids = claim_ids(shard, 1);
    ASSERT_EQ(ids.size(), 1u) << "after " << i;
    order.push_back(ids[0]);
    settle(shard, settle_of(ItemId{ids[0]}, true));
  }
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_THAT(shard.expect<Counts>(CountItems{test_queue()}).by_status, ElementsAre(0, 0, 20, 0, 0));
}

TEST(Parking, ALaneNobodyServesDoesNotStarveAnother) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 30});
  for (int i = 0; i < 40; ++i) add(shard, new_item({"dead"}));
  add(shard, new_item({"a"}));
  EXPECT_EQ(claim_ids(shard).size(), 1u);
}

TEST(Parking, FarFutureGivesWayToWhatIsDue) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 2});
  for (int i = 0; i < 3; ++i) {
    NewItem item = new_item({"b"});
    item.run_at = shard.now + std::chrono::hours(10 + i);
    add(shard, std::move(item));
  }
  add(shard, new_item({"a"}));
  EXPECT_EQ(claim_ids(shard).size(), 1u);
}

// The rows were read behind the first item while its route was paused; it must not be overtaken now.
TEST(Parking, RowsReadBeforeAResumeDoNotOvertakeWhatWasPassedOver) {
  ShardUnderTest made;
  made.expect<Ack>(SetPaused{test_queue(), "default", true});
  add(made, new_item({"a"}));
  made.now += Millis(1);
  add(made, new_item({"a"}));
  const auto row = [&](std::uint64_t id) { return made.items.at({test_queue(), ItemId{id}}); };
  Shard shard({.has_parked = true, .documents = {made.documents.begin()->second}}, Epoch{1}, {}, made.now);

  std::uint64_t request = 0;
  const auto run = [&](Command command) {
    Effects effects;
    shard.execute(RequestId{++request}, command, nullptr, made.now, effects);
    return effects;
  };
  Effects effects;
  shard.tick(made.now, effects);
  ASSERT_EQ(effects.refill.value().from, Time{});
  effects = run(Refill{.rows = {row(1), row(2)}, .from = Time{}});
  ASSERT_EQ(effects.refill.value().from, row(2).due);
  run(SetPaused{test_queue(), "default", false});
  effects = run(Refill{.rows = {row(2)}, .from = row(2).due, .complete = true});
  EXPECT_TRUE(effects.batch.items.empty());
  ASSERT_EQ(effects.refill.value().from, Time{});
  effects = run(Refill{.rows = {row(1), row(2)}, .from = Time{}, .complete = true});
  EXPECT_EQ(effects.batch.items.size(), 2u);
}

// More lanes have parked items than are known apart: none is overtaken, and other queues go on as ever.
TEST(Parking, ItemsWithTagsOfTheirOwnKeepTheirOrderToo) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 4});
  std::vector<std::string> tags;
  for (int i = 0; i < 20; ++i) {
    tags.push_back("tag" + std::to_string(i));
    add(shard, new_item({tags.back()}));
  }
  settle(shard, settle_of(take_items(shard, claim_of({"tag0"})).at(0).id, true));
  ASSERT_EQ(shard.shard().live_items(), 3u);  // there is room for one
  const ItemId behind = add(shard, new_item({"tag19"}));
  EXPECT_EQ(shard.items.at({test_queue(), behind}).placement, queue::Placement::parked);
  const queue::QueueKey other{TenantId::default_tenant(), "tasks"};
  Create create{other, {}};
  create.items.push_back(new_item({"tag19"}));
  const ItemId apart = shard.expect<Created>(std::move(create)).items.at(0).id;
  EXPECT_EQ(shard.items.at({other, apart}).placement, queue::Placement::live);
  shard.expect<Recorded>(Cancel{other, apart, "seen"});

  std::vector<std::uint64_t> order;
  for (auto next = take_items(shard, claim_of(tags)); !next.empty(); next = take_items(shard, claim_of(tags))) {
    order.push_back(next[0].id.value);
    settle(shard, settle_of(next[0].id, true));
  }
  EXPECT_EQ(order.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  // None is parked any more, and nothing is remembered.
  const ItemId late = add(shard, new_item({"tag19"}));
  EXPECT_EQ(shard.items.at({test_queue(), late}).placement, queue::Placement::live);
}

TEST(Parking, CancelAndResetReachParkedItems) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 1});
  for (int i = 0; i < 3; ++i) add(shard, new_item({"a"}));
  shard.expect<Recorded>(Cancel{test_queue(), ItemId{3}, "no"});
  EXPECT_EQ(shard.items.at({test_queue(), ItemId{3}}).status, Status::cancelled);
  shard.expect<Recorded>(Reset{test_queue(), ItemId{2}, "now"});
  EXPECT_EQ(shard.items.at({test_queue(), ItemId{2}}).placement, queue::Placement::live);
}

PutDocument put(std::string body, std::optional<std::uint64_t> expected) {
  return {.kind = "key",
          .key = "k1",
          .tenant = TenantId::default_tenant(),
          .body = std::move(body),
          .expected_version = expected,
          .audit = {.tenant = TenantId::default_tenant(),
                    .actor = "cli",
                    .entity_type = "millrace.key",
                    .entity_id = "k1",
                    .values = "{}"}};
}

TEST(Catalog, VersionsPreventLostUpdates) {
  ShardUnderTest shard;
  EXPECT_EQ(shard.expect<Document>(put("1", 0)).version, 1u);
  EXPECT_EQ(std::get<Error>(*shard.run(put("2", 0))).code, Errc::stale_version);
  EXPECT_EQ(shard.expect<Document>(put("2", 1)).version, 2u);
  shard.reload();
  EXPECT_EQ(shard.expect<Document>(put("3", std::nullopt)).version, 3u);
}

PutDocument put_as(std::string key, std::string body, std::optional<std::uint64_t> expected) {
  PutDocument command = put(std::move(body), expected);
  command.audit.entity_id = key;
  command.key = std::move(key);
  return command;
}

// S2.4: a folder of schemas.
TEST(Catalog, SeveralDocumentsAreWrittenAtOnceWithTheirVersionsAndAuditRecords) {
  ShardUnderTest shard;
  shard.expect<Document>(put_as("b", "1", 0));
  const std::size_t writes = shard.writes;
  const auto written =
      shard.expect<Documents>(PutDocuments{{put_as("a", "1", 0), put_as("b", "2", 1), put_as("c", "1", std::nullopt)}});
  ASSERT_EQ(written.documents.size(), 3u);
  EXPECT_EQ(written.documents[1].key, "b");
  EXPECT_EQ(written.documents[1].version, 2u);
  EXPECT_EQ(shard.writes, writes + 1);
  EXPECT_EQ(shard.documents.size(), 3u);
  ASSERT_EQ(shard.audit.size(), 4u);
  EXPECT_EQ(shard.audit[1].action, "millrace.key.created");
  EXPECT_EQ(shard.audit[2].action, "millrace.key.updated");
  EXPECT_EQ(shard.audit[3].entity_id, "c");
}

TEST(Catalog, OneStaleVersionRefusesAllAndEveryStaleOneIsNamed) {
  ShardUnderTest shard;
  shard.expect<Document>(put_as("b", "1", 0));
  shard.expect<Document>(put_as("b", "2", 1));
  const auto refused =
      std::get<Error>(*shard.run(PutDocuments{{put_as("a", "1", 0), put_as("b", "3", 1), put_as("d", "1", 7)}}));
  EXPECT_EQ(refused.code, Errc::stale_version);
  EXPECT_EQ(refused.detail, R"(key "b" is at version 2; key "d" does not exist)");
  EXPECT_EQ(shard.documents.size(), 1u);
  EXPECT_EQ(shard.audit.size(), 2u);
  // What was refused left nothing behind.
  EXPECT_EQ(shard.expect<Documents>(PutDocuments{{put_as("a", "1", 0), put_as("b", "3", 2)}}).documents.size(), 2u);
}

TEST(Catalog, ADocumentIsWrittenOnceACall) {
  ShardUnderTest shard;
  const auto refused =
      std::get<Error>(*shard.run(PutDocuments{{put_as("a", "1", std::nullopt), put_as("a", "2", std::nullopt)}}));
  EXPECT_EQ(refused.code, Errc::conflict);
  EXPECT_TRUE(shard.documents.empty());
}

TEST(Catalog, ADocumentMadeAgainNeverHasAVersionItHadBefore) {
  ShardUnderTest shard;
  shard.expect<Document>(put("1", 0));
  shard.expect<Document>(put("2", 1));
  shard.expect<Ack>(RemoveDocument{.kind = "key", .key = "k1", .audit = put("", {}).audit});
  shard.reload();
  EXPECT_EQ(shard.expect<Document>(put("3", 0)).version, 3u);
  EXPECT_EQ(std::get<Error>(*shard.run(put("4", 1))).code, Errc::stale_version);
}

// S2.12: administrative changes are chained from the first one on.
TEST(Audit, ChangesAreChainedAcrossRestarts) {
  ShardUnderTest shard;
  shard.expect<Document>(put("1", 0));
  shard.reload();
  shard.expect<Document>(put("2", 1));
  shard.expect<Ack>(RemoveDocument{.kind = "key", .key = "k1", .audit = put("", {}).audit});
  ASSERT_EQ(shard.audit.size(), 3u);
  std::string previous;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(shard.audit[i].seq.value, i + 1);
    EXPECT_EQ(shard.audit[i].previous_hash, previous);
    EXPECT_EQ(shard.audit[i].hash, audit_hash(shard.audit[i]));
    previous = shard.audit[i].hash;
  }
  AuditRecord forged = shard.audit[1];
  forged.actor = "someone else";
  EXPECT_NE(audit_hash(forged), forged.hash);
  AuditRecord erased = shard.audit[1];
  erased.values.clear();
  EXPECT_EQ(audit_hash(erased), erased.hash);
}

}  // namespace
}  // namespace millrace::shard
