// Parked items that somebody asks for (S4.2): a lane that nobody serves does not keep those of others waiting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kBound = 30;
constexpr RequestId kWaits{777};

class HungerTest : public testing::Test {
 protected:
  void add_many(const std::string& tag, int count) {
    for (int i = 0; i < count; ++i) add(shard_, new_item({tag}));
  }
  std::vector<std::uint64_t> take(const std::string& tag, std::size_t limit = 1) {
    std::vector<std::uint64_t> ids;
    for (const auto& item : take_items(shard_, claim_of({tag}, "w:1", limit))) {
      ids.push_back(item.id.value);
      settle(shard_, settle_of(item.id, true));
    }
    return ids;
  }
  // How many it gets, and keeps.
  std::size_t hold(const std::string& tag) { return take_items(shard_, claim_of({tag})).size(); }
  // Until it gets nothing.
  std::vector<std::uint64_t> drain(const std::string& tag) {
    std::vector<std::uint64_t> all;
    for (;;) {
      const auto some = take(tag, 5);
      if (some.empty()) return all;
      all.insert(all.end(), some.begin(), some.end());
    }
  }

  // Each the first of a group of its own, so it stays in memory and does not count there.
  void add_heads(const std::string& tag, int count) {
    for (int i = 0; i < count; ++i) {
      NewItem item = new_item({tag});
      item.group = queue::GroupKey{tag + std::to_string(i), queue::GroupMode::block_on_error};
      add(shard_, std::move(item));
    }
  }

  ShardUnderTest shard_{ShardOptions{.live_items_max = kBound}};
};

TEST_F(HungerTest, ItemsBehindALaneNobodyServesAreAllHandedOutInOrder) {
  add_many("dead", 80);
  add_many("alive", 100);
  const auto taken = drain("alive");
  ASSERT_EQ(taken.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(taken));
  EXPECT_LE(shard_.shard().live_items(), kBound);
  EXPECT_EQ(drain("dead").size(), 80u);
}

TEST_F(HungerTest, AlsoAfterARestart) {
  add_many("dead", 80);
  add_many("alive", 50);
  shard_.reload();
  EXPECT_EQ(drain("alive").size(), 50u);
}

TEST_F(HungerTest, ALoneItemFindsAPlaceAmongManyLanesOfOne) {
  for (std::size_t i = 0; i < kBound; ++i) add(shard_, new_item({"email", "user-" + std::to_string(i)}));
  const ItemId pay = add(shard_, new_item({"payment"}));
  EXPECT_THAT(take("payment"), ElementsAre(pay.value));  // parked; asking for it brings it back
  EXPECT_EQ(drain("email").size(), kBound);
}

TEST_F(HungerTest, AClaimThatWaitsGetsWhatWasParkedForIt) {
  add_many("dead", 40);
  add_many("alive", 20);
  drain("alive");
  add_many("dead", 40);
  Claim claim = claim_of({"late"});
  claim.wait = 10s;
  ASSERT_FALSE(shard_.run_as(kWaits, claim));
  add_many("late", 1);
  const auto reply = shard_.take(kWaits);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(std::get<Claimed>(*reply).items.size(), 1u);
}

TEST_F(HungerTest, AParkedItemThatBecomesDueFindsTheClaimThatWaits) {
  add_many("dead", 80);
  NewItem later = new_item({"late"});
  later.run_at = shard_.now + 5s;
  add(shard_, later);
  Claim claim = claim_of({"late"});
  claim.wait = 20s;
  ASSERT_FALSE(shard_.run_as(kWaits, claim));
  shard_.advance(4s);
  EXPECT_FALSE(shard_.take(kWaits).has_value());
  shard_.advance(1s);
  const auto reply = shard_.take(kWaits);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(std::get<Claimed>(*reply).items.size(), 1u);
}

TEST_F(HungerTest, AskingForWhatIsNotThereReadsTheStoreOnce) {
  add_many("dead", 80);
  EXPECT_THAT(take("none"), IsEmpty());
  const std::size_t reads = shard_.refills;
  for (int i = 0; i < 20; ++i) EXPECT_THAT(take("none"), IsEmpty());
  EXPECT_EQ(shard_.refills, reads);
  add_many("none", 1);
  EXPECT_EQ(drain("none").size(), 1u);
}

TEST_F(HungerTest, WhatWasAskedForOnceTakesNothingFromThoseWhoAskNow) {
  add_many("dead", 40);
  add_many("once", 200);
  add_many("now", 5);
  EXPECT_FALSE(take("once").empty());
  Claim claim = claim_of({"now"});
  claim.wait = 10s;
  auto reply = shard_.run_as(kWaits, claim);
  if (!reply) reply = shard_.take(kWaits);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(std::get<Claimed>(*reply).items.size(), 1u);
}

TEST_F(HungerTest, ALaneThatWasLongAndIsAllLeasedIsNotLookedToForRoom) {
  add_many("long", 20);
  add_many("dead", 10);
  add_many("one", 1);
  EXPECT_EQ(take_items(shard_, claim_of({"long"}, "w:1", 20)).size(), 20u - 1u);  // one gave way
  add_many("other", 1);
  EXPECT_FALSE(take("other").empty());
}

// What was asked for once does not come back to stay: it gives way like any other.
TEST_F(HungerTest, TwoLanesTakeTurns) {
  add_many("a", 50);
  add_many("b", 50);
  add_many("c", 50);
  std::size_t taken = 0;
  for (int round = 0; round < 60; ++round) {
    taken += take("b", 2).size();
    taken += take("c", 2).size();
    shard_.advance(100ms);
  }
  EXPECT_EQ(taken, 100u);
}

// Their workers ask without waiting, one item at a time, and there is hardly any room.
TEST_F(HungerTest, LanesThatAreAskedForInTurnsDoNotDisplaceEachOther) {
  shard_.shard().set_live_items_max(16);
  add_many("dead", 40);
  add_many("a", 40);
  add_many("b", 40);
  std::size_t of_a = 0;
  std::size_t of_b = 0;
  for (int round = 0; round < 100; ++round) {
    of_a += take("a").size();
    of_b += take("b").size();
    shard_.advance(100ms);
  }
  EXPECT_EQ(of_a, 40u);
  EXPECT_EQ(of_b, 40u);
}

TEST_F(HungerTest, NorDoMany) {
  shard_.shard().set_live_items_max(16);
  constexpr int kLanes = 12;
  add_many("dead", 40);
  for (int i = 0; i < kLanes; ++i) add_many("lane" + std::to_string(i), 10);
  std::size_t taken = 0;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < kLanes; ++i) taken += take("lane" + std::to_string(i)).size();
    shard_.advance(100ms);
  }
  EXPECT_EQ(taken, 10u * kLanes);
}

// An item of the lane is parked each time its parked ones are read.
TEST_F(HungerTest, ALaneThatIsStillSentToIsHandedOutInOrder) {
  add_many("dead", 80);
  add_many("alive", 20);
  std::vector<std::uint64_t> taken;
  const auto append = [&](const std::vector<std::uint64_t>& ids) { taken.insert(taken.end(), ids.begin(), ids.end()); };
  for (int round = 0; round < 10; ++round) {
    shard_.hold_refill();
    auto reply = shard_.run_as(kWaits, claim_of({"alive"}, "w:1", 5));
    shard_.now += 1ms;
    add_many("alive", 1);
    shard_.release_refill();
    if (!reply) reply = shard_.take(kWaits);
    ASSERT_TRUE(reply.has_value());
    for (const auto& item : std::get<Claimed>(*reply).items) append({item.id.value});
  }
  EXPECT_GE(taken.size(), 20u);
  shard_.advance(1s);
  append(drain("alive"));
  EXPECT_EQ(taken.size(), 30u);
  EXPECT_TRUE(std::ranges::is_sorted(taken));
}

// S4.2: leases take no room from what waits, before and after a restart.
TEST_F(HungerTest, WhatIsHeldKeepsNobodyFromTheirs) {
  constexpr int kMany = 150;
  static_assert(kMany > 4 * kBound);
  add_many("slow", kMany);
  add_many("other", 2);
  std::size_t held = 0;
  for (int claims = 0; claims < 2 * kMany; ++claims) held += hold("slow");
  EXPECT_EQ(held, std::size_t{kMany});
  EXPECT_EQ(hold("other"), 1u);
  shard_.reload();
  add_many("other", 1);
  EXPECT_EQ(hold("other"), 1u);
}

TEST_F(HungerTest, HeadsOfGroupsDoNotHideALaneThatCanGiveWay) {
  add_many("email", 30);
  add_heads("orders", 200);
  add_many("payment", 1);
  EXPECT_FALSE(take("payment").empty());
}

TEST_F(HungerTest, NorIfTheyStandAtItsEnd) {
  add_many("email", 30);
  add_heads("email", 40);
  add_many("payment", 1);
  EXPECT_FALSE(take("payment").empty());
}

TEST_F(HungerTest, AnotherLaneGivesWayWhereOneEndsWithHeadsOnly) {
  add_many("email", 20);
  add_many("sms", 10);
  add_heads("email", 200);
  add_many("payment", 1);
  EXPECT_FALSE(take("payment").empty());
  EXPECT_EQ(drain("sms").size(), 10u);
}

TEST_F(HungerTest, AClaimThatWaitsCostsNoWalkOnceItIsServed) {
  for (std::size_t i = 0; i < kBound; ++i) add(shard_, new_item({"email", "user-" + std::to_string(i)}));
  add_many("payment", 2);  // there is a place for one of them
  Claim claim = claim_of({"payment"});
  claim.wait = 10s;
  ASSERT_TRUE(shard_.run_as(kWaits, claim).has_value());
  EXPECT_EQ(shard_.refills, 1u);
}

}  // namespace
}  // namespace millrace::shard
