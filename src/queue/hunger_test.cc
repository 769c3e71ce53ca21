#include "queue/hunger.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace millrace::queue {
namespace {

using Page = Hunger::Page;

const QueueKey kQueue{TenantId::default_tenant(), "events"};

LaneKey lane(std::vector<std::string> tags) { return {kQueue, "default", std::move(tags)}; }
Time at(int ms) { return time_from_ms(1000 + ms); }
const Time kNow = at(100);

class HungerTest : public testing::Test {
 protected:
  void ask(const std::string& tag) { hunger_.note(kQueue, {&tag, 1}); }
  bool may_find(const std::string& tag) const { return hunger_.may_find(kQueue, {&tag, 1}); }
  void park(const std::string& tag, Time due) { hunger_.parked(lane({tag}), due, kNow, false); }
  // A walk that finds nothing more: up to there, nothing parked has the tag.
  void walk_to(const std::string& tag, Time end) {
    ask(tag);
    hunger_.begin_page();
    hunger_.end_page(end, Page::enough, kNow);
  }

  Hunger hunger_;
};

TEST_F(HungerTest, WhatIsParkedMeanwhileKeepsBackOnlyWhatIsDueAsLate) {
  ask("a");
  hunger_.begin_page();
  park("a", at(50));
  park("a", at(60));
  EXPECT_TRUE(hunger_.wants(lane({"a"}), at(49)));
  EXPECT_FALSE(hunger_.wants(lane({"a"}), at(50)));
  EXPECT_FALSE(hunger_.wants(lane({"a"}), at(60)));
  EXPECT_TRUE(hunger_.wants(lane({"a", "b"}), at(60)));  // another lane
  EXPECT_FALSE(hunger_.has_left_all());
  hunger_.end_page(kNever, Page::complete, kNow);
  ask("a");
  ASSERT_TRUE(hunger_.any());  // it is not known to be missing
  EXPECT_EQ(hunger_.begin_page(), at(50));
}

// Its time may come before the walk has ended.
TEST_F(HungerTest, AlsoIfItIsNotDueYet) {
  ask("a");
  hunger_.begin_page();
  park("a", at(110));
  EXPECT_FALSE(hunger_.wants(lane({"a"}), at(111)));
  EXPECT_EQ(hunger_.due(), at(110));
  hunger_.come_due();
  hunger_.end_page(at(120), Page::complete, at(110));
  ask("a");
  EXPECT_EQ(hunger_.begin_page(), at(110));
}

// Or a lane that is sent to for later, again and again, would never be known to have nothing.
TEST_F(HungerTest, WhatIsParkedMeanwhileForLaterIsNotThereYet) {
  ask("a");
  hunger_.begin_page();
  park("a", at(120));
  park("a", at(110));
  hunger_.come_due();  // of another one
  EXPECT_TRUE(may_find("a"));
  hunger_.end_page(kNever, Page::complete, kNow);
  EXPECT_FALSE(may_find("a"));
  EXPECT_EQ(hunger_.due(), at(110));
  hunger_.come_due();
  EXPECT_TRUE(may_find("a"));
  ask("a");
  EXPECT_EQ(hunger_.begin_page(), at(110));
}

TEST_F(HungerTest, NothingIsKnownOfATagBeforeAWalkForItHasEnded) {
  ask("a");
  hunger_.begin_page();
  ask("b");
  hunger_.end_page(at(50), Page::goes_on, kNow);
  EXPECT_TRUE(may_find("a"));
  hunger_.end_page(kNever, Page::complete, kNow);
  EXPECT_FALSE(may_find("a"));
  EXPECT_TRUE(may_find("b"));
  park("a", at(60));
  EXPECT_TRUE(may_find("a"));
}

TEST_F(HungerTest, AWalkHasLeftAllWhenThereIsNoRoomForAnyOfIt) {
  ask("a");
  ask("b");
  hunger_.begin_page();
  hunger_.leave(lane({"a"}), at(5));
  EXPECT_FALSE(hunger_.has_left_all());
  EXPECT_FALSE(hunger_.wants(lane({"a"}), at(5)));
  hunger_.leave(lane({"b", "c"}), at(7));
  EXPECT_TRUE(hunger_.has_left_all());
  hunger_.end_page(at(9), Page::enough, kNow);
  ask("b");
  EXPECT_EQ(hunger_.begin_page(), at(5));
}

TEST_F(HungerTest, WhatNobodyAskedForDoesNotSendAWalkBack) {
  ask("a");
  hunger_.begin_page();
  park("b", at(1));
  hunger_.end_page(at(90), Page::enough, kNow);
  ask("a");
  EXPECT_EQ(hunger_.begin_page(), at(90));
}

TEST_F(HungerTest, AndIsFoundByThoseWhoAskForItLater) {
  walk_to("b", at(80));
  ask("a");
  hunger_.begin_page();
  park("b", at(1));
  hunger_.end_page(at(90), Page::enough, kNow);
  ask("b");
  EXPECT_LE(hunger_.begin_page(), at(1));
}

TEST_F(HungerTest, MoreLanesThanAreKnownApartKeepTheirOrderToo) {
  ask("a");
  hunger_.begin_page();
  const auto own = [](int i) { return lane({"a", "own-" + std::to_string(i)}); };
  for (int i = 0; i < 5000; ++i) hunger_.parked(own(i), at(20 + i % 7), kNow, false);
  for (int i = 0; i < 5000; ++i) EXPECT_FALSE(hunger_.wants(own(i), at(20 + i % 7)));
  EXPECT_TRUE(hunger_.wants(own(4999), at(19)));
}

}  // namespace
}  // namespace millrace::queue
