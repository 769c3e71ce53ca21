#include "api/queue_outcomes.h"

#include <gmock/gmock.h>

#include "json/parse.h"

namespace millrace::api {
namespace {

const queue::QueueKey kQueue{TenantId::default_tenant(), kEventsQueue};

template <class Read>
auto with_json(const std::string& text, Read read) {
  const auto document = json::parse(text);
  EXPECT_TRUE(document.has_value()) << text;
  return read(document->root());
}

Result<shard::Outcome> outcome(const std::string& text, Verdict verdict = Verdict::fail) {
  return with_json(text, [&](json::Value body) { return read_outcome(body, ItemId{7}, verdict); });
}

Result<SettleRequest> settle(const std::string& text) {
  return with_json(text, [&](json::Value body) { return read_settle(body, kQueue, QueueSettings{}); });
}

// S4.5, S4.6
TEST(Outcome, TakesTheSeedsFields) {
  const Result<shard::Outcome> failed =
      outcome(R"({"worker_id":"w:1","execution_time_ms":5000,"status_code":500,"error_message":"no",
                  "lease_token":"00000000000000ff","attempt":2})");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->holder.item, ItemId{7});
  EXPECT_EQ(failed->holder.worker, "w:1");
  EXPECT_EQ(failed->holder.token, LeaseToken{255});
  EXPECT_EQ(failed->holder.attempt, 2u);
  EXPECT_FALSE(failed->success);
  EXPECT_EQ(failed->status_code, 500);
  EXPECT_EQ(failed->execution_time_ms, 5000);
  EXPECT_EQ(failed->error_message, "no");
  EXPECT_TRUE(outcome(R"({"worker_id":"w"})", Verdict::complete)->success);
}

TEST(Outcome, WrongFieldsAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "worker_id"},
      {R"({"worker_id":""})", "worker_id"},
      {R"({"worker_id":5})", "worker_id"},
      {R"({"worker_id":"w","status_code":"200"})", "status_code"},
      {R"({"worker_id":"w","status_code":2147483648})", "status_code"},
      {R"({"worker_id":"w","execution_time_ms":-1})", "execution_time_ms"},
      {R"({"worker_id":"w","execution_time_ms":1.5})", "execution_time_ms"},
      {R"({"worker_id":"w","error_message":5})", "error_message"},
      {R"({"worker_id":"w","lease_token":"xyz"})", "lease_token"},
      {R"({"worker_id":"w","lease_token":5})", "lease_token"},
      {R"({"worker_id":"w","attempt":0})", "attempt"},
  };
  for (const auto& [text, field] : cases) {
    const Result<shard::Outcome> read = outcome(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Errc::invalid) << text;
    EXPECT_EQ(read.error().field, field) << text;
  }
}

// S4.16
TEST(Settle, TakesABareArray) {
  const Result<SettleRequest> request =
      settle(R"([{"id":1,"worker_id":"a","action":"complete"},{"id":2,"worker_id":"b","action":"fail"}])");
  ASSERT_TRUE(request);
  ASSERT_EQ(request->outcomes.size(), 2u);
  EXPECT_TRUE(request->outcomes[0].success);
  EXPECT_EQ(request->outcomes[1].holder.worker, "b");
  EXPECT_FALSE(request->claim);
}

// S4.16
TEST(Settle, TheObjectsWorkerIsEveryEntrysThatNamesNone) {
  const Result<SettleRequest> request =
      settle(R"({"worker_id":"w","settle":[{"id":1,"action":"complete"},{"id":2,"worker_id":"x","action":"fail"}],
                 "claim":{"tags":["a"],"limit":5,"wait":3}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->outcomes[0].holder.worker, "w");
  EXPECT_EQ(request->outcomes[1].holder.worker, "x");
  ASSERT_TRUE(request->claim);
  EXPECT_EQ(request->claim->worker, "w");
  EXPECT_EQ(request->claim->limit, 5u);
  EXPECT_EQ(request->claim->wait, Millis(3000));
}

TEST(Settle, MayOnlyClaim) {
  const Result<SettleRequest> request = settle(R"({"worker_id":"w","claim":{"tags":"a,b"}})");
  ASSERT_TRUE(request);
  EXPECT_THAT(request->claim->tags, testing::ElementsAre("a", "b"));
  EXPECT_EQ(request->claim->limit, 1u);
}

TEST(Settle, WrongFieldsAreNamedWithTheirElement) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([5])", "[0]"},
      {R"([{"id":1,"action":"complete"}])", "[0].worker_id"},
      {R"([{"id":0,"worker_id":"w","action":"complete"}])", "[0].id"},
      {R"([{"id":"1","worker_id":"w","action":"complete"}])", "[0].id"},
      {R"([{"id":1,"worker_id":"w","action":"done"}])", "[0].action"},
      {R"([{"id":1,"worker_id":"w"}])", "[0].action"},
      {R"({})", "settle"},
      {R"({"settle":{}})", "settle"},
      {R"({"settle":[{"id":1,"worker_id":"w","action":"fail","attempt":0}]})", "settle[0].attempt"},
      {R"({"settle":[],"claim":{"tags":"a"}})", "worker_id"},
      {R"({"worker_id":"w","claim":{}})", "claim.tags"},
      {R"({"worker_id":"w","claim":{"tags":"a","limit":101}})", "claim.limit"},
      {R"({"worker_id":"w","claim":{"tags":"a","wait":21}})", "claim.wait"},
  };
  for (const auto& [text, field] : cases) {
    const Result<SettleRequest> read = settle(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Errc::invalid) << text;
    EXPECT_EQ(read.error().field, field) << text;
  }
}

// S4.8
TEST(ItemIdInPath, OnlyPlainPositiveNumbersBelow2To53AreIds) {
  EXPECT_EQ(parse_item_id("1"), ItemId{1});
  EXPECT_EQ(parse_item_id("9007199254740991"), ItemId{kIdMax});
  for (const char* text : {"", "0", "-1", "+1", "1e3", "1.0", "007", "abc", "1a", " 1", "9007199254740992",
                           "99999999999999999999999999"}) {
    EXPECT_EQ(parse_item_id(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace millrace::api
