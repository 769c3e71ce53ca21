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
