// Who works on a queue, as the calls show it (S4.11).
#include <gmock/gmock.h>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const Workers& answer) {
  std::vector<std::string> out;
  for (const WorkerState& worker : answer.workers) out.push_back(worker.worker);
  return out;
}

// S4.11
TEST(Workers, AreKnownByTheirCallsAndWhatTheyHold) {
  ShardUnderTest shard;
  add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}, "busy:1"));
  take_items(shard, claim_of({"a"}, "idle:2"));
  const auto workers = shard.expect<Workers>(ListWorkers{test_queue()}).workers;
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[0].worker, "busy:1");
  EXPECT_EQ(workers[0].held, 1u);
  EXPECT_EQ(workers[1].held, 0u);
}

// S4.15: what is kept of workers does not grow with the number that ever came.
TEST(Workers, ThatWereNotSeenForLongAreForgottenInTheStoreToo) {
  ShardUnderTest shard(ShardOptions{.worker_memory = std::chrono::hours(24)});
  for (int i = 0; i < 1500; ++i) take_items(shard, claim_of({"a"}, "gone:" + std::to_string(i)));
  add(shard, new_item({"a"}));
  Claim long_lease = claim_of({"a"}, "holds:1");
  long_lease.lease = std::chrono::hours(48);
  ASSERT_EQ(take_items(shard, long_lease).size(), 1u);
  EXPECT_EQ(shard.workers.size(), 1501u);
  shard.reload();
  shard.now += std::chrono::hours(25);
  take_items(shard, claim_of({"a"}, "new:1"));
  take_items(shard, claim_of({"a"}, "new:1"));  // a commit drops a bounded number
  EXPECT_EQ(shard.workers.size(), 2u);
  EXPECT_TRUE(shard.workers.contains({test_queue(), "holds:1"}));
  EXPECT_EQ(shard.expect<Workers>(ListWorkers{test_queue()}).workers.size(), 2u);
}

// S4.11
TEST(Workers, AreListedById) {
  ShardUnderTest shard;
  const queue::QueueKey other{TenantId::default_tenant(), "events2"};
  for (const char* worker : {"c", "a", "e", "b", "d"}) take_items(shard, claim_of({"a"}, worker));
  shard.expect<Claimed>(Claim{.queue = other, .tags = {"a"}, .worker = "z"});
  const auto first = shard.expect<Workers>(ListWorkers{.queue = test_queue(), .limit = 2});
  EXPECT_THAT(names(first), ElementsAre("a", "b"));
  EXPECT_TRUE(first.more);
  const auto rest = shard.expect<Workers>(ListWorkers{.queue = test_queue(), .after = "b", .limit = 3});
  EXPECT_THAT(names(rest), ElementsAre("c", "d", "e"));
  EXPECT_FALSE(rest.more);
}

// S4.11: one that waits in a long poll is there, however short a lease is.
TEST(Workers, AreSeenForAsLongAsTheirClaimWaits) {
  ShardUnderTest shard;
  Claim claim = claim_of({"a"}, "waits");
  claim.wait = std::chrono::seconds(20);
  const auto last_seen = [&] { return shard.expect<Workers>(ListWorkers{test_queue()}).workers.at(0).last_seen; };

  shard.run(claim);
  shard.advance(std::chrono::seconds(19));
  EXPECT_EQ(last_seen(), shard.now);
  shard.advance(std::chrono::seconds(1));
  const Time timed_out = shard.now;
  shard.advance(std::chrono::seconds(5));
  EXPECT_EQ(last_seen(), timed_out);

  shard.run(claim);
  const RequestId waiting = shard.last_request();
  shard.advance(std::chrono::seconds(10));
  shard.run(EndWait{waiting});
  const Time left = shard.now;
  shard.advance(std::chrono::seconds(5));
  EXPECT_EQ(last_seen(), left);

  shard.run(claim);
  shard.advance(std::chrono::seconds(10));
  add(shard, new_item({"a"}));
  const Time served = shard.now;
  shard.advance(std::chrono::seconds(5));
  EXPECT_EQ(last_seen(), served);
}

// S4.11: as docs/limits.md says. A sign of life is no write of its own, unless ten seconds have passed.
TEST(Workers, AreSeenAfterARestartAsTheirItemsSayOrSecondsBefore) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}, "holds"));
  take_items(shard, claim_of({"b"}, "idle"));
  const Time stored = shard.now;
  shard.advance(std::chrono::seconds(9));
  shard.expect<Touched>(
      Touch{.queue = test_queue(), .holder = {.item = id, .worker = "holds"}, .kind = Touch::Kind::heartbeat});
  take_items(shard, claim_of({"b"}, "idle"));
  const auto seen = [&](std::size_t i) {
    return shard.expect<Workers>(ListWorkers{test_queue()}).workers.at(i).last_seen;
  };
  EXPECT_EQ(seen(0), shard.now);
  EXPECT_EQ(seen(1), shard.now);
  shard.reload();
  EXPECT_EQ(seen(0), shard.now) << "of its item";
  EXPECT_EQ(seen(1), stored);
  shard.advance(std::chrono::seconds(1));
  take_items(shard, claim_of({"b"}, "idle"));
  const Time later = shard.now;
  shard.reload();
  EXPECT_EQ(seen(1), later);
}

// S4.11: whoever never asked for work and never had any is none.
TEST(Workers, AreNotThoseWhoWereOnlyRefused) {
  ShardUnderTest shard;
  const ItemId id = add(shard, new_item({"a"}));
  take_items(shard, claim_of({"a"}, "holds"));
  EXPECT_FALSE(settle(shard, settle_of(id, true, "stranger")));
  EXPECT_FALSE(settle(shard, settle_of(ItemId{99}, true, "stranger")));
  shard.run(Touch{.queue = test_queue(), .holder = {.item = id, .worker = "stranger"}});
  EXPECT_THAT(names(shard.expect<Workers>(ListWorkers{test_queue()})), ElementsAre("holds"));
  // One that is known is heard of all the same.
  shard.advance(std::chrono::seconds(5));
  EXPECT_FALSE(settle(shard, settle_of(ItemId{99}, true, "holds")));
  EXPECT_EQ(shard.expect<Workers>(ListWorkers{test_queue()}).workers.at(0).last_seen, shard.now);
}

}  // namespace
}  // namespace millrace::shard
