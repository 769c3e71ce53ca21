// The auditor must be able to fail: each test spoils one thing in a good history.
#include "auditor.h"

#include <gtest/gtest.h>

#include "spoiled_story.h"

namespace millrace::simulation {
namespace {

using queue::Action;
using queue::GroupMode;
using queue::Status;

struct AuditorTest : SpoiledStory {
  queue::ItemRecord leased(const queue::ItemRecord& item) {
    queue::ItemRecord record = story.claim(item);
    story.look();
    return record;
  }
};

TEST_F(AuditorTest, AcceptsAGoodHistory) {
  queue::ItemRecord item = leased(created());
  story.now += Millis(10);
  story.touch(item, Millis(2000));
  story.look();
  story.settle(item, story.outcome(item, false));
  story.look();
  story.reset(item);
  story.look();
  item = leased(item);
  story.settle(item, story.outcome(item, true));
  story.look();
  story.put_document();
  story.look();
  story.commit();
  EXPECT_EQ(story.auditor.durable().queues.at(story.queue).at(item.id).record.status, Status::completed);
}

TEST_F(AuditorTest, FindsTwoLeasesOfOneItem) {
  const queue::ItemRecord item = leased(created());
  story.claim(item, "other");
  expect_look("not waiting");
}

TEST_F(AuditorTest, FindsATokenGivenOutTwice) {
  queue::ItemRecord item = leased(created());
  const LeaseToken token = item.lease.token;
  story.reset(item);
  story.look();
  story.claim(item);
  story.effects.batch.items.back().record.lease.token = token;
  story.effects.batch.log.back().entry.token = token;
  std::get<shard::Claimed>(story.effects.answers.back().reply).items[0].lease.token = token;
  expect_look("given out before");
}

TEST_F(AuditorTest, FindsAnAcknowledgedItemThatIsNotDurable) {
  created();
  story.seal();
  story.effects.batch.items.clear();
  story.effects.batch.counters.clear();
  story.auditor.committed(story.effects.batch);
  expect_violation([&] { story.deliver(); }, "acknowledged, not durable");
}

TEST_F(AuditorTest, FindsAnAnswerWithoutItsItem) {
  story.create(story.new_item());
  story.effects.batch.items.clear();
  expect_look("told but not made");
}

TEST_F(AuditorTest, FindsHalfAnArray) {
  const shard::NewItem item = story.new_item();
  story.create(item);
  const shard::Created reply = std::get<shard::Created>(story.effects.answers.back().reply);
  story.send(shard::Create{story.queue, {item, item}});
  story.effects.answers = {{story.request, reply}};
  expect_look("1 of 2 items");
}

TEST_F(AuditorTest, FindsAnOvertakenBlockingGroup) {
  queue::ItemRecord first = leased(created(grouped(GroupMode::block_on_error)));
  const queue::ItemRecord second = created(grouped(GroupMode::block_on_error));
  // A failed try is not enough to let the next one go.
  story.settle(first, story.outcome(first, false));
  story.look();
  story.claim(second);
  expect_look("earlier item of its group");
}

TEST_F(AuditorTest, FindsAnOvertakenNextOnErrorGroup) {
  leased(created(grouped(GroupMode::next_on_error)));
  const queue::ItemRecord second = created(grouped(GroupMode::next_on_error));
  story.claim(second);
  expect_look("earlier item of its group");
}

TEST_F(AuditorTest, LetsTheNextGoOnError) {
  queue::ItemRecord first = leased(created(grouped(GroupMode::next_on_error)));
  const queue::ItemRecord second = created(grouped(GroupMode::next_on_error));
  story.settle(first, story.outcome(first, false));
  story.look();
  EXPECT_NO_THROW(leased(second));
}

TEST_F(AuditorTest, FindsTwoMembersOfAGroupOutAtOnce) {
  shard::NewItem once = grouped(GroupMode::next_on_error);
  once.max_retries = 1;
  queue::ItemRecord first = leased(created(once));
  const queue::ItemRecord second = created(grouped(GroupMode::next_on_error));
  story.settle(first, story.outcome(first, false));  // its last try
  story.look();
  leased(second);
  story.reset(first);
  story.look();
  story.claim(first);
  expect_look("of its group is held");
}

TEST_F(AuditorTest, FindsAWorseItemTakenFirst) {
  const queue::ItemRecord plain = created();
  shard::NewItem urgent = story.new_item();
  urgent.priority = 1;
  created(urgent);
  story.claim(plain);
  expect_look("leased before");
}

TEST_F(AuditorTest, FindsAnItemLeasedBeforeItIsDue) {
  shard::NewItem later = story.new_item();
  later.run_at = story.now + Millis(100);
  story.claim(created(later));
  expect_look("before it is due");
}

TEST_F(AuditorTest, FindsAPausedItemLeased) {
  const queue::ItemRecord item = created();
  story.send(shard::SetPaused{story.queue, "default", true});
  story.answer(shard::Ack{});
  story.look();
  story.claim(item);
  expect_look("paused");
}

TEST_F(AuditorTest, FindsAStaleTokenAccepted) {
  queue::ItemRecord item = leased(created());
  shard::Outcome stale = story.outcome(item, true);
  stale.holder.token = LeaseToken{99};
  story.settle(item, stale);
  expect_look("no outcome asked for");
}

TEST_F(AuditorTest, FindsAHolderRefused) {
  const queue::ItemRecord item = leased(created());
  story.send(shard::Settle{story.queue, {story.outcome(item, true)}, {}});
  story.answer(shard::Settled{{fail(Errc::conflict, "no")}, {}});
  expect_look("expected verdict");
}

TEST_F(AuditorTest, FindsASecondEntryForARepeat) {
  queue::ItemRecord item = leased(created());
  const queue::ItemRecord before = item;
  story.settle(item, story.outcome(before, true));
  story.look();
  queue::ItemRecord again = before;
  story.settle(again, story.outcome(before, true));
  expect_look("without a lease");
}

TEST_F(AuditorTest, FindsARepeatAnsweredOtherwise) {
  queue::ItemRecord item = leased(created());
  const shard::Outcome outcome = story.outcome(item, true);
  queue::LogEntry entry = story.settle(item, outcome);
  story.look();
  story.send(shard::Settle{story.queue, {outcome}, {}});
  entry.execution_time_ms = 1;
  story.answer(shard::Settled{{shard::OutcomeRecorded{entry, item.max_retries, true}}, {}});
  expect_look("recorded");
}

TEST_F(AuditorTest, FindsACompletedItemChanged) {
  queue::ItemRecord item = leased(created());
  story.settle(item, story.outcome(item, true));
  story.look();
  story.reset(item);
  expect_look("although it ended");
}

TEST_F(AuditorTest, FindsATryTooMany) {
  shard::NewItem once = story.new_item();
  once.max_retries = 0;
  queue::ItemRecord item = leased(created(once));
  item.max_retries = 5;  // so that the step schedules a retry
  story.settle(item, story.outcome(item, false));
  expect_look("must be the last try");
}

TEST_F(AuditorTest, FindsALeaseEndedTooEarly) {
  queue::ItemRecord item = leased(created());
  story.tick();
  story.now = item.lease.until - Millis(1);
  ++item.retry_count;
  story.log(item, Action::timed_out);
  item.lease = {};
  item.status = Status::pending;
  story.write(item);
  expect_look("before its end");
}

TEST_F(AuditorTest, FindsALeaseLeftAfterItsEnd) {
  const queue::ItemRecord item = leased(created());
  story.tick();
  story.now = item.lease.until;
  expect_look("left a lease that ran out");
}

TEST_F(AuditorTest, FindsATimerThatComesTooLate) {
  story.claim(created());
  story.next_tick = kNever;
  expect_look("after its lease ends");
}

TEST_F(AuditorTest, FindsAStarvedWaiter) {
  story.wait("a");
  story.look();
  story.create(story.new_item());
  expect_look("waits although");
}

TEST_F(AuditorTest, FindsAWaiterAnsweredEmptyTooEarly) {
  const RequestId waiter = story.wait("a");
  story.look();
  story.send(shard::CountItems{story.queue});
  story.answer(shard::Counts{});
  story.effects.answers.push_back({waiter, shard::Claimed{}});
  expect_look("before its wait was over");
}

TEST_F(AuditorTest, FindsACommandWithoutAnAnswer) {
  story.send(shard::CountItems{story.queue});
  expect_look("got no answer");
}

TEST_F(AuditorTest, FindsAKeyUsedForAnotherRequest) {
  shard::NewItem item = story.new_item();
  item.idempotency_key = "key";
  item.fingerprint = "one";
  story.create(item);
  story.effects.batch.dedup.push_back({{story.queue.tenant, {}, "key"}, 1, "one", story.now + Millis(86'400'000)});
  story.look();
  item.fingerprint = "two";
  story.create(item);
  expect_look("nobody sent it");
}

TEST_F(AuditorTest, FindsCountersThatAreWrong) {
  created();
  story.seal();
  story.effects.batch.counters[0].queues[0].by_status = {2, 0, 0, 0, 0};
  expect_violation([&] { story.auditor.committed(story.effects.batch); }, "recount");
}

TEST_F(AuditorTest, FindsAPriorThatTheStoreDoesNotHold) {
  queue::ItemRecord item = created();
  story.reset(item);
  story.effects.batch.items.back().prior->status = Status::failed;
  story.look();
  story.seal();
  expect_violation([&] { story.auditor.committed(story.effects.batch); }, "prior");
}

TEST_F(AuditorTest, FindsABrokenAuditChain) {
  story.put_document();
  story.look();
  story.put_document();
  story.effects.batch.audit.back().previous_hash = "";
  expect_look("chain breaks");
}

TEST_F(AuditorTest, FindsAWriteThatNobodyAskedFor) {
  queue::ItemRecord item = created();
  story.send(shard::CountItems{story.queue});
  story.answer(shard::Counts{{1, 0, 0, 0, 0}});
  item.status = Status::cancelled;
  item.placement = queue::Placement::done;
  story.write(item);
  expect_look("written as");
}

TEST_F(AuditorTest, FindsAnItemDroppedBeforeItsEnd) {
  const queue::ItemRecord item = created();
  story.send(shard::Expire{{{story.queue, item.id}}, story.now + Millis(1)});
  story.effects.batch.drops.push_back({item});
  story.answer(shard::Expired{1});
  expect_look("dropped before its end");
}

}  // namespace
}  // namespace millrace::simulation
