// Who may write, what one commit means, and what a shard finds when it comes back.
#include <atomic>
#include <thread>

#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using queue::Status;
using testing::ElementsAre;
using testing::IsEmpty;

class Ownership : public StoreTest {
 protected:
  Fate commit_fate(Epoch epoch) {
    const shard::Batch batch{.shard = kShard, .items = {created(make_item(queue_, ++next_id_))}};
    try {
      store().commit(epoch, {&batch, 1});
    } catch (const StoreError& error) {
      return error.fate();
    }
    ADD_FAILURE() << "the commit went through";
    return Fate::not_done;
  }
  const queue::QueueKey queue_ = queue_of("acme");
  std::uint64_t next_id_ = 0;
};
MR_ON_EVERY_STORE(Ownership);

TEST_P(Ownership, EveryAcquireGivesAHigherEpoch) {
  const auto first = epoch_;
  own();
  EXPECT_GT(epoch_, first);
  const auto second = epoch_;
  restart();
  EXPECT_GT(epoch_, second);
}

TEST_P(Ownership, FormerEpochIsFencedAndWritesNothing) {
  const auto former = epoch_;
  own();
  EXPECT_EQ(commit_fate(former), Fate::fenced);
  EXPECT_THAT(store().load(kShard).live, IsEmpty());
  commit({.shard = kShard, .items = {created(make_item(queue_, 100))}});
  EXPECT_EQ(store().load(kShard).live.size(), 1u);
}

TEST_P(Ownership, NothingIsWrittenAfterARelease) {
  store().release();
  EXPECT_EQ(commit_fate(epoch_), Fate::fenced);
  own();
  EXPECT_THAT(store().load(kShard).live, IsEmpty());
}

TEST_P(Ownership, AcquireGivesUpWhenToldToStop) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(store().acquire(stop.get_token()), std::nullopt);
}

TEST_P(Ownership, GroupOverSeveralShardsIsFencedWhole) {
  const auto former = epoch_;
  own();
  std::vector<shard::Batch> group;
  for (const auto shard : {ShardId{1}, ShardId{2}, ShardId{3}}) {
    group.push_back({.shard = shard, .items = {created(make_item(queue_, 1))}});
  }
  EXPECT_THROW(store().commit(former, group), StoreError);
  for (const auto& batch : group) EXPECT_THAT(store().load(batch.shard).live, IsEmpty());
  commit(group);
  for (const auto& batch : group) EXPECT_EQ(store().load(batch.shard).live.size(), 1u);
}

TEST_P(Ownership, EmptyGroupsAndBatchesAreNothing) {
  commit(std::vector<shard::Batch>{});
  commit(shard::Batch{.shard = kShard});
  EXPECT_THAT(store().shards(), IsEmpty());
}

TEST_P(Ownership, ShardsAreThoseThatWereWritten) {
  commit({{.shard = ShardId{300}, .items = {created(make_item(queue_, 1))}},
          {.shard = kSystemShard, .documents = {{{"tenant", "t", tenant("t"), 1, "{}", at(0)}}}},
          {.shard = ShardId{0}, .counters = {{.tenant = tenant("z")}}},
          {.shard = ShardId{2}}});
  EXPECT_THAT(store().shards(), ElementsAre(ShardId{0}, ShardId{300}, kSystemShard));
  restart();
  EXPECT_THAT(store().shards(), ElementsAre(ShardId{0}, ShardId{300}, kSystemShard));
}

TEST_P(Ownership, UnknownShardLoadsEmpty) {
  const auto state = store().load(kShard);
  EXPECT_EQ(state.shard, kShard);
  EXPECT_THAT(state.live, IsEmpty());
  EXPECT_FALSE(state.has_parked);
  EXPECT_THAT(state.counters, IsEmpty());
  EXPECT_THAT(state.documents, IsEmpty());
  EXPECT_THAT(state.workers, IsEmpty());
  EXPECT_EQ(state.last_commit, Time{});
}

TEST_P(Ownership, LoadGivesLiveItemsOnly) {
  auto leased = make_item(queue_, 2, {"tag"});
  leased.status = Status::processing;
  leased.lease = {LeaseToken{5}, at(60), std::make_shared<const std::string>("w")};
  auto blocking = make_item(queue_of("acme", "other"), 3);
  blocking.status = Status::failed;
  const auto waiting = parked(make_item(queue_, 4), at(20));
  const auto done = finished(make_item(queue_, 5), Status::completed, at(1));
  commit(
      {.shard = kShard,
       .items = {created(make_item(queue_, 1)), created(leased), created(blocking), created(waiting), created(done)}});
  commit({.shard = kOtherShard, .items = {created(make_item(queue_, 1))}});
  restart();
  const auto state = store().load(kShard);
  EXPECT_TRUE(state.has_parked);
  EXPECT_THAT(describe_all(state.live),
              testing::UnorderedElementsAre(describe(make_item(queue_, 1)), describe(leased), describe(blocking)));
}

// `now` never goes back behind anything that was recorded, also what stays in the store.
TEST_P(Ownership, LastCommitIsTheLatestTimeOfAnyRecord) {
  const auto latest = [&] { return store().load(kShard).last_commit; };
  commit({.shard = kShard, .items = {created(finished(make_item(queue_, 1), Status::completed, at(10)))}});
  EXPECT_EQ(latest(), at(10));
  commit({.shard = kShard, .log = {logged(make_item(queue_, 1), 1, queue::Action::reset, at(20))}});
  EXPECT_EQ(latest(), at(20));
  commit({.shard = kShard, .documents = {{{"kind", "key", tenant("acme"), 1, "{}", at(30)}}}});
  EXPECT_EQ(latest(), at(30));
  commit({.shard = kShard, .audit = {audit_entry(tenant("acme"), 1, at(40))}});
  EXPECT_EQ(latest(), at(40));
  commit({.shard = kShard, .workers = {{queue_, "w", at(50)}}});
  EXPECT_EQ(latest(), at(50));
  commit({.shard = kShard, .items = {created(make_item(queue_, 2))}});  // at 0
  restart();
  EXPECT_EQ(latest(), at(50));
  EXPECT_EQ(store().load(kOtherShard).last_commit, Time{});
}

// Reads come from other threads: each sees the item in one place, before a move or after it.
TEST_P(Ownership, ReaderFindsAnItemWhileItMoves) {
  auto record = make_item(queue_, 1, {"tag"});
  commit({.shard = kShard, .items = {created(record)}});
  std::atomic<bool> stop = false;
  std::atomic<int> lost = 0;
  std::atomic<int> reads = 0;
  std::jthread reader([&] {
    while (!stop) {
      if (!store().item(kShard, queue_, ItemId{1})) ++lost;
      if (store().items(kShard, {.queue = queue_}).items.size() != 1) ++lost;
      if (store().items(kShard, {.queue = queue_, .any_tags = {"tag"}}).items.size() != 1) ++lost;
      if (!store().fetch(kShard, {.items = {{queue_, {1}}}}).items.at(0)) ++lost;
      ++reads;
    }
  });
  for (int move = 0; move < 100 || reads == 0; ++move) {
    auto next = record;
    next.placement = static_cast<queue::Placement>((static_cast<int>(record.placement) + 1) % 3);
    next.status = next.placement == queue::Placement::done ? Status::completed : Status::pending;
    next.updated = at(move);
    commit({.shard = kShard, .items = {changed(record, next)}});
    record = next;
  }
  stop = true;
  reader.join();
  EXPECT_EQ(lost, 0);
}

TEST_P(Ownership, HealthNamesTheEngine) {
  const auto health = store().health();
  EXPECT_EQ(health.engine, GetParam().name);
  EXPECT_FALSE(health.durability.empty());
  EXPECT_FALSE(store().congested());
}

}  // namespace
}  // namespace millrace::store::conformance
