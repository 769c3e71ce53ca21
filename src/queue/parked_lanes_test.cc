#include "queue/parked_lanes.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace::queue {
namespace {

const QueueKey kQueue{TenantId::default_tenant(), "events"};
const QueueKey kOther{TenantId::default_tenant(), "tasks"};

LaneKey lane(const std::string& tag, const QueueKey& queue = kQueue) { return {queue, "default", {tag}}; }
Time at(int ms) { return time_from_ms(1000 + ms); }

TEST(ParkedLanes, KnowsTheEarliestOfEachLane) {
  ParkedLanes parked(10);
  parked.note(lane("a"), at(5));
  parked.note(lane("a"), at(3));
  parked.note(lane("a"), at(9));
  parked.note(lane("b"), at(7));
  EXPECT_EQ(parked.from(lane("a")), at(3));
  EXPECT_EQ(parked.from(lane("b")), at(7));
  EXPECT_EQ(parked.from(lane("c")), kNever);
  EXPECT_EQ(parked.from(lane("a", kOther)), kNever);
}

// Each with tags of its own: they must not cost memory for ever, and none may be overtaken.
TEST(ParkedLanes, BeyondTheBoundAQueueStandsForItsLanes) {
  ParkedLanes parked(2);
  parked.note(lane("a"), at(1));
  parked.note(lane("b"), at(8));
  for (int i = 0; i < 1000; ++i) parked.note(lane("tag" + std::to_string(i)), at(5 + i));
  EXPECT_EQ(parked.size(), 3u);
  EXPECT_EQ(parked.from(lane("b")), at(8));
  for (int i = 0; i < 1000; ++i) EXPECT_LE(parked.from(lane("tag" + std::to_string(i))), at(5 + i));
  EXPECT_EQ(parked.from(lane("never seen")), at(5));
  EXPECT_EQ(parked.from(lane("a", kOther)), kNever);
}

TEST(ParkedLanes, NoneIsOvertakenWhenTheBoundIsRaisedOrLowered) {
  ParkedLanes parked(1);
  parked.note(lane("a"), at(1));
  parked.note(lane("b"), at(2));
  parked.set_lanes_max(3);
  parked.note(lane("b"), at(9));
  EXPECT_EQ(parked.from(lane("b")), at(2));
  parked.note(lane("x", kOther), at(7));
  EXPECT_EQ(parked.from(lane("x", kOther)), at(7));
  parked.set_lanes_max(1);
  parked.note(lane("c"), at(4));
  parked.note(lane("a"), at(0));
  EXPECT_LE(parked.from(lane("c")), at(4));
  EXPECT_EQ(parked.from(lane("a")), at(0));
  EXPECT_EQ(parked.from(lane("x", kOther)), at(7));
}

TEST(ParkedLanes, ForgetsAllWhenNoneIsLeft) {
  ParkedLanes parked(1);
  parked.note(lane("a"), at(1));
  parked.note(lane("b"), at(2));
  parked.clear();
  EXPECT_EQ(parked.size(), 0u);
  EXPECT_EQ(parked.from(lane("a")), kNever);
  EXPECT_EQ(parked.from(lane("b")), kNever);
  parked.note(lane("b"), at(2));
  EXPECT_EQ(parked.from(lane("a")), kNever);
}

}  // namespace
}  // namespace millrace::queue
