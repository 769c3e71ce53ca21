// Upgrades of a schema that take long, that must wait, and that are broken off.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "postgres/captured_log.h"
#include "postgres/earlier_schema.h"
#include "postgres/proxy.h"
#include "postgres/samples.h"
#include "postgres/test_cluster.h"
#include "store/postgres/migration_run.h"
#include "store/store_error.h"

namespace millrace::test {
namespace {

using store::Fate;
using store::StoreError;
using store::postgres::Migration;
using store::postgres::MigrationRun;
using store::postgres::SqlError;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The server is told to give up after this long, unless it migrates.
constexpr Millis kDeadline(500);
constexpr Millis kOften(1);

// Cannot end while a test holds the table in its way.
constexpr Migration kStepsOfATest[] = {
    {1, "quick", "CREATE TABLE millrace.gate (x integer)"},
    {2, "slow", "LOCK TABLE millrace.gate; CREATE TABLE millrace.done (x integer)"},
};

class MigrationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
  }

  // A database in which the slow step cannot end before release().
  void hold() {
    store::postgres::migrate(target(), {.steps = std::span(kStepsOfATest).first(1)});
    holder_.emplace(unhurried());
    holder_->script("BEGIN; LOCK TABLE millrace.gate");
  }
  void release() { holder_.reset(); }

  store::postgres::Connection::Target target() const {
    return {.url = url_, .application_name = "test", .answer_within = kDeadline};
  }
  store::postgres::Connection::Target unhurried() const { return {.url = url_, .application_name = "test"}; }
  std::future<void> start(MigrationRun run = {}) const {
    run.steps = kStepsOfATest;
    return std::async(std::launch::async, [run, to = target()] { store::postgres::migrate(to, run); });
  }
  static bool ended(const auto& task) { return task.wait_for(Millis(0)) == std::future_status::ready; }
  void await_log(std::string_view text, const auto& task) const {
    while (!log_.has(text) && !ended(task)) std::this_thread::yield();
    EXPECT_THAT(log_.all(), HasSubstr(text));
  }
  // Longer than any deadline.
  void await_long_wait(Millis deadline = kDeadline) const {
    await_sql(url_, fmt::format("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() "
                                "AND wait_event_type = 'Lock' AND xact_start < clock_timestamp() - interval '{} ms'",
                                deadline.count() + 200));
  }
  std::string version() const { return query_text(url_, "SELECT max(version) FROM millrace.schema_migrations"); }

  CapturedLog log_;
  std::string url_;
  std::optional<store::postgres::Connection> holder_;
};

TEST_F(MigrationTest, AStepMayTakeLongerThanTheServerIsGivenToAnswer) {
  hold();
  auto migrating = start();
  await_long_wait();
  release();
  EXPECT_NO_THROW(migrating.get());
  EXPECT_EQ(version(), "2");
}

TEST_F(MigrationTest, OpeningAStoreWaitsForALongStep) {
  make_earlier_schema(url_, 7);
  store::postgres::Connection holder(unhurried());
  holder.script("BEGIN; LOCK TABLE millrace.item_body");
  static constexpr Millis kPatient(4000);  // with everything that is no step
  auto opening = std::async(std::launch::async, [this] {
    return store::open_postgres({.url = url_, .node_id = "a", .answer_within = kPatient});
  });
  await_long_wait(kPatient);
  holder.script("COMMIT");
  EXPECT_NE(opening.get(), nullptr);
}

// Here they are of the session, where those of a role or a database end up too: the test's own queries have none.
TEST_F(MigrationTest, TimeoutsOfTheRoleAreForOtherWork) {
  hold();
  auto hurried = target();
  hurried.url += fmt::format(" options='-c statement_timeout={0} -c lock_timeout={0}'", kDeadline.count());
  auto migrating =
      std::async(std::launch::async, [hurried] { store::postgres::migrate(hurried, {.steps = kStepsOfATest}); });
  await_long_wait();
  release();
  EXPECT_NO_THROW(migrating.get());
}

TEST_F(MigrationTest, TheLogSaysWhichStepRunsAndForHowLong) {
  hold();
  auto migrating = start({.report_every = kOften});
  await_log(R"("step":2,"of":2,"title":"slow","seconds":)", migrating);
  release();
  migrating.get();
  EXPECT_THAT(log_.all(), HasSubstr(R"("msg":"the schema is up to date","from":1,"to":2)"));
}

TEST_F(MigrationTest, ASecondNodeWaitsForTheOneThatWorksAndSaysSo) {
  hold();
  auto first = start();
  await_long_wait();
  auto second = start({.report_every = kOften});
  await_log("waiting for another node", second);
  release();
  EXPECT_NO_THROW(first.get());
  EXPECT_NO_THROW(second.get());
  EXPECT_EQ(version(), "2");
}

TEST_F(MigrationTest, WhenTheNodeThatWorksIsLostTheSecondGoesOn) {
  hold();
  auto first = start();
  await_long_wait();
  auto second = start({.report_every = kOften});
  await_log("waiting for another node", second);
  TestCluster::shared()->terminate_backends(url_, "query LIKE 'LOCK TABLE millrace.gate; CREATE%'");
  EXPECT_THROW(first.get(), SqlError);
  release();
  EXPECT_NO_THROW(second.get());
  EXPECT_EQ(version(), "2");
}

TEST_F(MigrationTest, AStopBreaksOffTheStepAndTheNextStartGoesOn) {
  hold();
  std::atomic<bool> stop = false;
  auto migrating = start({.stop_asked = [&] { return stop.load(); }});
  await_long_wait();
  stop = true;
  EXPECT_THAT([&] { migrating.get(); }, ThrowsMessage<StoreError>(HasSubstr("the next start goes on")));
  // The server has broken it off as well.
  await_sql(
      url_,
      "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
  EXPECT_EQ(version(), "1");
  release();
  EXPECT_NO_THROW(start().get());
  EXPECT_EQ(version(), "2");
}

TEST_F(MigrationTest, ANodeThatWaitsForAnotherCanBeStopped) {
  hold();
  auto first = start();
  await_long_wait();
  std::atomic<bool> stop = false;
  auto second = start({.stop_asked = [&] { return stop.load(); }, .report_every = kOften});
  await_log("waiting for another node", second);
  stop = true;
  EXPECT_THROW(second.get(), StoreError);
  release();
  EXPECT_NO_THROW(first.get());
}

TEST_F(MigrationTest, AServerThatAnswersNobodyIsGivenUp) {
  hold();
  Proxy proxy(TestCluster::shared()->port());
  auto through = target();
  through.url = TestCluster::shared()->url_through(url_, proxy.port());
  auto migrating = std::async(std::launch::async, [&] {
    store::postgres::migrate(through, {.steps = kStepsOfATest, .report_every = kOften, .silence_max = kOften});
  });
  await_long_wait();
  EXPECT_FALSE(ended(migrating));  // it answers
  proxy.refuse_clients();
  EXPECT_THAT([&] { migrating.get(); }, ThrowsMessage<SqlError>(HasSubstr("answers nobody")));
}

// Step 8 takes away the keys that programs before it name.
class UpgradeWithAStop : public MigrationTest {
 protected:
  void SetUp() override {
    MigrationTest::SetUp();
    if (IsSkipped()) return;
    make_earlier_schema(url_, 7);
    run_sql(url_, "INSERT INTO millrace.nodes VALUES ('i', 'elder', now(), now(), '1 hour')");
  }
  std::future<std::unique_ptr<store::Store>> open(store::PostgresOptions options = {}) const {
    options.url = url_;
    options.node_id = "new";
    return std::async(std::launch::async, [options] { return store::open_postgres(options); });
  }
};

TEST_F(UpgradeWithAStop, WaitsUntilNodesWithAnEarlierVersionHaveEnded) {
  auto opening = open();
  await_log(R"("nodes":"elder")", opening);
  EXPECT_EQ(version(), "7");
  run_sql(url_, "UPDATE millrace.nodes SET gone = true");
  EXPECT_NE(opening.get(), nullptr);
  EXPECT_EQ(version(), std::to_string(store::postgres::migrations().size()));
}

TEST_F(UpgradeWithAStop, DoesNotWaitForANodeThatFellSilent) {
  let_expire(url_, "elder");
  EXPECT_NE(open().get(), nullptr);
}

TEST_F(UpgradeWithAStop, CanBeStoppedWhileItWaits) {
  std::atomic<bool> stop = false;
  auto opening = open({.stop_asked = [&] { return stop.load(); }});
  await_log(R"("nodes":"elder")", opening);
  stop = true;
  EXPECT_THROW(opening.get(), StoreError);
  EXPECT_EQ(version(), "7");
}

TEST_F(UpgradeWithAStop, IsGivenUpOncePatienceIsOver) {
  auto opening = open({.older_nodes_patience = Millis(0)});
  EXPECT_THAT([&] { opening.get(); }, ThrowsMessage<StoreError>(HasSubstr("(elder): stop them first")));
  EXPECT_EQ(version(), "7");
}

}  // namespace
}  // namespace millrace::test
