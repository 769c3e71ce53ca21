// What must not happen around parked items: the auditor notices each of these.
#include <gtest/gtest.h>

#include "spoiled_story.h"

namespace millrace::simulation {
namespace {

using queue::GroupMode;

struct AuditorParking : SpoiledStory {
  shard::Claim claim() const { return {.queue = story.queue, .tags = {"a"}, .worker = "w"}; }
  void hold(const shard::Claim& claim) {
    story.send(claim);
    story.next_tick = story.now + std::chrono::seconds(20);
    story.look();
  }
  queue::ItemRecord late_item() {
    shard::NewItem item = story.new_item();
    item.run_at = story.now + Millis(500);
    return created(item);
  }
  queue::ItemRecord parked(queue::ItemRecord item) {
    story.tick();
    item.placement = queue::Placement::parked;
    if (item.parked_at == Time{}) item.parked_at = item.due;
    story.write(item);
    story.look();
    return item;
  }
};

TEST_F(AuditorParking, FindsANewItemAheadOfOneThatIsParked) {
  parked(created());
  story.create(story.new_item());
  expect_look("of its lane is parked");
}

TEST_F(AuditorParking, FindsALeaseAheadOfAnItemThatIsParked) {
  const queue::ItemRecord first = created();
  const queue::ItemRecord second = created();
  parked(first);
  story.claim(second);
  expect_look("which is parked");
}

TEST_F(AuditorParking, FindsANewMemberInMemoryBehindAParkedOneOfItsGroup) {
  parked(created(grouped(GroupMode::next_on_error)));
  story.create(grouped(GroupMode::next_on_error));
  expect_look("of its group is parked");
}

TEST_F(AuditorParking, FindsAMemberBackInMemoryBeforeAnEarlierOneOfItsGroup) {
  const queue::ItemRecord first = created(grouped(GroupMode::block_on_error));
  queue::ItemRecord second = created(grouped(GroupMode::block_on_error));
  parked(first);
  parked(second);
  story.tick();
  second.placement = queue::Placement::live;
  story.write(second);
  expect_look("although #1 of its group is parked");
}

TEST_F(AuditorParking, FindsAScheduledMemberInMemoryBehindAParkedOneOfItsGroup) {
  parked(created(grouped(GroupMode::block_on_error)));
  shard::NewItem late = grouped(GroupMode::block_on_error);
  late.run_at = story.now + Millis(500);
  story.create(late);
  expect_look("of its group is parked");
}

TEST_F(AuditorParking, FindsAMemberThatIsFiledUnderItsDueTime) {
  shard::NewItem late = grouped(GroupMode::block_on_error);
  late.run_at = story.now + Millis(500);
  queue::ItemRecord item = created(late);
  item.placement = queue::Placement::parked;
  item.parked_at = item.due;
  story.tick();
  story.write(item);
  expect_look("filed under another time");
}

TEST_F(AuditorParking, FindsAMemberInMemoryBeyondTheBound) {
  Story small({.live_items_max = 2});
  for (int i = 0; i < 2; ++i) {
    small.create(grouped(GroupMode::block_on_error));
    small.look();
  }
  shard::NewItem late = grouped(GroupMode::block_on_error);
  late.run_at = small.now + Millis(500);
  small.create(late);
  expect_violation([&] { small.look(); }, "beyond the bound");
}

TEST_F(AuditorParking, FindsAnItemInMemoryBeyondTheBound) {
  Story small({.live_items_max = 2});
  for (int i = 0; i < 2; ++i) {
    small.create(small.new_item());
    small.look();
  }
  small.create(small.new_item());
  expect_violation([&] { small.look(); }, "fill a memory of 2");
}

// S4.2: 204 only if there is none.
TEST_F(AuditorParking, FindsAnEmptyAnswerWhileSomethingForItIsParked) {
  parked(created());
  story.send(claim());
  story.answer(shard::Claimed{});
  expect_look("got nothing although #1 is due, and parked");
}

TEST_F(AuditorParking, FindsAnEmptyAnswerToAClaimThatWasHeld) {
  parked(created());
  hold(claim());
  const RequestId held = story.request;
  story.tick();
  story.effects.answers.push_back({held, shard::Claimed{}});
  expect_look("got nothing although #1 is due, and parked");
}

TEST_F(AuditorParking, LetsAClaimMissWhatBecameDueWhileItWasHeld) {
  parked(late_item());
  hold(claim());
  const RequestId held = story.request;
  story.now += Millis(500);
  story.tick();
  story.effects.answers.push_back({held, shard::Claimed{}});
  story.look();
}

TEST_F(AuditorParking, FindsAClaimThatIsHeldThoughNothingIsParked) {
  story.send(claim());
  story.next_tick = story.now + std::chrono::seconds(20);
  expect_look("got no answer");
}

TEST_F(AuditorParking, FindsARefusalThoughTheParkedItemsWereRead) {
  parked(created());
  story.send(claim());
  story.answer(Error{Errc::unavailable, "away"});
  expect_look("was refused");
}

TEST_F(AuditorParking, FindsALeaseAheadOfAParkedMemberOfTheGroup) {
  const queue::ItemRecord first = created(grouped(GroupMode::next_on_error));
  const queue::ItemRecord second = created(grouped(GroupMode::next_on_error));
  parked(first);
  story.claim(second);
  expect_look("although #1 of its group is parked");
}

}  // namespace
}  // namespace millrace::simulation
