// Ordered groups beyond the bound on memory: S3.15 must hold whether its members are in memory or parked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using queue::GroupMode;
using queue::Placement;
using testing::ElementsAre;

NewItem member(std::string group, GroupMode mode = GroupMode::block_on_error) {
  NewItem item = new_item({"a"});
  item.group = queue::GroupKey{std::move(group), mode};
  item.max_retries = 2;
  return item;
}

void add_members(ShardUnderTest& shard, int count, const std::string& group,
                 GroupMode mode = GroupMode::block_on_error) {
  for (int i = 0; i < count; ++i) {
    add(shard, member(group, mode));
    if (i % 3 == 0) shard.now += Millis(1);
  }
}

void add_scheduled(ShardUnderTest& shard, const std::string& group, Millis after) {
  NewItem item = member(group);
  item.run_at = shard.now + after;
  add(shard, std::move(item));
  shard.now += Millis(1);
}

std::vector<std::uint64_t> claim_ids(ShardUnderTest& shard, std::size_t limit = 100) {
  std::vector<std::uint64_t> ids;
  for (const auto& item : take_items(shard, claim_of({"a"}, "w:1", limit))) ids.push_back(item.id.value);
  return ids;
}

// Claims and completes until nothing comes any more.
std::vector<std::uint64_t> work_off(ShardUnderTest& shard) {
  std::vector<std::uint64_t> order;
  for (auto ids = claim_ids(shard, 1); !ids.empty(); ids = claim_ids(shard, 1)) {
    order.push_back(ids[0]);
    settle(shard, settle_of(ItemId{ids[0]}, true));
  }
  return order;
}

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> ids(last - first + 1);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

Placement placement(const ShardUnderTest& shard, std::uint64_t id) {
  return shard.items.at({test_queue(), ItemId{id}}).placement;
}

TEST(GroupParking, ABacklogBeyondTheBoundWaitsInTheStoreAndComesBackInOrder) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 4});
  add_members(shard, 50, "g");
  EXPECT_EQ(shard.shard().live_items(), 3u);  // the first, and followers in half of the memory
  EXPECT_EQ(work_off(shard), from_to(1, 50));
  add_members(shard, 2, "g");
  EXPECT_EQ(work_off(shard), from_to(51, 52));
}

TEST(GroupParking, OneGroupNeverFillsMemory) {
  ShardUnderTest shard;
  add_members(shard, 1000, "g");
  EXPECT_LE(shard.shard().live_items(), 64u);
  EXPECT_EQ(work_off(shard), from_to(1, 1000));
}

TEST(GroupParking, ANewMemberDoesNotOvertakeParkedOnesThoughThereIsRoomAgain) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 4});
  add_members(shard, 6, "g", GroupMode::next_on_error);
  EXPECT_THAT(claim_ids(shard), ElementsAre(1));
  shard.expect<Recorded>(Cancel{test_queue(), ItemId{2}, "no"});
  add_members(shard, 1, "g", GroupMode::next_on_error);
  EXPECT_EQ(placement(shard, 7), Placement::parked);
  settle(shard, settle_of(ItemId{1}, true));
  EXPECT_EQ(work_off(shard), from_to(3, 7));
}

TEST(GroupParking, AfterAReloadTheGroupStillKnowsItsParkedMembers) {
  for (const GroupMode mode : {GroupMode::next_on_error, GroupMode::block_on_error}) {
    ShardUnderTest shard(ShardOptions{.live_items_max = 1});
    add_members(shard, 10, "g", mode);
    shard.reload();
    add_members(shard, 1, "g", mode);
    EXPECT_EQ(placement(shard, 11), Placement::parked);
    EXPECT_EQ(work_off(shard), from_to(1, 11));
  }
}

TEST(GroupParking, AScheduledMemberIsParkedBehindThoseBeforeIt) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 1});
  add_members(shard, 4, "g");
  add_scheduled(shard, "g", std::chrono::seconds(1));  // 5
  EXPECT_EQ(placement(shard, 5), Placement::parked);
  add_members(shard, 2, "g");  // 6, 7
  shard.reload();
  EXPECT_EQ(work_off(shard), from_to(1, 4));
  shard.advance(std::chrono::seconds(2));
  EXPECT_EQ(work_off(shard), from_to(5, 7));
}

TEST(GroupParking, ScheduledMembersBeyondTheBoundWaitInTheStore) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 8});
  for (int i = 0; i < 50; ++i) {
    add_scheduled(shard, "g", std::chrono::hours(24));
    add_scheduled(shard, "h", std::chrono::hours(24));
  }
  EXPECT_LE(shard.shard().live_items(), 6u);  // two that are first, and followers in half of the memory
  shard.reload();
  EXPECT_LE(shard.shard().live_items(), 6u);
  EXPECT_TRUE(work_off(shard).empty());
  shard.advance(std::chrono::hours(25));
  EXPECT_EQ(work_off(shard).size(), 100u);
}

// S3.15: the due times fall with the ids, and the members go by their ids all the same.
TEST(GroupParking, MembersComeBackInTheirOrderWheneverEachIsDue) {
  for (const bool reloads : {false, true}) {
    ShardUnderTest shard(ShardOptions{.live_items_max = 2});
    for (int i = 0; i < 20; ++i) add_scheduled(shard, "g", std::chrono::seconds(100 - i));
    if (reloads) shard.reload();
    shard.advance(std::chrono::seconds(90));  // all but the first ten are due
    EXPECT_TRUE(work_off(shard).empty());
    if (reloads) shard.reload();
    shard.advance(std::chrono::seconds(20));
    EXPECT_EQ(work_off(shard), from_to(1, 20));
  }
}

TEST(GroupParking, AMemberForAPastTimeIsParkedToo) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 1});
  add_members(shard, 2, "g");
  add_scheduled(shard, "g", -std::chrono::hours(1));  // 3
  EXPECT_EQ(placement(shard, 3), Placement::parked);
  EXPECT_EQ(work_off(shard), from_to(1, 3));
}

TEST(GroupParking, AResetMakesAParkedMemberDueAndLeavesItInItsPlace) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 1});
  add_members(shard, 2, "g");
  add_scheduled(shard, "g", std::chrono::hours(1));  // 3
  add_members(shard, 1, "g");                        // 4
  shard.now += Millis(5);
  shard.expect<Recorded>(Reset{test_queue(), ItemId{3}, "now"});
  EXPECT_EQ(placement(shard, 3), Placement::parked);
  shard.reload();
  EXPECT_EQ(work_off(shard), from_to(1, 4));
}

// S3.15: a failed one blocks its group, and parked members of another one come back all the same.
TEST(GroupParking, ABlockedGroupDoesNotKeepAnotherOneInTheStore) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 2});
  NewItem broken = member("blocked");
  broken.max_retries = 1;
  add(shard, std::move(broken));  // 1
  claim_ids(shard);
  settle(shard, settle_of(ItemId{1}, false));
  for (int i = 0; i < 40; ++i) {
    add_members(shard, 1, "blocked");
    add_members(shard, 1, "free");
  }
  const auto order = work_off(shard);
  EXPECT_EQ(order.size(), 40u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  shard.expect<Recorded>(Cancel{test_queue(), ItemId{1}, "ignored"});
  EXPECT_EQ(work_off(shard).size(), 40u);
}

TEST(GroupParking, ARetryInTheMiddleHoldsTheParkedOnesOrLetsThemGoByItsMode) {
  for (const GroupMode mode : {GroupMode::next_on_error, GroupMode::block_on_error}) {
    ShardUnderTest shard(ShardOptions{.live_items_max = 1});
    add_members(shard, 4, "g", mode);
    EXPECT_THAT(claim_ids(shard), ElementsAre(1));
    settle(shard, settle_of(ItemId{1}, true));
    EXPECT_THAT(claim_ids(shard), ElementsAre(2));
    settle(shard, settle_of(ItemId{2}, false));
    if (mode == GroupMode::next_on_error) {
      EXPECT_EQ(work_off(shard), from_to(3, 4));
      shard.advance(std::chrono::minutes(5));
      EXPECT_EQ(work_off(shard), from_to(2, 2));
    } else {
      EXPECT_THAT(claim_ids(shard), ElementsAre());
      shard.advance(std::chrono::minutes(5));
      EXPECT_EQ(work_off(shard), from_to(2, 4));
    }
  }
}

TEST(GroupParking, CancelAndResetOfParkedMembersKeepTheOrder) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 1});
  add_members(shard, 6, "g");
  shard.expect<Recorded>(Cancel{test_queue(), ItemId{3}, "no"});
  shard.expect<Recorded>(Cancel{test_queue(), ItemId{6}, "no"});
  shard.now += Millis(5);
  shard.expect<Recorded>(Reset{test_queue(), ItemId{5}, "now"});
  EXPECT_EQ(placement(shard, 5), Placement::parked);
  EXPECT_EQ(work_off(shard), (std::vector<std::uint64_t>{1, 2, 4, 5}));
  // Nothing is parked any more, though the last that was did not come back.
  add_members(shard, 1, "g");
  EXPECT_EQ(placement(shard, 7), Placement::live);
}

TEST(GroupParking, MembersOfAPausedRouteComeInOrderAfterItIsResumed) {
  ShardUnderTest shard(ShardOptions{.live_items_max = 2});
  for (int i = 0; i < 10; ++i) {
    NewItem item = member("g");
    if (i % 2 == 1) item.bus = "side";
    add(shard, std::move(item));
  }
  shard.expect<Ack>(SetPaused{test_queue(), "side", true});
  EXPECT_EQ(work_off(shard), from_to(1, 1));
  shard.reload();
  shard.expect<Ack>(SetPaused{test_queue(), "side", false});
  EXPECT_EQ(work_off(shard), from_to(2, 10));
}

TEST(GroupParking, AReadThatFailsIsRepeatedLater) {
  ShardUnderTest made(ShardOptions{.live_items_max = 1});
  add_members(made, 2, "g");
  const queue::ItemRecord row = made.items.at({test_queue(), ItemId{2}});
  ShardState state{.has_parked = true};
  state.parked_groups.push_back({test_queue(), *row.group, row.id, row.id, row.parked_at});
  Shard shard(std::move(state), Epoch{1}, {}, made.now);
  Effects effects;
  shard.tick(made.now, effects);
  ASSERT_EQ(effects.refill.value().from, row.parked_at);

  effects = {};
  Command failed = Refill{.rows = {}, .from = row.parked_at};
  shard.execute(RequestId{1}, failed, nullptr, made.now, effects);
  EXPECT_FALSE(effects.refill.has_value());
  ASSERT_NE(shard.next_tick(), kNever);
  shard.tick(shard.next_tick(), effects);
  EXPECT_TRUE(effects.refill.has_value());
}

}  // namespace
}  // namespace millrace::shard
