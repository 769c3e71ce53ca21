// Migrations, and the rules that every table and index must keep.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <future>

#include "postgres/earlier_schema.h"
#include "postgres/samples.h"
#include "postgres/test_cluster.h"
#include "store/postgres/migrations.h"

namespace millrace::test {
namespace {

using store::StoreError;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Schema : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
  }
  std::unique_ptr<store::Store> open() { return store::open_postgres({.url = url_, .node_id = "a"}); }
  std::string url_;
};

TEST_F(Schema, OpeningTwiceAppliesEachStepOnce) {
  open();
  const std::string applied = query_text(url_,
                                         "SELECT string_agg(version || ' ' || applied, ',') "
                                         "FROM millrace.schema_migrations");
  open();
  EXPECT_EQ(query_text(url_, "SELECT string_agg(version || ' ' || applied, ',') FROM millrace.schema_migrations"),
            applied);
  EXPECT_EQ(query_text(url_, "SELECT max(version) FROM millrace.schema_migrations"),
            std::to_string(store::postgres::migrations().size()));
}

TEST_F(Schema, OfAnEarlierProgramWithEventsIsBroughtForward) {
  make_earlier_schema(url_, 4);
  run_sql(url_, R"sql(
INSERT INTO millrace.events
SELECT n, n, to_timestamp(1700000000), now(), NULL, 7, 'default', '1700000000000', 'id-' || 9 - n, 't', 's', '', 'default',
       '', '', '', 'app', 'TASK', '1', '{}', '{}'
FROM generate_series(1, 5) n)sql");
  auto store = open();
  store::EventQuery query{.tenant = TenantId::default_tenant(), .partition = "TENANT#default", .limit = 2};
  std::vector<std::uint64_t> found;
  for (bool more = true; more; more = query.after.has_value()) {
    const store::EventPage page = store->events(kShard, query);
    for (const event::Record& event : page.events) found.push_back(event.position.value);
    query.after = page.next;
  }
  EXPECT_THAT(found, testing::ElementsAre(1, 2, 3, 4, 5));
}

// Payloads of step 1 are json, later ones text.
TEST_F(Schema, OfAnEarlierProgramWithItemsIsBroughtForward) {
  make_earlier_schema(url_, 7);
  run_sql(url_, R"sql(
INSERT INTO millrace.lanes
VALUES ('00000000-0000-0000-0000-000000000001', 1000, 1000, 3, 7, 0, false, 'default', 'events', 'default', '{red}');
INSERT INTO millrace.item_body
SELECT n, to_timestamp(1700000000), 7, 'default', 'events', 'old ' || n, NULL, 'red', '{"b":1,  "a":"\u0000"}'
FROM generate_series(1, 3) n;
INSERT INTO millrace.item_state (shard, tenant, queue, id, lane, priority, status, stage, retry_wait, retry_count,
                                 attempt, due, updated)
SELECT 7, 'default', 'events', n, '00000000-0000-0000-0000-000000000001', 0, 0, 0, false, 0, 0,
       to_timestamp(1700000000), to_timestamp(1700000000)
FROM generate_series(1, 3) n;
INSERT INTO millrace.item_log (shard, tenant, queue, item, id, action, attempt, token, worker, created, retry_count)
VALUES (7, 'default', 'events', 2, 1, 0, 1, 5, 'w', to_timestamp(1700000000), 0))sql");
  auto store = open();
  const Epoch epoch = acquire(*store);
  const auto old = store->item(kShard, sample_queue(), ItemId{2});
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->body->payload, R"({"b":1,  "a":"\u0000"})");
  EXPECT_EQ(store->log(kShard, sample_queue(), ItemId{2}, 10).size(), 1U);

  commit(*store, epoch, batch_of({new_item(4), changed(old->record, completed(old->record))}));
  std::vector<std::uint64_t> listed;
  for (const store::ItemView& view : store->items(kShard, {.queue = sample_queue()}).items) {
    listed.push_back(view.record.id.value);
  }
  EXPECT_THAT(listed, testing::ElementsAre(4, 3, 2, 1));
  EXPECT_EQ(live_ids(*store), (std::vector<std::uint64_t>{1, 3, 4}));
  EXPECT_EQ(query_text(url_, "SELECT count(payload::text) FROM millrace.items"), "4");
}

TEST_F(Schema, NodesStartingTogetherOnAnEmptyDatabaseAllOpen) {
  std::vector<std::future<std::unique_ptr<store::Store>>> opening;
  opening.reserve(6);
  for (int i = 0; i < 6; ++i) opening.push_back(std::async(std::launch::async, [&] { return open(); }));
  for (auto& opened : opening) EXPECT_NE(opened.get(), nullptr);
  EXPECT_EQ(query_text(url_, "SELECT count(*) FROM millrace.schema_migrations WHERE version > 0"),
            std::to_string(store::postgres::migrations().size()));
}

TEST_F(Schema, AStepThatWasEditedAfterItsReleaseIsRefused) {
  open();
  run_sql(url_, "UPDATE millrace.schema_migrations SET checksum = 'other' WHERE version = 1");
  EXPECT_THAT([&] { open(); }, ThrowsMessage<StoreError>(HasSubstr("another checksum")));
}

TEST_F(Schema, ASchemaOfANewerProgramIsRefused) {
  open();
  run_sql(url_, "INSERT INTO millrace.schema_migrations (version, title, checksum) VALUES (999, 'later', 'x')");
  EXPECT_THAT([&] { open(); }, ThrowsMessage<StoreError>(HasSubstr("version 999")));
  EXPECT_THAT(store::inspect_postgres(url_),
              testing::Contains(testing::Field(&store::Finding::text, HasSubstr("version 999"))));
}

TEST_F(Schema, AMigrationThatFailsLeavesNothingBehind) {
  run_sql(url_, "CREATE SCHEMA millrace; CREATE TABLE millrace.workers (x integer)");
  EXPECT_THROW(open(), StoreError);
  EXPECT_EQ(query_text(url_,
                       "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                       "WHERE n.nspname = 'millrace' AND c.relkind = 'r'"),
            "2");  // the ledger and the table in the way
  EXPECT_EQ(query_text(url_, "SELECT max(version) FROM millrace.schema_migrations"), "0");
}

TEST_F(Schema, ARoleWithoutTheRightToCreateGetsAClearAnswer) {
  run_sql(url_, "DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN");
  const std::string as_guest = url_ + " user=guest";
  EXPECT_THAT([&] { store::open_postgres({.url = as_guest, .node_id = "a"}); },
              ThrowsMessage<StoreError>(HasSubstr("permission denied")));
  EXPECT_THAT(store::inspect_postgres(as_guest),
              testing::Contains(testing::Field(&store::Finding::text, HasSubstr("may not create"))));
}

// The rules of the README, as questions to the catalog that must have no answer.

TEST_F(Schema, ShardLeadsEveryPrimaryKeyAndUniqueIndex) {
  open();
  EXPECT_EQ(query_text(url_, R"sql(
SELECT string_agg(i.indexrelid::regclass::text, ', ')
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE n.nspname = 'millrace' AND (i.indisunique OR i.indisprimary) AND a.attname <> 'shard'
  AND c.relname NOT IN ('nodes', 'schema_migrations'))sql"),
            "");
  EXPECT_EQ(query_text(url_, R"sql(
SELECT string_agg(c.relname, ', ') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'millrace' AND c.relkind = 'r'
  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary))sql"),
            "");
}

TEST_F(Schema, NoSequencesNoForeignKeysNoTriggers) {
  open();
  EXPECT_EQ(query_text(url_,
                       "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                       "WHERE n.nspname = 'millrace' AND c.relkind = 'S'"),
            "0");
  EXPECT_EQ(query_text(url_, "SELECT count(*) FROM pg_attribute WHERE attidentity <> '' AND attrelid >= 16384"), "0");
  EXPECT_EQ(query_text(url_, "SELECT count(*) FROM pg_constraint WHERE contype = 'f'"), "0");
  EXPECT_EQ(query_text(url_, "SELECT count(*) FROM pg_trigger"), "0");
}

TEST_F(Schema, TextInKeysComparesByBytes) {
  open();
  EXPECT_EQ(query_text(url_, R"sql(
SELECT string_agg(i.indexrelid::regclass || '.' || a.attname, ', ')
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = i.indexrelid
WHERE n.nspname = 'millrace' AND a.attcollation NOT IN (0, '"C"'::regcollation))sql"),
            "");
}

TEST_F(Schema, NoIndexHoldsWhatAClaimOrARetryChanges) {
  open();
  EXPECT_EQ(query_text(url_, R"sql(
SELECT string_agg(i.indexrelid::regclass || '.' || a.attname, ', ')
FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
WHERE i.indrelid = 'millrace.item_state'::regclass
  AND (a.attnum = ANY (i.indkey) OR pg_get_expr(i.indpred, i.indrelid) LIKE '%(' || a.attname || '%')
  AND a.attname IN ('status', 'due', 'updated', 'retry_wait', 'retry_count', 'attempt', 'lease_token', 'lease_until',
                    'lease_worker'))sql"),
            "");
}

TEST_F(Schema, ClaimsStayOnTheirPage) {
  auto store = open();
  const Epoch epoch = acquire(*store);
  constexpr std::uint64_t kItems = 500;
  std::vector<shard::ItemWrite> items;
  for (std::uint64_t id = 1; id <= kItems; ++id) items.push_back(new_item(id));
  commit(*store, epoch, batch_of(items));
  for (const shard::ItemWrite& item : items) {
    commit(*store, epoch, batch_of({changed(item.record, leased(item.record))}));
  }
  // A connection hands in its statistics when it ends.
  store.reset();
  TestCluster::shared()->terminate_backends(url_);
  const int hot = std::stoi(query_text(url_, "SELECT pg_stat_get_tuples_hot_updated('millrace.item_state'::regclass)"));
  EXPECT_GT(hot, static_cast<int>(kItems * 9 / 10));
}

TEST_F(Schema, PeopleCanReadItemsInSql) {
  auto store = open();
  const Epoch epoch = acquire(*store);
  const shard::ItemWrite item = new_item(1, {"blue", "red"});
  commit(*store, epoch, batch_of({item}));
  commit(*store, epoch, batch_of({changed(item.record, leased(item.record))}));
  EXPECT_EQ(query_text(url_,
                       "SELECT concat_ws(' ', title, status, placement, lease_worker, tag_list, payload) "
                       "FROM millrace.items WHERE tenant = 'default' AND queue = 'events'"),
            "item 1 PROCESSING live worker-1 {blue,red} {\"b\":1,\"a\":\"\\u0000\"}");
}

}  // namespace
}  // namespace millrace::test
