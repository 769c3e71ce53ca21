#include "api/queue_new_items.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/digest.h"
#include "json/parse.h"

namespace millrace::api {
namespace {

using testing::HasSubstr;

const Time kNow = time_from_ms(1'700'000'000'000);

Result<CreateRequest> read(const std::string& text, const QueueSettings& settings = {}) {
  const auto document = json::parse(text);
  EXPECT_TRUE(document.has_value()) << text;
  return read_create(document->root(), settings, kNow);
}

shard::NewItem read_one(const std::string& text, const QueueSettings& settings = {}) {
  Result<CreateRequest> request = read(text, settings);
  EXPECT_TRUE(request.has_value()) << text;
  return std::move(request->items.at(0));
}

// S4.1
TEST(NewItem, HasTheSeedsDefaults) {
  const shard::NewItem item = read_one(R"({"title":"T"})");
  EXPECT_EQ(item.body->title, "T");
  EXPECT_EQ(item.body->description, std::nullopt);
  EXPECT_EQ(item.body->tags, "");
  EXPECT_EQ(item.body->payload, "null");
  EXPECT_EQ(item.max_retries, 3u);
  EXPECT_EQ(item.priority, 0);
  EXPECT_EQ(item.run_at, std::nullopt);
  EXPECT_EQ(item.retry, queue::RetryPolicy{});
}

// S4.1
TEST(NewItem, TakesEveryField) {
  const shard::NewItem item = read_one(R"({"title":"T","description":"D","tags":"b, a","payload":{ "x" : [1, 2] },
      "max_retries":0,"priority":-5,"run_at":"2023-11-15T00:00:00Z","idempotency_key":"k",
      "backoff":{"kind":"exponential","seconds":1.5,"max_seconds":60,"jitter":true}})");
  EXPECT_EQ(item.body->description, "D");
  EXPECT_EQ(item.body->tags, "b,a");
  EXPECT_THAT(item.tags, testing::ElementsAre("a", "b"));
  EXPECT_EQ(item.body->payload, R"({"x":[1,2]})");
  EXPECT_EQ(item.max_retries, 0u);
  EXPECT_EQ(item.priority, -5);
  EXPECT_EQ(format_time(*item.run_at), "2023-11-15T00:00:00.000Z");
  EXPECT_EQ(item.idempotency_key, "k");
  EXPECT_EQ(item.retry.kind, queue::Backoff::exponential);
  EXPECT_EQ(item.retry.base, Millis(1500));
  EXPECT_EQ(item.retry.cap, Millis(60'000));
  EXPECT_TRUE(item.retry.jitter);
}

// S4.1
TEST(NewItem, TagsMayBeAnArray) {
  const shard::NewItem item = read_one(R"({"title":"T","tags":["b","a","b"]})");
  EXPECT_EQ(item.body->tags, "b,a");
}

// S4.12
TEST(NewItem, WrongFieldsAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "title"},
      {R"({"title":""})", "title"},
      {R"({"title":"  "})", "title"},
      {R"({"title":null})", "title"},
      {R"({"title":7})", "title"},
      {R"({"title":"T","description":7})", "description"},
      {R"({"title":"T","tags":7})", "tags"},
      {R"({"title":"T","tags":["a",7]})", "tags[1]"},
      {R"({"title":"T","tags":["a,b"]})", "tags"},
      {R"({"title":"T","max_retries":-1})", "max_retries"},
      {R"({"title":"T","max_retries":1001})", "max_retries"},
      {R"({"title":"T","max_retries":1.5})", "max_retries"},
      {R"({"title":"T","max_retries":"3"})", "max_retries"},
      {R"({"title":"T","priority":1000001})", "priority"},
      {R"({"title":"T","run_at":"tomorrow"})", "run_at"},
      {R"({"title":"T","run_at":"2999-01-01T00:00:00Z"})", "run_at"},
      {R"({"title":"T","idempotency_key":""})", "idempotency_key"},
      {R"({"title":"T","backoff":5})", "backoff"},
      {R"({"title":"T","backoff":{"kind":"linear"}})", "backoff.kind"},
      {R"({"title":"T","backoff":{"seconds":-1}})", "backoff.seconds"},
      {R"({"title":"T","backoff":{"seconds":"5"}})", "backoff.seconds"},
      {R"({"title":"T","backoff":{"seconds":10,"max_seconds":5}})", "backoff.max_seconds"},
      {R"({"title":"T","backoff":{"jitter":1}})", "backoff.jitter"},
  };
  for (const auto& [text, field] : cases) {
    const Result<CreateRequest> request = read(text);
    ASSERT_FALSE(request) << text;
    EXPECT_EQ(request.error().code, Errc::invalid) << text;
    EXPECT_EQ(request.error().field, field) << text;
    EXPECT_THAT(request.error().detail, HasSubstr(field)) << text;
  }
}

TEST(NewItem, ATimeBefore1970IsRefusedAsSuch) {
  for (const char* time : {"1969-12-31T23:59:59.999Z", "1970-01-01T00:30:00+01:00", "0001-01-01T00:00:00Z"}) {
    const Result<CreateRequest> request = read(fmt::format(R"({{"title":"T","run_at":"{}"}})", time));
    ASSERT_FALSE(request) << time;
    EXPECT_EQ(request.error().detail, "\"run_at\" must not be before 1970");
  }
  EXPECT_TRUE(read(R"({"title":"T","run_at":"1970-01-01T00:00:00Z"})"));
  EXPECT_THAT(read(R"({"title":"T","run_at":"1969-13-01T00:00:00Z"})").error().detail, HasSubstr("a time like"));
}

// S4.12: the limit counts compact JSON, and the refusal says limit and size.
TEST(NewItem, PayloadLimitCountsCompactBytes) {
  QueueSettings settings;
  settings.payload_bytes_max = 10;
  EXPECT_TRUE(read(R"({"title":"T","payload":[ 1, 2,    3,4 ]})", settings));  // [1,2,3,4] has 9
  EXPECT_TRUE(read(R"({"title":"T","payload":"12345678"})", settings));
  const Result<CreateRequest> refused = read(R"({"title":"T","payload":"123456789"})", settings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::too_large);
  EXPECT_THAT(refused.error().detail, HasSubstr("11 bytes"));
  EXPECT_THAT(refused.error().detail, HasSubstr("10 bytes"));
}

// S4.16
TEST(NewItems, ErrorsInAnArrayNameTheElement) {
  const Result<CreateRequest> request = read(R"([{"title":"A"},{"title":"B"},{"title":"C"},{"title":5}])");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().field, "[3].title");
}

// S4.16
TEST(NewItems, AnArrayHasOneToAThousand) {
  EXPECT_EQ(read("[]").error().code, Errc::invalid);
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += R"({"title":"T"},)";
  many.back() = ']';
  EXPECT_EQ(read(many)->items.size(), 1000u);
  many.back() = ',';
  EXPECT_EQ(read(many + R"({"title":"T"}])").error().code, Errc::invalid);
}

TEST(NewItems, ABodyThatIsNoObjectIsRefused) {
  for (const char* text : {"5", "null", R"("x")", "[5]", "[[]]"}) {
    EXPECT_EQ(read(text).error().code, Errc::invalid) << text;
  }
}

// The same request again is told from another one.
TEST(Fingerprint, DependsOnEveryFieldButNotOnSpelling) {
  const std::string base =
      read_one(R"({"idempotency_key":"k","title":"T","tags":"a,b","payload":{"x":1}})").fingerprint;
  EXPECT_EQ(read_one(R"({"title":"T", "payload": { "x": 1 },"tags":["a","b"],"idempotency_key":"k"})").fingerprint,
            base);
  for (const char* other : {
           R"({"idempotency_key":"k","title":"U","tags":"a,b","payload":{"x":1}})",
           R"({"idempotency_key":"k","title":"T","description":"","tags":"a,b","payload":{"x":1}})",
           R"({"idempotency_key":"k","title":"T","tags":"a","payload":{"x":1}})",
           R"({"idempotency_key":"k","title":"T","tags":"a,b","payload":{"x":2}})",
           R"({"idempotency_key":"k","title":"T","tags":"a,b","payload":{"x":1},"max_retries":4})",
           R"({"idempotency_key":"k","title":"T","tags":"a,b","payload":{"x":1},"priority":1})",
           R"({"idempotency_key":"k","title":"T","tags":"a,b","payload":{"x":1},"run_at":"2023-11-15T00:00:00Z"})",
           R"({"idempotency_key":"k","title":"T","tags":"a,b","payload":{"x":1},"backoff":{"seconds":1}})",
       }) {
    EXPECT_NE(read_one(other).fingerprint, base) << other;
  }
}

// S4.1: what the server's options say is none of the sender's words.
TEST(Fingerprint, IsTheSameUnderOtherOptionsOfTheServer) {
  QueueSettings other;
  other.backoff = {.kind = queue::Backoff::exponential,
                   .jitter = true,
                   .base = std::chrono::seconds(7),
                   .cap = std::chrono::hours(9)};
  other.overflow_bytes = 1024;
  for (const char* body : {
           R"({"idempotency_key":"k","title":"T"})",
           R"({"idempotency_key":"k","title":"T","backoff":{}})",
           R"({"idempotency_key":"k","title":"T","backoff":{"seconds":1}})",
           R"({"idempotency_key":"k","title":"T","backoff":{"kind":"exponential"}})",
           R"({"idempotency_key":"k","title":"T","backoff":{"jitter":true,"max_seconds":3600}})",
       }) {
    EXPECT_EQ(read_one(body, other).fingerprint, read_one(body).fingerprint) << body;
  }
  EXPECT_EQ(read_one(R"({"title":"T","backoff":{"kind":"fixed"}})", other).retry.base, std::chrono::seconds(7));
}

// S4.1: on another server "none" would mean something else.
TEST(Fingerprint, TellsADefaultThatIsSaidFromNone) {
  const std::string none = read_one(R"({"idempotency_key":"k","title":"T"})").fingerprint;
  for (const char* said :
       {R"({"kind":"fixed"})", R"({"seconds":300})", R"({"max_seconds":3600})", R"({"jitter":false})",
        R"({"kind":"fixed","seconds":300,"max_seconds":3600,"jitter":false})"}) {
    const std::string body = std::string(R"({"idempotency_key":"k","title":"T","backoff":)") + said + "}";
    EXPECT_NE(read_one(body).fingerprint, none) << said;
  }
}

// S4.1: what is stored for a key is compared with what a later version makes of the same request.
TEST(Fingerprint, StaysWhatItIs) {
  EXPECT_EQ(to_hex(read_one(R"({"idempotency_key":"k","title":"T","tags":"a","payload":{"x":1}})").fingerprint),
            "aec1850112ffc6513e993c4cd3f32de3ec86438ae8f4f7d4cadd4b81877f3025");
}

// S4.16
TEST(NewItems, AKeyInAnArrayIsNamedByItsPlace) {
  const Result<CreateRequest> request = read(R"([{"title":"A"},{"title":"B","idempotency_key":"k"}])");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->items[1].key_field, "[1].idempotency_key");
  EXPECT_EQ(read_one(R"({"title":"B","idempotency_key":"k"})").key_field, "idempotency_key");
}

}  // namespace
}  // namespace millrace::api
