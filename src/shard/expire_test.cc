// Done items go when their time is over (S4.15).
#include <gmock/gmock.h>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using testing::ElementsAre;

// S4.15
TEST(Expire, DropsOnlyDoneItemsPastTheirTime) {
  ShardUnderTest shard;
  const ItemId done = add(shard, new_item({"a"}));
  const ItemId waiting = add(shard, new_item({"b"}));
  take_items(shard, claim_of({"a"}));
  settle(shard, settle_of(done, true));
  const Expire command{{{test_queue(), done}, {test_queue(), waiting}}, shard.now};
  EXPECT_EQ(shard.expect<Expired>(command).dropped, 0u);
  shard.advance(std::chrono::hours(1));
  EXPECT_EQ(shard.expect<Expired>(Expire{command.items, shard.now}).dropped, 1u);
  EXPECT_EQ(shard.items.size(), 1u);
  EXPECT_THAT(shard.expect<Counts>(CountItems{test_queue()}).by_status, ElementsAre(1, 0, 0, 0, 0));
}

// S4.16: all items or none, also where a key's own item is no longer there.
TEST(Expire, AKeyWhoseItemIsGoneRefusesTheWholeCall) {
  ShardUnderTest shard;
  NewItem keyed = new_item({"a"});
  keyed.idempotency_key = "k";
  keyed.fingerprint = "f";
  keyed.key_field = "[1].idempotency_key";
  const ItemId done = add(shard, keyed);
  take_items(shard, claim_of({"a"}));
  settle(shard, settle_of(done, true));
  const Create again{test_queue(), {new_item({"b"}), keyed}};
  EXPECT_EQ(shard.expect<Created>(again).items.at(1).id, done);  // finished, and still there
  EXPECT_EQ(shard.items.size(), 2u);
  shard.advance(std::chrono::hours(1));
  EXPECT_EQ(shard.expect<Expired>(Expire{{{test_queue(), done}}, shard.now}).dropped, 1u);
  const auto refused = std::get<Error>(*shard.run(again));
  EXPECT_EQ(refused.code, Errc::conflict);
  EXPECT_EQ(refused.field, "[1].idempotency_key");
  EXPECT_EQ(shard.items.size(), 1u);
}

// One item of a key ends while facts about another are read: both are asked for then, or the call would ask for one
// and the other in turn, for ever.
TEST(Expire, ACallOfSeveralKeysAsksForAllTheirItemsAtOnce) {
  ShardUnderTest shard;
  std::vector<NewItem> keyed;
  for (const char* key : {"k1", "k2"}) {
    keyed.push_back(new_item({"a"}));
    keyed.back().idempotency_key = key;
    keyed.back().fingerprint = "f";
    add(shard, keyed.back());
  }
  take_items(shard, claim_of({"a"}, "w:1", 2));
  settle(shard, settle_of(ItemId{1}, true));

  Command again = Create{test_queue(), keyed};
  const ItemRef first{test_queue(), ItemId{1}};
  const ItemRef second{test_queue(), ItemId{2}};
  Effects effects;
  const auto ask = [&](const Facts* facts) {
    return shard.shard().execute(RequestId{99}, again, facts, shard.now, effects).value_or(Need{});
  };
  Facts facts;
  for (const DedupKey& key : ask(nullptr).dedup) facts.dedup.emplace_back(shard.dedup.at(key));
  ASSERT_THAT(ask(&facts).items, ElementsAre(first));
  settle(shard, settle_of(ItemId{2}, true));
  facts.items = {ItemHistory{shard.items.at(first), {}}};
  ASSERT_THAT(ask(&facts).items, ElementsAre(first, second));
  facts.items.emplace_back(ItemHistory{shard.items.at(second), {}});
  EXPECT_TRUE(ask(&facts).empty());
}

TEST(Expire, AnItemNamedTwiceIsDroppedOnce) {
  ShardUnderTest shard;
  const ItemId done = add(shard, new_item({"a"}));
  const ItemId other = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}, "w:1", 2));
  settle(shard, settle_of(done, true));
  settle(shard, settle_of(other, true));
  shard.advance(std::chrono::hours(1));
  const ItemRef twice{test_queue(), done};
  EXPECT_EQ(shard.expect<Expired>(Expire{{twice, {test_queue(), other}, twice}, shard.now}).dropped, 2u);
  EXPECT_EQ(shard.items.size(), 0u);
  EXPECT_THAT(shard.expect<Counts>(CountItems{test_queue()}).by_status, ElementsAre(0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace millrace::shard
