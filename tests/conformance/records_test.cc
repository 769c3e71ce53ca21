// Everything that is not an item: logs, deduplication, counters, documents, audit, workers, and what a
// command fetches of them.
#include <chrono>
#include <future>
#include <limits>

#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using queue::Action;
using testing::ElementsAre;
using testing::IsEmpty;

class Records : public StoreTest {
 protected:
  std::vector<std::uint64_t> log_ids(std::uint64_t item, std::size_t limit) {
    std::vector<std::uint64_t> out;
    for (const auto& entry : store().log(kShard, queue_, ItemId{item}, limit)) out.push_back(entry.id.value);
    return out;
  }
  std::optional<shard::DedupRecord> dedup(const shard::DedupKey& key, ShardId shard = kShard) {
    return store().fetch(shard, {.dedup = {key}}).dedup.at(0);
  }
  const queue::QueueKey queue_ = queue_of("acme");
  const TenantId acme_ = tenant("acme");
};
MR_ON_EVERY_STORE(Records);

TEST_P(Records, LogEntryComesBackWithEveryField) {
  queue::LogEntry full{.id = LogId{kIdMax}, .item = ItemId{1}, .action = Action::timed_out};
  full.attempt = 1000;
  full.token = LeaseToken{kIdMax};
  full.worker = "wörker 'x'";
  full.created = at(1);
  full.status_code = std::numeric_limits<std::int64_t>::min();
  full.execution_time_ms = std::numeric_limits<std::int64_t>::max();
  full.error_message = std::string(64 * 1024, 'e');
  full.reason = "";
  full.next_retry_at = at(2);
  full.retry_count = 7;
  const queue::LogEntry bare{.id = LogId{1}, .item = ItemId{1}, .action = Action::picked, .created = at(0)};
  commit({.shard = kShard, .items = {created(make_item(queue_, 1))}, .log = {{queue_, full}, {queue_, bare}}});
  restart();
  EXPECT_EQ(describe_all(store().log(kShard, queue_, ItemId{1}, 10)), describe_all(std::vector{bare, full}));
}

TEST_P(Records, EveryActionComesBack) {
  shard::Batch batch{.shard = kShard, .items = {created(make_item(queue_, 1))}};
  for (std::uint64_t n = 0; n <= static_cast<std::uint64_t>(Action::cancelled); ++n) {
    batch.log.push_back(logged(batch.items[0].record, n + 1, static_cast<Action>(n), at(0)));
  }
  commit(batch);
  const auto entries = store().log(kShard, queue_, ItemId{1}, 100);
  ASSERT_EQ(entries.size(), batch.log.size());
  for (std::size_t n = 0; n < entries.size(); ++n) EXPECT_EQ(entries[n], batch.log[n].entry);
}

TEST_P(Records, LogIsOldestFirstAndTheLimitKeepsTheNewest) {
  const auto one = make_item(queue_, 1);
  const auto two = make_item(queue_, 2);
  shard::Batch batch{.shard = kShard, .items = {created(one), created(two)}};
  for (const std::uint64_t id : {3, 300, 1, 7}) batch.log.push_back(logged(one, id, Action::picked, at(0)));
  batch.log.push_back(logged(two, 5, Action::picked, at(0)));
  commit(batch);
  EXPECT_THAT(log_ids(1, 10), ElementsAre(1, 3, 7, 300));
  EXPECT_THAT(log_ids(1, 2), ElementsAre(7, 300));
  EXPECT_THAT(log_ids(1, 0), IsEmpty());
  EXPECT_THAT(log_ids(2, 10), ElementsAre(5));
  EXPECT_THAT(log_ids(3, 10), IsEmpty());
}

TEST_P(Records, FetchAnswersInOrderWithGaps) {
  const auto live = make_item(queue_, 1);
  const auto done = finished(make_item(queue_, 2), queue::Status::completed, at(3));
  const auto waiting = parked(make_item(queue_, 3), at(20));
  const auto row = dedup_row(acme_, "key", 9, at(50));
  shard::Batch batch{.shard = kShard, .items = {created(live), created(done), created(waiting)}};
  batch.log = {logged(done, 1, Action::picked, at(1)), logged(done, 2, Action::completed, at(3))};
  batch.dedup = {row};
  commit(batch);
  shard::DedupKey unknown = row.key;
  unknown.key = "other";
  const auto facts = store().fetch(
      kShard, {.items = {{queue_, {3}}, {queue_, {9}}, {queue_, {2}}, {queue_, {1}}}, .dedup = {unknown, row.key}});
  ASSERT_EQ(facts.items.size(), 4u);
  EXPECT_EQ(describe(facts.items[0]->record), describe(waiting));
  EXPECT_FALSE(facts.items[1]);
  EXPECT_EQ(describe(facts.items[2]->record), describe(done));
  EXPECT_EQ(facts.items[2]->log.size(), 2u);
  EXPECT_EQ(facts.items[2]->log[1].action, Action::completed);
  EXPECT_EQ(describe(facts.items[3]->record), describe(live));
  EXPECT_THAT(facts.items[3]->log, IsEmpty());
  ASSERT_EQ(facts.dedup.size(), 2u);
  EXPECT_FALSE(facts.dedup[0]);
  EXPECT_EQ(describe(*facts.dedup[1]), describe(row));
}

TEST_P(Records, FetchOfNothingIsEmpty) {
  const auto facts = store().fetch(kShard, {});
  EXPECT_THAT(facts.items, IsEmpty());
  EXPECT_THAT(facts.dedup, IsEmpty());
}

TEST_P(Records, DedupRowsAreApartByTenantKindKeyAndShard) {
  const auto row = dedup_row(acme_, "key", 1, at(50));
  auto kind = row;
  kind.key.kind = shard::DedupKind::job_id;
  kind.made = 2;
  auto longer = dedup_row(acme_, "key2", 3, at(50));
  longer.fingerprint = std::string("\0\xff raw", 6);
  const auto other_tenant = dedup_row(tenant("acm"), "ekey", 4, at(50));
  commit({.shard = kShard, .dedup = {row, kind, longer, other_tenant}});
  restart();
  for (const auto& each : {row, kind, longer, other_tenant}) EXPECT_EQ(describe(*dedup(each.key)), describe(each));
  EXPECT_FALSE(dedup({acme_, shard::DedupKind::idempotency_key, "ke"}));
  EXPECT_FALSE(dedup({acme_, shard::DedupKind::event_id, "key"}));
  EXPECT_FALSE(dedup(row.key, kOtherShard));
}

TEST_P(Records, LaterDedupRowReplacesTheEarlier) {
  commit({.shard = kShard, .dedup = {dedup_row(acme_, "key", 1, at(50)), dedup_row(acme_, "key", 2, at(20))}});
  EXPECT_EQ(dedup({acme_, shard::DedupKind::idempotency_key, "key"})->made, 2u);
  commit({.shard = kShard, .dedup = {dedup_row(acme_, "key", 3, at(90))}});
  EXPECT_EQ(dedup({acme_, shard::DedupKind::idempotency_key, "key"})->made, 3u);
  EXPECT_EQ(store().sweep(at(90), 10), 0u);  // by the time it has now, not by those it had
  EXPECT_TRUE(dedup({acme_, shard::DedupKind::idempotency_key, "key"}));
  EXPECT_EQ(store().sweep(at(91), 10), 1u);
  EXPECT_FALSE(dedup({acme_, shard::DedupKind::idempotency_key, "key"}));
}

TEST_P(Records, SweepDropsExpiredDedupRowsWithinItsBudget) {
  shard::Batch batch{.shard = kShard};
  for (int n = 0; n < 10; ++n) batch.dedup.push_back(dedup_row(acme_, "k" + std::to_string(n), 1, at(n)));
  shard::Batch other{.shard = kOtherShard, .dedup = {dedup_row(acme_, "k0", 1, at(0))}};
  commit({batch, other});
  EXPECT_EQ(store().sweep(at(0), 100), 0u);
  EXPECT_EQ(store().sweep(at(5), 0), 0u);
  EXPECT_EQ(store().sweep(at(5), 4), 4u);
  EXPECT_EQ(store().sweep(at(5), 4), 2u);
  EXPECT_EQ(store().sweep(at(5), 4), 0u);
  EXPECT_FALSE(dedup({acme_, shard::DedupKind::idempotency_key, "k0"}, kOtherShard));
  EXPECT_FALSE(dedup({acme_, shard::DedupKind::idempotency_key, "k4"}));
  EXPECT_TRUE(dedup({acme_, shard::DedupKind::idempotency_key, "k5"}));
  // A key that expired may be used again, and the new row is not swept for the old one's time.
  commit({.shard = kShard, .dedup = {dedup_row(acme_, "k0", 2, at(100))}});
  EXPECT_EQ(store().sweep(at(5), 4), 0u);
  EXPECT_EQ(dedup({acme_, shard::DedupKind::idempotency_key, "k0"})->made, 2u);
}

// A group that is durable and not visible yet uses a key again whose row has expired.
TEST_P(Records, SweepLeavesARowThatAGroupOnItsWayHasWrittenAgain) {
  commit({.shard = kShard, .dedup = {dedup_row(acme_, "k", 1, at(5))}});
  const shard::Batch again{.shard = kShard, .dedup = {dedup_row(acme_, "k", 2, at(100))}};
  const auto persisted = store().persist(epoch_, {&again, 1});
  auto swept = std::async(std::launch::async, [this] { return store().sweep(at(10), 100); });
  swept.wait_for(std::chrono::milliseconds(50));  // it may have to wait for what follows
  if (persisted) store().apply(*persisted);
  swept.get();
  const auto row = dedup({acme_, shard::DedupKind::idempotency_key, "k"});
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->made, 2u);
}

// Who was told of a group sees it, also if it was told before the group was made visible.
TEST_P(Records, AReadWaitsForWhatWasAnnounced) {
  const shard::Batch batch{.shard = kShard, .items = {created(make_item(queue_, 1))}};
  const auto persisted = store().persist(epoch_, {&batch, 1});
  if (persisted) store().announce(*persisted);
  auto read = std::async(std::launch::async, [&] { return store().item(kShard, queue_, ItemId{1}); });
  if (persisted) {
    EXPECT_EQ(read.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    store().apply(*persisted);
  }
  EXPECT_TRUE(read.get().has_value());
}

TEST_P(Records, CountersAreKeptWholeAndTheLastWriteStands) {
  shard::TenantCounters first{.tenant = acme_, .last_item = 1, .queues = {{"events", {1, 2, 3, 4, 5}}, {"q", {}}}};
  shard::TenantCounters last{.tenant = acme_};
  last.last_item = kIdMax;
  last.last_log = kIdMax - 1;
  last.last_position = kIdMax - 2;
  last.last_audit = 7;
  last.audit_hash = std::string("\0\x01raw", 5);
  last.last_tsid = std::numeric_limits<std::int64_t>::max();
  last.last_removed = 9;
  last.queues = {{"events", {kIdMax, 0, 1, 2, 3}}, {"événements", {0, 0, 0, 0, 1}}};
  const shard::TenantCounters other{.tenant = tenant("acme2"), .last_item = 3};
  commit({.shard = kShard, .counters = {first, other, last}});
  restart();
  EXPECT_EQ(describe_all(store().load(kShard).counters), describe_all(std::vector{last, other}));
  EXPECT_THAT(store().load(kOtherShard).counters, IsEmpty());
  commit({.shard = kShard, .counters = {first}});
  EXPECT_EQ(describe_all(store().load(kShard).counters), describe_all(std::vector{first, other}));
}

TEST_P(Records, DocumentsArePutReplacedAndRemoved) {
  const shard::Document key{"key", "k-1", acme_, 1, R"({"b":2,"a":1})", at(1)};
  const shard::Document odd{"key", "k 1/ü%", acme_, 1, "{}", at(1)};
  const shard::Document other{"keys", "k-1", tenant("x"), 9, "[]", at(1)};
  commit({.shard = kShard, .documents = {{key}, {odd}, {other}}});
  restart();
  EXPECT_THAT(describe_all(store().load(kShard).documents),
              testing::UnorderedElementsAre(describe(key), describe(odd), describe(other)));
  auto newer = key;
  newer.version = 2;
  newer.body = R"({"a":3})";
  commit({.shard = kShard, .documents = {{newer}, {odd, true}}});
  EXPECT_THAT(describe_all(store().load(kShard).documents),
              testing::UnorderedElementsAre(describe(newer), describe(other)));
  commit({.shard = kShard, .documents = {{newer, true}, {other, true}, {other}}});
  EXPECT_THAT(describe_all(store().load(kShard).documents), ElementsAre(describe(other)));
  EXPECT_THAT(store().load(kOtherShard).documents, IsEmpty());
}

TEST_P(Records, AuditIsReadOldestFirstFromACursor) {
  shard::Batch batch{.shard = kShard};
  for (const std::uint64_t seq : {1, 2, 3, 256, 257}) batch.audit.push_back(audit_entry(acme_, seq, at(1)));
  batch.audit.push_back(audit_entry(tenant("acm"), 1, at(1)));
  batch.audit.push_back(audit_entry(tenant("acme2"), 4, at(1)));
  commit(batch);
  restart();
  const auto all = store().audit(kShard, {.tenant = acme_});
  EXPECT_EQ(describe_all(all), describe_all(std::vector(batch.audit.begin(), batch.audit.begin() + 5)));
  const auto some = store().audit(kShard, {.tenant = acme_, .after = AuditSeq{2}, .limit = 2});
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].seq, AuditSeq{3});
  EXPECT_EQ(some[1].seq, AuditSeq{256});
  EXPECT_THAT(store().audit(kShard, {.tenant = acme_, .after = AuditSeq{257}}), IsEmpty());
  EXPECT_THAT(store().audit(kOtherShard, {.tenant = acme_}), IsEmpty());
}

TEST_P(Records, WorkersAreKeptByQueueAndName) {
  const shard::WorkerRecord first{queue_, "w1", at(1)};
  const shard::WorkerRecord later{queue_, "w1", at(9)};
  const shard::WorkerRecord other{queue_of("acme", "other"), "w1", at(2)};
  const shard::WorkerRecord odd{queue_, "ü w/2", at(3)};
  commit({.shard = kShard, .workers = {first, other, odd, later}});
  restart();
  EXPECT_THAT(describe_all(store().load(kShard).workers),
              testing::UnorderedElementsAre(describe(later), describe(other), describe(odd)));
}

TEST_P(Records, AForgottenWorkerGoesAndItsNamesakesStay) {
  const shard::WorkerRecord gone{queue_, "w1", at(1)};
  const shard::WorkerRecord namesake{queue_of("acme", "other"), "w1", at(2)};
  const shard::WorkerRecord longer{queue_, "w11", at(3)};
  commit({.shard = kShard, .workers = {gone, namesake, longer}});
  commit({.shard = kOtherShard, .workers = {gone}});
  // Also one that was written just now, and one that was never written.
  commit({.shard = kShard,
          .workers = {{queue_, "w2", at(4)}},
          .worker_drops = {{queue_, "w1"}, {queue_, "w2"}, {queue_, "never seen"}}});
  restart();
  EXPECT_THAT(describe_all(store().load(kShard).workers),
              testing::UnorderedElementsAre(describe(namesake), describe(longer)));
  EXPECT_THAT(describe_all(store().load(kOtherShard).workers), testing::ElementsAre(describe(gone)));
}

}  // namespace
}  // namespace millrace::store::conformance
