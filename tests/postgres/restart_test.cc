// The server goes away and comes back; what was acknowledged is there.
#include <gmock/gmock.h>

#include <future>

#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

using store::Fate;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

auto finds(store::Severity severity, const char* text) {
  return Contains(testing::AllOf(testing::Field(&store::Finding::severity, severity),
                                 testing::Field(&store::Finding::text, HasSubstr(text))));
}

class RestartTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (TestCluster::installed()) cluster = std::make_unique<TestCluster>();
  }
  static void TearDownTestSuite() { cluster.reset(); }
  void SetUp() override {
    if (cluster == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = cluster->create_database();
    store_ = store::open_postgres(quiet_node(url_, "a"));
    epoch_ = acquire(*store_);
  }
  // With fsync, and of its own: it is stopped and started.
  static inline std::unique_ptr<TestCluster> cluster;
  std::string url_;
  std::unique_ptr<store::Store> store_;
  Epoch epoch_;
};

TEST_F(RestartTest, WhatWasAcknowledgedSurvivesACrashOfTheServer) {
  std::atomic<std::uint64_t> acknowledged = 0;
  auto writing = std::async(std::launch::async, [&] {
    for (std::uint64_t id = 1;; ++id) {
      if (fate_of_commit(*store_, epoch_, batch_of({new_item(id)}))) return id;
      acknowledged = id;
    }
  });
  while (acknowledged < 50) std::this_thread::yield();
  cluster->stop(TestCluster::Stop::immediate);
  const std::uint64_t failed = writing.get();
  cluster->start();
  epoch_ = acquire(*store_);
  // All of them, and of the one whose answer is missing either.
  EXPECT_THAT(live_ids(*store_), testing::AnyOf(SizeIs(acknowledged.load()), SizeIs(failed)));
  EXPECT_EQ(failed, acknowledged + 1);
}

TEST_F(RestartTest, ReadsSayThatTheServerIsAwayAndGoOnOnceItIsBack) {
  commit(*store_, epoch_, batch_of({new_item(1)}));
  cluster->stop(TestCluster::Stop::fast);
  try {
    store_->item(kShard, sample_queue(), ItemId{1});
    ADD_FAILURE() << "a read without a server";
  } catch (const store::StoreError& error) {
    EXPECT_EQ(error.fate(), Fate::not_done);
  }
  EXPECT_EQ(fate_of_commit(*store_, epoch_, batch_of({new_item(2)})), Fate::not_done);
  EXPECT_THAT(store_->health().findings, SizeIs(1));
  cluster->start();
  EXPECT_TRUE(store_->item(kShard, sample_queue(), ItemId{1}).has_value());
  EXPECT_THAT(store_->health().findings, SizeIs(0));
}

TEST_F(RestartTest, AnOwnerWithoutAServerIsNoOwnerOnceOthersMayTakeItsPlace) {
  store_->release();
  store_ = store::open_postgres({.url = url_, .node_id = "a", .heartbeat = Millis(20), .node_ttl = Millis(300)});
  acquire(*store_);
  cluster->stop(TestCluster::Stop::fast);
  while (store_->owns()) std::this_thread::yield();
  cluster->start();
  acquire(*store_);
  EXPECT_TRUE(store_->owns());
}

TEST_F(RestartTest, AcquireWaitsForTheServerToComeBack) {
  cluster->stop(TestCluster::Stop::fast);
  auto acquiring = std::async(std::launch::async, [&] { return acquire(*store_); });
  cluster->start();
  EXPECT_GT(acquiring.get(), epoch_);
}

TEST_F(RestartTest, OpeningWithoutAServerSaysWhy) {
  EXPECT_THAT([&] { store::open_postgres({.url = "host=127.0.0.1 port=1", .node_id = "a"}); },
              ThrowsMessage<store::StoreError>(HasSubstr("refused")));
  EXPECT_THAT(store::inspect_postgres("host=127.0.0.1 port=1"), finds(store::Severity::fault, "cannot be used"));
}

TEST_F(RestartTest, AnUnsafeServerIsNamed) {
  TestCluster unsafe({"fsync=off", "full_page_writes=off", "synchronous_commit=off"});
  const std::string url = unsafe.create_database();
  const auto findings = store::inspect_postgres(url);
  EXPECT_THAT(findings, finds(store::Severity::fault, "fsync is off"));
  EXPECT_THAT(findings, finds(store::Severity::fault, "full_page_writes is off"));
  EXPECT_THAT(findings, finds(store::Severity::warning, "synchronous_commit is off"));
  const auto health = store::open_postgres(quiet_node(url, "a"))->health();
  EXPECT_EQ(health.durability, "none");
  EXPECT_THAT(health.findings, finds(store::Severity::fault, "fsync is off"));
}

TEST_F(RestartTest, ASafeServerHasNothingToMend) {
  EXPECT_THAT(store::inspect_postgres(url_), SizeIs(0));
  const auto health = store_->health();
  EXPECT_EQ(health.engine, "postgres");
  EXPECT_EQ(health.durability, "synchronous_commit");
  EXPECT_THAT(health.findings, SizeIs(0));
}

TEST_F(RestartTest, CommitsWaitForTheDiskWhateverTheRoleHasSet) {
  run_sql(url_, "ALTER ROLE postgres IN DATABASE " + query_text(url_, "SELECT current_database()") +
                    " SET synchronous_commit = off");
  // The trigger sees what holds inside the transaction.
  run_sql(url_, R"sql(
CREATE TABLE seen (setting text);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
CREATE TRIGGER look AFTER INSERT ON millrace.item_state FOR EACH ROW EXECUTE FUNCTION look())sql");
  epoch_ = acquire(*store_);
  commit(*store_, epoch_, batch_of({new_item(1)}));
  EXPECT_EQ(query_text(url_, "SELECT setting FROM seen"), "on");
}

}  // namespace
}  // namespace millrace::test
