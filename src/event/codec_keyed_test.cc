#include "event/codec_keyed.h"

#include <gtest/gtest.h>

#include "event/codec_native.h"
#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::canonical;
using testing::member;
using testing::stored;
using testing::written;

constexpr std::string_view kStarted = R"({
  "PK": "TENANT#acme", "SK": "TIMESTAMP#1767453739640#EVENT#ddf71f63",
  "GSI1PK": "TASK#req-123", "GSI1SK": "TASK#TIMESTAMP#1767453739640",
  "GSI2PK": "APP#task-workflow", "GSI2SK": "TIMESTAMP#1767453739640",
  "GSI3PK": "APP#task-workflow", "GSI3SK": "TASK#req-123#TIMESTAMP#1767453739640",
  "GSI4PK": "EVENT#Task Processing Started", "GSI4SK": "TENANT#acme#TIMESTAMP#1767453739640",
  "GSI5PK": "EVENT#Task Processing Started", "GSI5SK": "TENANT#acme#TASK#req-123#TIMESTAMP#1767453739640",
  "GSI6PK": "EVENT#Task Processing Started", "GSI6SK": "TENANT#acme#APP#task-workflow#TIMESTAMP#1767453739640",
  "GSI7PK": "EVENT#Task Processing Started",
  "GSI7SK": "TENANT#acme#APP#task-workflow#TASK#req-123#TIMESTAMP#1767453739640",
  "entityId": "req-123", "entityType": "TASK", "tenantId": "acme", "eventType": "Task Processing Started",
  "timestamp": 1767453739640, "context": {"source": "system", "environment": "prod", "origin": "worker"},
  "properties": {"requestId": "req-123", "startedAt": 1767453739640}, "ttl": 1798992000})";

// S0.2
TEST(KeyedForm, TakesWhatASenderThatComputesAllKeysSends) {
  const auto event = accept(kStarted);
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(event->header.event_id, "ddf71f63");
  EXPECT_EQ(event->header.type, "Task Processing Started");
  EXPECT_EQ(event->header.app, "task-workflow");
  EXPECT_EQ(event->header.source, "system");
  EXPECT_EQ(event->header.entity_type, "TASK");
  EXPECT_EQ(event->header.entity_id, "req-123");
  EXPECT_EQ(event->header.time, testing::kNow);
  EXPECT_EQ(event->header.expires, time_from_ms(1'798'992'000'000));
  EXPECT_EQ(event->identity, Identity::event_id);
  EXPECT_EQ(event->header.context,
            (std::vector<ContextPair>{{"source", "system"}, {"environment", "prod"}, {"origin", "worker"}}));
}

// S0.2
TEST(KeyedForm, ComesBackWithItsKeysAndWhenItWasReceived) {
  std::string expected(kStarted);
  expected.insert(expected.size() - 1, R"(,"eventId":"ddf71f63","receivedAt":1767453739645,"correlationId":"req-1")");
  EXPECT_EQ(canonical(written(write_keyed, stored(kStarted))), canonical(expected));
}

// S0.2
TEST(KeyedForm, ComputesTheKeysThatWereLeftOut) {
  const std::string text =
      written(write_keyed,
              stored(R"({"eventType":"Store Opened","entityType":"STORE","entityId":"s-1","timestamp":1767453739640,
                 "app":"shops","eventId":"e-1","properties":{}})"));
  EXPECT_EQ(member(text, "PK"), "\"TENANT#acme\"");
  EXPECT_EQ(member(text, "SK"), "\"TIMESTAMP#1767453739640#EVENT#e-1\"");
  EXPECT_EQ(member(text, "GSI7SK"), "\"TENANT#acme#APP#shops#STORE#s-1#TIMESTAMP#1767453739640\"");
}

// S0.2
TEST(KeyedForm, RefusesEveryKeyThatContradicts) {
  const auto document = json::parse(kStarted);
  for (std::size_t i = 0; i < kIndexes; ++i) {
    for (const KeyPart part : {KeyPart::partition, KeyPart::sort}) {
      const std::string_view name = name_of(static_cast<Index>(i), part);
      std::string body(kStarted);
      const std::size_t at = body.find("\"" + std::string(name) + "\": \"") + name.size() + 5;
      // The app of an event is what GSI2PK says, so a wrong one is found by the others.
      if (name == "GSI2PK") continue;
      const std::size_t end = body.find('"', at);
      const std::string value = body.substr(at, end - at);
      body.replace(at, end - at, value.substr(0, 3) + "?" + value.substr(3));
      const auto event = accept(body);
      ASSERT_FALSE(event) << name;
      EXPECT_EQ(event.error().field, name);
      EXPECT_NE(event.error().detail.find("expected \""), std::string::npos);
      EXPECT_NE(event.error().detail.find("seen \"" + value.substr(0, 3) + "?"), std::string::npos);
    }
  }
}

TEST(KeyedForm, NamesTheRequiredFieldThatIsMissing) {
  EXPECT_EQ(accept(R"({"eventType":"t","entityId":"1"})").error().detail, "\"entityType\" is required");
  EXPECT_EQ(accept(R"({"eventType":"t","entityType":"T"})").error().detail, "\"entityId\" is required");
  EXPECT_EQ(accept(R"({"properties":{}})").error().detail, "\"eventType\" is required");
}

TEST(KeyedForm, TellsSecondsFromMilliseconds) {
  const auto event = accept(R"({"eventType":"t","entityType":"T","entityId":"1","timestamp":1767453739})");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().field, "timestamp");
}

TEST(KeyedForm, KeepsAContextThatIsMoreThanTexts) {
  constexpr std::string_view kContext =
      R"({"workerId":"w","attempt":3,"tags":["a","b"],"nested":{"x":null},"dry":false})";
  const std::string body =
      R"({"eventType":"t","entityType":"T","entityId":"1","context":)" + std::string(kContext) + "}";
  const Record record = stored(body);
  EXPECT_EQ(member(written(write_keyed, record), "context"), canonical(kContext));
  EXPECT_EQ(member(written(write_native, record, Answer{}), "context"), canonical(kContext));
  EXPECT_EQ(
      record.header.context,
      (std::vector<ContextPair>{{"workerId", "w"}, {"attempt", "3"}, {"tags", "a"}, {"tags", "b"}, {"dry", "false"}}));
}

TEST(KeyedForm, KeepsContextValuesThatAreTooLongToSearch) {
  const std::string agent(limits::kContextValueBytesMax + 1, 'x');
  const Record record =
      stored(R"({"eventType":"t","entityType":"T","entityId":"1","context":{"agent":")" + agent + "\"}}");
  EXPECT_TRUE(record.header.context.empty());
  EXPECT_EQ(member(written(write_keyed, record), "context"), R"({"agent":")" + agent + "\"}");
}

// S0.2
TEST(KeyedForm, AnswersWithDataUnderBothNames) {
  const std::string answer = written(write_native, stored(kStarted), Answer{.properties = Properties::when_keyed});
  EXPECT_EQ(member(answer, "properties"), R"({"requestId":"req-123","startedAt":1767453739640})");
  EXPECT_EQ(member(answer, "data"), member(answer, "properties"));
}

}  // namespace
}  // namespace millrace::event
