// Claims that do not wait, and find nothing in memory while something for them may be parked (S4.2): they are held
// until it has been read, and answered empty only where there is nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "shard/testing.h"

namespace millrace::shard {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kBound = 30;
constexpr RequestId kHeld{777};

class SearchTest : public testing::Test {
 protected:
  void add_many(const std::string& tag, int count) {
    for (int i = 0; i < count; ++i) add(shard_, new_item({tag}));
  }
  // Memory, with lanes of one item each, and the store. So what is added now is parked.
  void fill() {
    for (std::size_t i = 0; i < kBound + 20; ++i) add(shard_, new_item({"email", "user-" + std::to_string(i)}));
  }
  std::size_t take(const std::string& tag, std::size_t limit = 1) {
    const auto items = take_items(shard_, claim_of({tag}, "w:1", limit));
    for (const auto& item : items) settle(shard_, settle_of(item.id, true));
    return items.size();
  }
  // A claim that is held: its refill is under way.
  void hold(const Command& command) {
    shard_.hold_refill();
    ASSERT_FALSE(shard_.run_as(kHeld, command).has_value());
    ASSERT_EQ(shard_.shard().waiting_claims(), 1u);
  }
  template <class T>
  T held() {
    auto reply = shard_.take(kHeld);
    if (!reply) throw std::runtime_error("it is still held");
    EXPECT_EQ(shard_.shard().waiting_claims(), 0u);
    return std::get<T>(std::move(*reply));
  }
  // Whether a claim is answered without a read.
  bool answered_at_once(const std::string& tag) {
    const std::size_t reads = shard_.refills;
    return take_items(shard_, claim_of({tag})).empty() && shard_.refills == reads;
  }

  ShardUnderTest shard_{ShardOptions{.live_items_max = kBound}};
};

TEST_F(SearchTest, AClaimIsHeldUntilWhatIsParkedForItIsRead) {
  fill();
  add_many("alive", 2);
  hold(claim_of({"alive"}));
  shard_.release_refill();
  EXPECT_THAT(held<Claimed>().items, SizeIs(1));
  EXPECT_EQ(take("alive"), 1u);
}

TEST_F(SearchTest, SoIsTheAnswerToASettleThatClaims) {
  add_many("work", 1);
  const ItemId item = take_items(shard_, claim_of({"work"})).at(0).id;
  fill();
  add_many("alive", 1);
  Settle settle = settle_of(item, true);
  settle.claim = claim_of({"alive"});
  hold(settle);
  shard_.release_refill();
  const auto settled = held<Settled>();
  EXPECT_TRUE(settled.outcomes.at(0).has_value());
  EXPECT_THAT(settled.claimed, SizeIs(1));
}

TEST_F(SearchTest, WithoutAMatchItIsAnsweredAfterOneReadAndAtOnceTheNextTime) {
  fill();
  hold(claim_of({"none"}));
  const std::size_t reads = shard_.refills;
  shard_.release_refill();
  EXPECT_THAT(held<Claimed>().items, IsEmpty());
  EXPECT_EQ(shard_.refills, reads);
  EXPECT_TRUE(answered_at_once("none"));
}

TEST_F(SearchTest, NobodyIsHeldInAQueueWhereNothingIsPending) {
  fill();
  Claim claim = claim_of({"dead"});
  claim.queue = {TenantId::trusted("other"), "events"};
  const std::size_t reads = shard_.refills;
  shard_.hold_refill();
  const auto reply = shard_.run_as(kHeld, claim);
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(std::get<Claimed>(*reply).items, IsEmpty());
  EXPECT_LE(shard_.refills, reads + 1);
}

TEST_F(SearchTest, WhatIsScheduledIsNoMatchBeforeItsTime) {
  fill();
  NewItem later = new_item({"late"});
  later.run_at = shard_.now + 5s;
  add(shard_, later);
  EXPECT_EQ(take("late"), 0u);
  EXPECT_TRUE(answered_at_once("late"));
  shard_.advance(5s);
  EXPECT_EQ(take("late"), 1u);
}

// Items for later that are parked all the time keep nobody.
TEST_F(SearchTest, NorIfItWasParkedMeanwhile) {
  fill();
  hold(claim_of({"late"}));
  NewItem later = new_item({"late"});
  later.run_at = shard_.now + 5s;
  add(shard_, later);
  shard_.release_refill();
  EXPECT_THAT(held<Claimed>().items, IsEmpty());
  shard_.advance(5s);
  EXPECT_EQ(take("late"), 1u);
}

TEST_F(SearchTest, WhatIsPausedIsNoMatchUntilItIsResumed) {
  fill();
  add_many("alive", 40);
  shard_.expect<Ack>(SetPaused{.queue = test_queue(), .bus = "default"});
  EXPECT_EQ(take("alive"), 0u);
  EXPECT_TRUE(answered_at_once("alive"));
  shard_.expect<Ack>(SetPaused{.queue = test_queue(), .bus = "default", .paused = false});
  for (int i = 0; i < 40; ++i) EXPECT_EQ(take("alive"), 1u);
}

TEST_F(SearchTest, WhereTheStoreCannotBeReadAClaimIsRefusedAndASettleTellsItsOutcomes) {
  add_many("work", 1);
  const ItemId item = take_items(shard_, claim_of({"work"})).at(0).id;
  fill();
  add_many("alive", 1);
  shard_.fail_refills(true);
  EXPECT_EQ(shard_.expect<Error>(claim_of({"alive"})).code, Errc::unavailable);
  Settle settle = settle_of(item, true);
  settle.claim = claim_of({"alive"});
  hold(settle);
  shard_.release_refill();
  shard_.advance(1s);
  const auto settled = held<Settled>();
  EXPECT_TRUE(settled.outcomes.at(0).has_value());
  EXPECT_THAT(settled.claimed, IsEmpty());
  shard_.fail_refills(false);
  shard_.advance(1s);
  EXPECT_EQ(take("alive"), 1u);
}

TEST_F(SearchTest, AClaimWhoseCallerLeftTakesNothing) {
  fill();
  add_many("alive", 1);
  hold(claim_of({"alive"}));
  shard_.expect<Ack>(EndWait{kHeld});
  EXPECT_THAT(held<Claimed>().items, IsEmpty());
  shard_.release_refill();
  EXPECT_EQ(take("alive"), 1u);
}

TEST_F(SearchTest, IsRefusedWhereItTakesTooLong) {
  fill();
  add_many("alive", 1);
  hold(claim_of({"alive"}));
  shard_.advance(19s);
  EXPECT_FALSE(shard_.take(kHeld).has_value());
  shard_.advance(1s);
  EXPECT_EQ(held<Error>().code, Errc::unavailable);
  shard_.release_refill();
  EXPECT_EQ(take("alive"), 1u);
}

TEST_F(SearchTest, IsRefusedWhereTooManyWait) {
  for (std::size_t i = 0; i < limits::kWaitersPerShardMax; ++i) {
    Claim claim = claim_of({"waited-for"});
    claim.wait = 20s;
    shard_.run(claim);
  }
  fill();
  EXPECT_EQ(shard_.expect<Error>(claim_of({"alive"})).code, Errc::unavailable);
}

TEST_F(SearchTest, ThousandsOfTagsAreAllHandedOutWithoutAnEmptyAnswer) {
  constexpr int kTags = 1000;
  for (int i = 0; i < kTags; ++i) add(shard_, new_item({"all", "tag-" + std::to_string(i)}));
  for (int i = kTags; i-- > 0;) ASSERT_EQ(take("tag-" + std::to_string(i)), 1u) << i;
}

// There are more of them than places in memory: what one brings back, the next displaces.
TEST_F(SearchTest, SoAreManyLanesThatAreAskedForInTurns) {
  constexpr int kLanes = 3 * kBound;
  constexpr int kEach = 5;
  for (int i = 0; i < kLanes; ++i) add_many("lane-" + std::to_string(i), kEach);
  for (int round = 0; round < kEach; ++round) {
    for (int i = 0; i < kLanes; ++i) ASSERT_EQ(take("lane-" + std::to_string(i)), 1u) << i;
  }
  EXPECT_LE(shard_.shard().live_items(), kBound);
}

// Other shards took memory: of what is there, each item that comes back displaces one.
TEST(Search, ABatchIsNotCutWhereMoreIsInMemoryThanTheBoundAllows) {
  ShardUnderTest shard{ShardOptions{.live_items_max = 300}};
  for (int i = 0; i < 300; ++i) add(shard, new_item({"email", "user-" + std::to_string(i)}));
  for (int i = 0; i < 5; ++i) add(shard, new_item({"alive"}));
  shard.shard().set_live_items_max(160);
  EXPECT_THAT(take_items(shard, claim_of({"alive"}, "w:1", 5)), SizeIs(5));
}

TEST_F(SearchTest, ManyClaimsAtOnceAreServedByFewReads) {
  constexpr std::uint64_t kClaims = 4 * kBound;
  fill();
  for (std::uint64_t i = 0; i < kClaims; ++i) add_many("tag-" + std::to_string(i), 1);
  shard_.hold_refill();
  for (std::uint64_t i = 0; i < kClaims; ++i) {
    ASSERT_FALSE(shard_.run_as(RequestId{10'000 + i}, claim_of({"tag-" + std::to_string(i)})).has_value());
  }
  const std::size_t reads = shard_.refills;
  shard_.release_refill();
  for (std::uint64_t i = 0; i < kClaims; ++i) {
    const auto reply = shard_.take(RequestId{10'000 + i});
    ASSERT_TRUE(reply.has_value()) << i;
    EXPECT_THAT(std::get<Claimed>(*reply).items, SizeIs(1));
  }
  EXPECT_LE(shard_.refills - reads, 4 * kClaims / kBound);
}

// S3.15: of an ordered group nothing may go before the member that is parked.
class GroupSearchTest : public SearchTest {
 protected:
  static constexpr int kMembers = 200;

  void add_group(const std::vector<std::string>& tags) {
    for (int i = 0; i < kMembers; ++i) {
      NewItem item = new_item(tags);
      item.group = queue::GroupKey{"g", queue::GroupMode::block_on_error};
      add(shard_, std::move(item));
    }
  }
  // Takes all that is in memory while nothing is read: what is next is parked.
  void starve() {
    shard_.hold_refill();
    for (;;) {
      auto reply = shard_.run_as(kHeld, claim_of({"a"}));
      if (!reply) return;
      settle(shard_, settle_of(std::get<Claimed>(*reply).items.at(0).id, true));
    }
  }
};

TEST_F(GroupSearchTest, AMemberThatIsNextIsWaitedFor) {
  add_group({"a"});
  starve();
  shard_.release_refill();
  EXPECT_THAT(held<Claimed>().items, SizeIs(1));
}

TEST_F(GroupSearchTest, WhateverItsTagsAre) {
  add_group({"a"});
  starve();
  ASSERT_FALSE(shard_.run_as(RequestId{778}, claim_of({"b"})).has_value());
  shard_.release_refill();
  const auto reply = shard_.take(RequestId{778});
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(std::get<Claimed>(*reply).items, IsEmpty());
  EXPECT_TRUE(answered_at_once("b"));
}

TEST_F(GroupSearchTest, AllMembersAreHandedOutWithoutAnEmptyAnswer) {
  add_group({"a"});
  for (int i = 0; i < kMembers; ++i) ASSERT_EQ(take("a"), 1u) << i;
  EXPECT_TRUE(answered_at_once("a"));
}

}  // namespace
}  // namespace millrace::shard
