// What becomes of a commit when PostgreSQL, or the way to it, fails under it.
#include <gmock/gmock.h>

#include <future>

#include "postgres/proxy.h"
#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

using store::Fate;
using store::postgres::Connection;
using testing::ElementsAre;

// A commit waits inside its COMMIT while the gate is closed.
class Gate {
 public:
  explicit Gate(const std::string& url) : holder_({.url = url, .application_name = "test"}) {
    run_sql(url, R"sql(
CREATE TABLE gate ();
CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN LOCK TABLE gate IN SHARE MODE; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON millrace.item_body DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION pass_gate())sql");
    holder_.script("BEGIN; LOCK TABLE gate IN ACCESS EXCLUSIVE MODE");
  }
  void open() { holder_.script("COMMIT"); }

 private:
  Connection holder_;
};

constexpr char kAtGate[] = "query = 'COMMIT' AND wait_event_type = 'Lock'";

class FateTest : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
    proxy_.emplace(TestCluster::shared()->port());
    store_ = store::open_postgres(quiet_node(TestCluster::shared()->url_through(url_, proxy_->port()), "a"));
    epoch_ = acquire(*store_);
    commit(*store_, epoch_, batch_of({new_item(1)}));
  }
  std::future<std::optional<Fate>> commit_in_background(const shard::Batch& batch) {
    return std::async(std::launch::async, [this, batch] { return fate_of_commit(*store_, epoch_, batch); });
  }
  void await_backend(const std::string& where) {
    await_sql(url_, "SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database() AND " + where);
  }

  std::string url_;
  std::optional<Proxy> proxy_;
  std::unique_ptr<store::Store> store_;
  Epoch epoch_;
};

TEST_F(FateTest, ALostAnswerLeavesTheFateUnknownAndAcquireFindsTheCommit) {
  proxy_->cut_at_next_answer();
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({new_item(2)})), Fate::unknown);
  epoch_ = acquire(*store_);
  EXPECT_THAT(live_ids(*store_), ElementsAre(1, 2));
  commit(*store_, epoch_, batch_of({new_item(3)}));
}

TEST_F(FateTest, AConnectionEndedAtCommitLeavesTheFateUnknownAndAcquireFindsNothing) {
  Gate gate(url_);
  auto fate = commit_in_background(batch_of({new_item(2)}));
  await_backend(kAtGate);
  TestCluster::shared()->terminate_backends(url_, kAtGate);
  EXPECT_EQ(fate.get(), Fate::unknown);
  epoch_ = acquire(*store_);
  EXPECT_THAT(live_ids(*store_), ElementsAre(1));
}

TEST_F(FateTest, AcquireWaitsForACommitThatIsStillUnderWay) {
  Gate gate(url_);
  auto fate = commit_in_background(batch_of({new_item(2)}));
  await_backend(kAtGate);
  proxy_->cut_clients();
  EXPECT_EQ(fate.get(), Fate::unknown);

  auto acquiring = std::async(std::launch::async, [&] { return acquire(*store_); });
  await_backend("query LIKE '%FROM millrace.shard_leases ORDER BY shard FOR UPDATE' AND wait_event_type = 'Lock'");
  gate.open();
  epoch_ = acquiring.get();
  EXPECT_THAT(live_ids(*store_), ElementsAre(1, 2));
}

TEST_F(FateTest, AcquireEndsATransactionOfTheFormerOwnerThatNeverEnds) {
  Gate gate(url_);
  auto fate = commit_in_background(batch_of({new_item(2)}));
  await_backend(kAtGate);
  proxy_->cut_clients();
  EXPECT_EQ(fate.get(), Fate::unknown);
  epoch_ = acquire(*store_);
  EXPECT_THAT(live_ids(*store_), ElementsAre(1));
}

TEST_F(FateTest, AConnectionEndedBetweenCommitsCostsNothing) {
  TestCluster::shared()->terminate_backends(url_, "application_name LIKE 'millrace %'");
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({new_item(2)})), std::nullopt);
  EXPECT_THAT(live_ids(*store_), ElementsAre(1, 2));
}

TEST_F(FateTest, AnErrorOfAStatementMeansThatNothingWasDone) {
  // 53100, as when the disk is full.
  run_sql(url_, R"sql(
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON millrace.item_log FOR EACH ROW EXECUTE FUNCTION refuse())sql");
  shard::Batch batch = batch_of({new_item(2)});
  batch.log.push_back({.queue = sample_queue(), .entry = {.id = LogId{1}, .item = ItemId{2}}});
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch), Fate::not_done);
  EXPECT_THAT(live_ids(*store_), ElementsAre(1));
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({new_item(2)})), std::nullopt);
}

TEST_F(FateTest, ASerializationFailureIsTriedAgain) {
  run_sql(url_, R"sql(
CREATE SEQUENCE tries;
CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('tries') < 3 THEN RAISE EXCEPTION 'collision' USING ERRCODE = '40001'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER collide BEFORE INSERT ON millrace.item_state FOR EACH ROW EXECUTE FUNCTION collide())sql");
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({new_item(2)})), std::nullopt);
  EXPECT_EQ(query_text(url_, "SELECT last_value FROM tries"), "3");
}

TEST_F(FateTest, TextThatPostgresCannotHoldIsRefusedAndHarmsNothingElse) {
  shard::ItemWrite item = new_item(2);
  queue::Body body = *item.body;
  body.title = std::string("nul\0byte", 8);
  item.body = std::make_shared<const queue::Body>(body);
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({item})), Fate::not_done);
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({new_item(2)})), std::nullopt);
}

}  // namespace
}  // namespace millrace::test
