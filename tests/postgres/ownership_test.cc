// Who owns the shards: standby, takeover, fencing.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <future>

#include "postgres/samples.h"
#include "postgres/suspension.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

using store::Fate;
using testing::ElementsAre;

class OwnershipTest : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
  }
  std::unique_ptr<store::Store> open(const std::string& node) { return store::open_postgres(quiet_node(url_, node)); }
  store::PostgresOptions unique_node(const std::string& node, Millis heartbeat) {
    return {.url = url_,
            .node_id = node,
            .name_is_unique = true,
            .heartbeat = heartbeat,
            .node_ttl = std::chrono::hours(2)};
  }
  // One that never beats, unless told otherwise.
  std::unique_ptr<store::Store> open_unique(const std::string& node, Millis heartbeat = std::chrono::hours(1)) {
    return store::open_postgres(unique_node(node, heartbeat));
  }
  static auto refuses(const std::string& why) {
    return testing::ThrowsMessage<store::StoreError>(testing::HasSubstr(why));
  }
  // Acquires in the background; returns once the node waits for its turn.
  std::future<std::optional<Epoch>> stand_by(store::Store& store, const std::string& node,
                                             const std::stop_token& stop = {}) {
    auto standing = std::async(std::launch::async, [&store, stop] { return store.acquire(stop); });
    await_sql(url_, "SELECT count(*) = 1 FROM millrace.nodes WHERE node = '" + node + "'");
    return standing;
  }
  std::string url_;
};

TEST_F(OwnershipTest, EachAcquireGivesAHigherEpochAndFencesTheFormer) {
  auto store = open("a");
  const Epoch first = acquire(*store);
  const Epoch second = acquire(*store);
  EXPECT_GT(second, first);
  EXPECT_EQ(fate_of_commit(*store, first, batch_of({new_item(1)})), Fate::fenced);
  EXPECT_EQ(fate_of_commit(*store, second, batch_of({new_item(1)})), std::nullopt);
  EXPECT_EQ(query_text(url_, "SELECT count(DISTINCT epoch) || ' ' || count(*) FROM millrace.shard_leases"), "1 1025");
}

TEST_F(OwnershipTest, AStandbyWaitsWhileTheOwnerLives) {
  auto owner = open("a");
  acquire(*owner);
  auto standby = open("b");
  std::stop_source stop;
  auto standing = stand_by(*standby, "b", stop.get_token());
  // Looked at the owner at least once: the standby's connection is idle again after its question.
  await_sql(url_,
            "SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle' "
            "AND query LIKE '%heartbeat + n.ttl%'");
  EXPECT_EQ(standing.wait_for(Millis(0)), std::future_status::timeout);
  stop.request_stop();
  EXPECT_EQ(standing.get(), std::nullopt);
}

TEST_F(OwnershipTest, AStandbyTakesOverFromAnOwnerThatFellSilentAndFencesIt) {
  auto owner = open("a");
  const Epoch old_epoch = acquire(*owner);
  commit(*owner, old_epoch, batch_of({new_item(1)}));
  auto standby = open("b");
  auto standing = stand_by(*standby, "b");

  let_expire(url_, "a");
  const Epoch new_epoch = standing.get().value();
  EXPECT_GT(new_epoch, old_epoch);
  EXPECT_EQ(fate_of_commit(*owner, old_epoch, batch_of({new_item(2)})), Fate::fenced);
  commit(*standby, new_epoch, batch_of({new_item(3)}));
  EXPECT_THAT(live_ids(*standby), ElementsAre(1, 3));
}

// As a node does that was stopped for a while and has nothing to commit.
TEST_F(OwnershipTest, AnOwnerLearnsFromItsHeartbeatThatItsShardsWereTaken) {
  auto owner = store::open_postgres({.url = url_, .node_id = "a", .heartbeat = Millis(20)});
  EXPECT_FALSE(owner->owns());
  acquire(*owner);
  EXPECT_TRUE(owner->owns());
  run_sql(url_, "UPDATE millrace.shard_leases SET instance = 'another', epoch = epoch + 1");
  while (owner->owns()) std::this_thread::yield();
  acquire(*owner);
  EXPECT_TRUE(owner->owns());
  owner->release();
  EXPECT_FALSE(owner->owns());
}

// Before its heartbeat comes to say so: whoever asks first after the sleep must not get an answer of the past.
TEST_F(OwnershipTest, AnOwnerOnAMachineThatWasSuspendedIsNotSureOfItsShards) {
  auto owner = open("a");
  const Epoch epoch = acquire(*owner);
  EXPECT_TRUE(owner->owns());
  suspend_machine(std::chrono::hours(3));
  EXPECT_FALSE(owner->owns());
  EXPECT_EQ(fate_of_commit(*owner, epoch, batch_of({new_item(1)})), Fate::fenced);
  acquire(*owner);
  EXPECT_TRUE(owner->owns());
}

TEST_F(OwnershipTest, AnOwnerWhoseNodeWasForgottenOwnsNothing) {
  auto owner = store::open_postgres({.url = url_, .node_id = "a", .heartbeat = Millis(20)});
  acquire(*owner);
  run_sql(url_, "DELETE FROM millrace.nodes");
  while (owner->owns()) std::this_thread::yield();
}

TEST_F(OwnershipTest, AStandbyTakesOverFromAnOwnerThatDiedWithoutGoodbye) {
  auto owner = store::open_postgres({.url = url_, .node_id = "a", .heartbeat = Millis(50), .node_ttl = Millis(400)});
  const Epoch epoch = acquire(*owner);
  commit(*owner, epoch, batch_of({new_item(1)}));
  auto standby = open("b");
  auto standing = stand_by(*standby, "b");
  owner.reset();
  EXPECT_GT(standing.get().value(), epoch);
  EXPECT_THAT(live_ids(*standby), ElementsAre(1));
}

TEST_F(OwnershipTest, AReleasedNodeIsFollowedAtOnce) {
  auto owner = open("a");
  const Epoch epoch = acquire(*owner);
  auto standby = open("b");
  auto standing = stand_by(*standby, "b");
  owner->release();
  EXPECT_GT(standing.get().value(), epoch);
}

TEST_F(OwnershipTest, ARestartedNodeDoesNotWaitForItsFormerSelf) {
  auto store = open("a");
  const Epoch epoch = acquire(*store);
  store.reset();
  store = open("a");
  EXPECT_GT(acquire(*store), epoch);
}

TEST_F(OwnershipTest, ATwinWithTheSameNameWaitsLikeAnyOther) {
  auto store = open("a");
  const Epoch epoch = acquire(*store);
  auto twin = open("a");
  std::stop_source stop;
  auto standing = std::async(std::launch::async, [&] { return twin->acquire(stop.get_token()); });
  await_sql(url_, "SELECT count(*) = 2 FROM millrace.nodes");
  commit(*store, epoch, batch_of({new_item(1)}));
  stop.request_stop();
  EXPECT_EQ(standing.get(), std::nullopt);
}

TEST_F(OwnershipTest, ASecondProgramOfAUniqueNameIsRefusedWhileTheFirstLives) {
  auto owner = open_unique("a", Millis(20));
  acquire(*owner);
  auto standby = open_unique("b", Millis(20));
  for (const char* name : {"a", "b"}) {
    EXPECT_THAT([&] { open_unique(name, Millis(20)); }, refuses(fmt::format("as node \"{}\", since 20", name)));
  }
  EXPECT_TRUE(owner->owns());
  EXPECT_EQ(query_text(url_, "SELECT string_agg(node, ' ' ORDER BY node) FROM millrace.nodes WHERE NOT gone"), "a b");
}

// Killed, and started again at once.
TEST_F(OwnershipTest, AUniqueNameIsFreeWithTheConnectionsOfWhoeverHadIt) {
  auto store = open_unique("a");
  const Epoch epoch = acquire(*store);
  store.reset();
  store = open_unique("a");
  EXPECT_GT(acquire(*store), epoch);
}

TEST_F(OwnershipTest, AUniqueNameIsFreeOnceItsProgramCountsAsDead) {
  auto silent = open_unique("a");
  auto next = std::async(std::launch::async, [&] { return open_unique("a"); });
  await_sql(url_, "SELECT count(*) = 2 FROM millrace.nodes");
  let_expire(url_, "a");
  EXPECT_NE(next.get(), nullptr);
}

TEST_F(OwnershipTest, AUniqueNameIsNoLongerAskedForOnceAStopIsWanted) {
  auto silent = open_unique("a");
  store::PostgresOptions options = unique_node("a", std::chrono::hours(1));
  options.stop_asked = [] { return true; };
  EXPECT_THAT([&] { store::open_postgres(options); }, refuses("stopped"));
}

TEST_F(OwnershipTest, OnlyOneOfManyStandbysGetsTheShards) {
  auto owner = open("a");
  acquire(*owner);
  std::vector<std::unique_ptr<store::Store>> standbys;
  std::vector<std::future<std::optional<Epoch>>> standing;
  std::stop_source stop;
  for (int i = 0; i < 4; ++i) {
    const std::string node = "b" + std::to_string(i);
    standbys.push_back(open(node));
    standing.push_back(stand_by(*standbys.back(), node, stop.get_token()));
  }
  owner->release();
  await_sql(url_, "SELECT node LIKE 'b%' FROM millrace.shard_leases WHERE shard = 0");
  stop.request_stop();
  int winners = 0;
  for (auto& answer : standing) winners += answer.get().has_value() ? 1 : 0;
  EXPECT_EQ(winners, 1);
}

TEST_F(OwnershipTest, TheHeartbeatGoesOnByItself) {
  auto store = store::open_postgres({.url = url_, .node_id = "a", .heartbeat = Millis(20)});
  acquire(*store);
  await_sql(url_, "SELECT heartbeat > started + interval '60 milliseconds' FROM millrace.nodes");
}

TEST_F(OwnershipTest, ANodeWhoseHeartbeatFailsCountsItselfAsDead) {
  auto store = store::open_postgres({.url = url_, .node_id = "a", .heartbeat = Millis(20), .node_ttl = Millis(200)});
  const Epoch epoch = acquire(*store);
  store::postgres::Connection holder({.url = url_, .application_name = "test"});
  holder.script("BEGIN; SELECT * FROM millrace.nodes FOR UPDATE");
  std::optional<Fate> fate;
  for (std::uint64_t id = 1; !fate; ++id) fate = fate_of_commit(*store, epoch, batch_of({new_item(id)}));
  EXPECT_EQ(fate, Fate::fenced);
}

}  // namespace
}  // namespace millrace::test
