// Events and items with large payloads through the endpoints, and what the sweep leaves of their blobs (S0.9, S4.13).
#include "api/blob_sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "api/access.h"
#include "api/events.h"
#include "api/policy_book.h"
#include "api/queue.h"
#include "api/services.h"
#include "async/block_on.h"
#include "base/unavailable.h"
#include "blob/memory_store.h"
#include "store/memory/memory_store.h"

namespace millrace::api {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const TenantId kTenant = TenantId::default_tenant();
const std::string kLarge(300'000, 'x');
const std::string kLongId(240, '/');  // its key holds a digest of it

// One of the blobs and their sweep, another of the engine.
class SteppingClock final : public Clock {
 public:
  Time now() const override { return SystemClock().now() + Millis(ahead_.load()); }
  void advance(Millis by) { ahead_ += by.count(); }

 private:
  std::atomic<std::int64_t> ahead_ = 0;
};

class LargePayloads : public testing::Test {
 protected:
  void SetUp() override {
    engine_.start();
    while (engine_.state() != engine::State::ready) std::this_thread::yield();
  }
  void TearDown() override { engine_.stop(); }

  Answer call(Async<Answer> (*operation)(Services&, http::Request&), std::string body,
              const std::string& content_type = "application/json") {
    http::Request request;
    request.head.fields.push_back({"Content-Type", content_type});
    request.body = std::move(body);
    request.principal = std::make_shared<Caller>(kTenant, Scopes::all(), "test");
    return async::block_on(io_.at(0), operation(services_, request));
  }
  int publish(const std::string& id, const std::string& output, const std::string& more = "") {
    const std::string body =
        fmt::format(R"({{"type":"t","eventId":"{}",{}"data":{{"output":"{}"}}}})", id, more, output);
    return call(publish_events, body)->status;
  }
  // The time to live of an event that is gone before the sweep looks.
  std::string ttl(minutes after) { return fmt::format(R"("ttl":{},)", to_ms(clock_.now() + after) / 1000); }
  std::string cloud_ttl(minutes after) { return fmt::format(R"("mrttl":"{}",)", to_ms(clock_.now() + after) / 1000); }
  std::size_t events_held() { return store_.event_log(*engine_.shard_of(kTenant), {.tenant = kTenant}).events.size(); }
  int publish_cloud(const std::string& id, const std::string& source, const std::string& more = "") {
    const std::string body =
        fmt::format(R"({{"specversion":"1.0","type":"t","id":"{}","source":"{}",{}"data":{{"output":"{}"}}}})", id,
                    source, more, kLarge);
    return call(publish_events, body, "application/cloudevents+json")->status;
  }
  int create() { return call(create_items, fmt::format(R"({{"title":"T","payload":"{}"}})", kLarge))->status; }

  // Rounds until every blob was looked at.
  std::size_t sweep() {
    std::size_t removed = 0;
    for (int i = 0; i < 3; ++i) removed += sweep_.round();
    return removed;
  }

  SteppingClock clock_;
  SteppingClock later_;
  store::MemoryStore store_;
  blob::MemoryStore blobs_{later_};
  async::IoThreads io_{1};
  async::ThreadPool readers_{1};
  http::Metrics metrics_;
  engine::EngineOptions engine_options_{.event_retention = hours(48)};
  engine::Engine engine_{store_, clock_, engine_options_, [](const std::string&) {}};
  Tenants tenants_{engine_, clock_};
  PolicyBook policies_{engine_};
  Services services_{.engine = engine_,
                     .tenants = tenants_,
                     .policies = policies_,
                     .readers = readers_,
                     .blobs = {.store = blobs_, .threads = readers_, .events = {.bucket = "memory"}},
                     .metrics = metrics_,
                     .clock = clock_,
                     .queue = {},
                     .version = "test"};
  BlobSweep sweep_{engine_, blobs_, later_};
};

TEST_F(LargePayloads, NothingIsAcceptedWithoutItsBlob) {  // S0.9 S4.13
  ASSERT_EQ(publish("first", "small"), 201);
  blobs_.fail_next(1);
  EXPECT_THROW(publish("e", kLarge), Unavailable);
  EXPECT_EQ(publish("e", kLarge), 201) << "so it was not a repeat";
  blobs_.fail_next(1);
  EXPECT_THROW(create(), Unavailable);
  EXPECT_EQ(blobs_.size(), 1u);
}

TEST_F(LargePayloads, WhatIsReferredToStays) {  // S0.9 S4.13
  EXPECT_EQ(publish("e", kLarge), 201);
  EXPECT_EQ(publish_cloud("same", "/a"), 201);
  EXPECT_EQ(publish_cloud("same", "/b"), 201);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(create(), 201);
  later_.advance(hours(2));
  EXPECT_EQ(sweep(), 0u);
  EXPECT_EQ(blobs_.size(), 6u);
}

TEST_F(LargePayloads, WhatNothingRefersToGoesAfterAnHour) {  // S0.9 S4.13
  EXPECT_EQ(publish("e", kLarge), 201);
  EXPECT_EQ(publish("e", kLarge + "other"), 200) << "a duplicate, whose blob has no owner";
  EXPECT_EQ(create(), 201);
  blobs_.put(kTenant, "events/r/never-appended-payload.json", "{}");
  blobs_.put(kTenant, "items/events/never-created-payload.json", "{}");
  EXPECT_EQ(blobs_.size(), 5u);
  later_.advance(minutes(59));
  EXPECT_EQ(sweep(), 0u);
  later_.advance(minutes(2));
  EXPECT_EQ(sweep(), 3u);
  EXPECT_EQ(blobs_.size(), 2u);
}

TEST_F(LargePayloads, WhatAnExpiredEventHadGoes) {  // S0.7 S0.9
  EXPECT_EQ(publish("passing", kLarge, ttl(minutes(30))), 201);
  EXPECT_EQ(publish(kLongId, kLarge, ttl(minutes(30))), 201);
  EXPECT_EQ(publish("staying", kLarge, ttl(minutes(600))), 201);
  EXPECT_EQ(publish(kLongId + "2", kLarge), 201);
  later_.advance(hours(2));
  EXPECT_EQ(sweep(), 2u);
  EXPECT_EQ(blobs_.size(), 2u);
  EXPECT_EQ(sweep(), 0u);
}

TEST_F(LargePayloads, WhatAnExpiredEventHadGoesAMinuteAfterIt) {  // S0.7 S0.9
  EXPECT_EQ(publish("passing", kLarge, ttl(minutes(5))), 201);
  EXPECT_EQ(publish_cloud("passing-too", "/a", cloud_ttl(minutes(5))), 201);
  EXPECT_EQ(publish("staying", kLarge, ttl(minutes(30))), 201);
  EXPECT_EQ(publish(kLongId, kLarge, ttl(minutes(5))), 201);
  EXPECT_EQ(create(), 201);
  blobs_.put(kTenant, "events/r/never-appended-payload.json", "{}");
  later_.advance(minutes(5));
  EXPECT_EQ(sweep(), 0u);
  later_.advance(minutes(2));
  EXPECT_EQ(sweep(), 2u);
  EXPECT_EQ(publish("passing", kLarge, ttl(minutes(30))), 200) << "a repeat, which brings the blob again";
  EXPECT_EQ(sweep(), 0u) << "of a moment ago";
  later_.advance(minutes(2));
  EXPECT_EQ(sweep(), 1u);
  EXPECT_EQ(blobs_.size(), 4u);
}

// Two sources may use one id: that one of them is gone says nothing of a command that brings the other.
TEST_F(LargePayloads, AnIdOfAnotherSourceDoesNotEndTheWait) {  // S0.9
  EXPECT_EQ(publish_cloud("same", "/a", cloud_ttl(minutes(5))), 201);
  blobs_.put(kTenant, "events/r/same~%2Fb-payload.json", "{}");
  later_.advance(minutes(10));
  EXPECT_EQ(sweep(), 1u);
  EXPECT_TRUE(blobs_.get(kTenant, "events/r/same~%2Fb-payload.json"));
}

// As long as the id is known, whoever brings it again refers to nothing; after that he may.
TEST_F(LargePayloads, AnIdThatIsAboutToBeForgottenDoesNotEndTheWait) {  // S0.9
  EXPECT_EQ(publish("passing", kLarge, ttl(minutes(5))), 201);
  const std::string key = blobs_.list("", 1).entries.front().key;
  later_.advance(hours(23) + minutes(30));
  blobs_.put(kTenant, key, *blobs_.get(kTenant, key));
  later_.advance(minutes(10));
  EXPECT_EQ(sweep(), 0u);
  later_.advance(minutes(51));
  EXPECT_EQ(sweep(), 1u);
}

TEST_F(LargePayloads, WhatAnEventPastItsRetentionHadGoes) {  // S0.7 S0.9
  EXPECT_EQ(publish("old", kLarge), 201);
  EXPECT_EQ(publish(kLongId, kLarge), 201);
  later_.advance(hours(2));
  EXPECT_EQ(sweep(), 0u);
  clock_.advance(hours(49));
  // Each command lets the engine look at its clock.
  for (int n = 0; events_held() > 1; ++n) EXPECT_EQ(publish("new", "small"), n == 0 ? 201 : 200);
  EXPECT_EQ(sweep(), 2u);
  EXPECT_EQ(blobs_.size(), 0u);
}

// Its key is a digest, so the whole log is looked through, some pages a round.
TEST_F(LargePayloads, ALongIdIsLookedForInTheWholeLog) {  // S0.9
  std::string small;
  for (int i = 0; i < 1000; ++i) small += R"({"type":"t"},)";
  small.back() = ']';
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call(publish_events, "[" + small)->status, 201);
  EXPECT_EQ(publish(kLongId, kLarge), 201);
  EXPECT_EQ(publish(kLongId, kLarge + "other"), 200) << "a duplicate, whose blob has no owner";
  later_.advance(hours(2));
  std::size_t removed = 0;
  int rounds = 0;
  for (; removed == 0 && rounds < 10; ++rounds) removed = sweep_.round();
  EXPECT_EQ(removed, 1u);
  EXPECT_GT(rounds, 1);
  EXPECT_EQ(blobs_.size(), 1u);
}

TEST_F(LargePayloads, WhatIsSomebodyElsesStays) {
  EXPECT_EQ(publish("e", "small"), 201);
  blobs_.put(kTenant, "notes.txt", "mine");
  blobs_.put(kTenant, "events/r/=00-payload.json", "not named by us");
  blobs_.put(*TenantId::parse("unknown"), "events/r/e-payload.json", "of another installation");
  later_.advance(hours(2));
  EXPECT_EQ(sweep(), 0u);
  EXPECT_EQ(blobs_.size(), 3u);
}

TEST_F(LargePayloads, ABlobThatIsNeededAgainIsNew) {  // S0.9
  EXPECT_EQ(publish("first", "small"), 201);
  blobs_.put(kTenant, "events/x/e-payload.json", "{}");
  later_.advance(hours(2));
  blobs_.put(kTenant, "events/x/e-payload.json", "{}");
  EXPECT_EQ(sweep(), 0u);
  EXPECT_EQ(blobs_.size(), 1u);
}

TEST_F(LargePayloads, ASweepThatFailsLosesNothing) {
  EXPECT_EQ(publish("e", kLarge), 201);
  blobs_.put(kTenant, "events/r/orphan-payload.json", "{}");
  later_.advance(hours(2));
  blobs_.fail_next(1);
  EXPECT_THROW(sweep_.round(), Unavailable);
  EXPECT_EQ(sweep(), 1u);
  EXPECT_EQ(blobs_.size(), 1u);
}

}  // namespace
}  // namespace millrace::api
