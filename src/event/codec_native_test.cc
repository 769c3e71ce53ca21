#include "event/codec_native.h"

#include <gtest/gtest.h>

#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::canonical;
using testing::member;
using testing::stored;
using testing::written;

constexpr std::string_view kFull = R"({
  "type": "order.created", "source": "ecommerce-api", "subject": "order:12345", "time": "2025-12-24T10:30:00.000Z",
  "data": {"amount": 99.990, "items": [1, 2e3, null]}, "eventId": "e-1", "correlationId": "c-1", "causationId": "e-0",
  "messageGroup": "order:12345", "deduplicationId": "d-1", "contextData": [{"key": "region", "value": "us-west"}],
  "schemaVersion": "1.1", "actor": {"type": "user", "id": "42"}, "aggregateType": "order", "aggregateId": "12345",
  "producer": "shop", "metadata": {"ip": "192.0.2.1"}, "bus": "orders", "ttl": 1798992000, "clientId": "acme"})";

// S3.1
TEST(NativeForm, ReadsEveryField) {
  const auto event = accept(kFull);
  ASSERT_TRUE(event) << event.error().detail;
  Header expected;
  expected.event_id = "e-1";
  expected.type = "order.created";
  expected.source = "ecommerce-api";
  expected.subject = "order:12345";
  expected.bus = "orders";
  expected.correlation_id = "c-1";
  expected.causation_id = "e-0";
  expected.message_group = "order:12345";
  expected.app = "shop";
  expected.entity_type = "ORDER";
  expected.entity_id = "12345";
  expected.time = *parse_time("2025-12-24T10:30:00Z");
  expected.expires = time_from_ms(1'798'992'000'000);
  expected.context = {{"region", "us-west"}};
  EXPECT_EQ(event->header, expected);
  EXPECT_EQ(event->deduplication_id, "d-1");
  EXPECT_EQ(event->schema_version, "1.1");
  EXPECT_EQ(event->identity, Identity::event_id);
  EXPECT_EQ(canonical(*event->rest),
            canonical(R"({"data": {"amount": 99.990, "items": [1, 2e3, null]}, "deduplicationId": "d-1",
              "schemaVersion": "1.1", "actor": {"type": "user", "id": "42"}, "aggregateType": "order",
              "aggregateId": "12345", "producer": "shop", "metadata": {"ip": "192.0.2.1"}})"));
}

// S3.1, S0.2
TEST(NativeForm, AnswersWithTheSendersFieldsAndTheKeys) {
  const std::string answer = written(write_native, stored(kFull), Answer{.dispatch_jobs = 3});
  EXPECT_EQ(canonical(answer), canonical(R"({
    "id": "028T5CY4TQKFF", "position": 7, "specVersion": "1.0", "eventId": "e-1",
    "type": "order.created", "source": "ecommerce-api", "subject": "order:12345", "time": "2025-12-24T10:30:00.000Z",
    "bus": "orders", "correlationId": "c-1", "causationId": "e-0", "messageGroup": "order:12345", "app": "shop",
    "contextData": [{"key": "region", "value": "us-west"}],
    "data": {"amount": 99.990, "items": [1, 2e3, null]}, "deduplicationId": "d-1", "schemaVersion": "1.1",
    "actor": {"type": "user", "id": "42"}, "aggregateType": "order", "aggregateId": "12345", "producer": "shop",
    "metadata": {"ip": "192.0.2.1"},
    "entityId": "12345", "entityType": "ORDER", "tenantId": "acme", "eventType": "order.created",
    "timestamp": 1766572200000, "ttl": 1798992000,
    "PK": "TENANT#acme", "SK": "TIMESTAMP#1766572200000#EVENT#e-1",
    "GSI1PK": "ORDER#12345", "GSI1SK": "ORDER#TIMESTAMP#1766572200000",
    "GSI2PK": "APP#shop", "GSI2SK": "TIMESTAMP#1766572200000",
    "GSI3PK": "APP#shop", "GSI3SK": "ORDER#12345#TIMESTAMP#1766572200000",
    "GSI4PK": "EVENT#order.created", "GSI4SK": "TENANT#acme#TIMESTAMP#1766572200000",
    "GSI5PK": "EVENT#order.created", "GSI5SK": "TENANT#acme#ORDER#12345#TIMESTAMP#1766572200000",
    "GSI6PK": "EVENT#order.created", "GSI6SK": "TENANT#acme#APP#shop#TIMESTAMP#1766572200000",
    "GSI7PK": "EVENT#order.created", "GSI7SK": "TENANT#acme#APP#shop#ORDER#12345#TIMESTAMP#1766572200000",
    "context": {"region": "us-west"}, "properties": {"amount": 99.990, "items": [1, 2e3, null]},
    "receivedAt": 1767453739645, "dispatchJobs": 3})"));
}

TEST(NativeForm, RepeatsTheDataAsPropertiesOnlyWhereAskedTo) {
  EXPECT_EQ(member(written(write_native, stored(R"({"type":"t"})"), Answer{}), "properties"), "{}");
  const Answer brief{.properties = Properties::when_keyed, .duplicate = true};
  const std::string answer = written(write_native, stored(R"({"type":"a","data":1})"), brief);
  EXPECT_EQ(member(answer, "properties"), "absent");
  EXPECT_EQ(member(answer, "data"), "1");
  EXPECT_EQ(member(answer, "duplicate"), "true");
}

TEST(NativeForm, TakesTheTypeAlone) {
  const auto event = accept(R"({"type":"ping"})");
  ASSERT_TRUE(event);
  EXPECT_EQ(*event->rest, "{}");
  EXPECT_EQ(event->header.time, testing::kNow);
  EXPECT_EQ(event->header.correlation_id, "req-1");
  EXPECT_EQ(event->identity, Identity::made_by_us);
  EXPECT_EQ(event->header.event_id.size(), 36u);
}

// S3.1
TEST(NativeForm, TakesAnyJsonAsData) {
  for (const char* data : {"null", "0", "-1.5e300", "\"\\u0000 text\"", "[]", "[[{}]]", "true", "{\"_\":1}"}) {
    const std::string body = std::string(R"({"type":"t","data":)") + data + "}";
    EXPECT_EQ(member(written(write_native, stored(body), Answer{}), "data"), canonical(data));
  }
}

TEST(NativeForm, TreatsNullAsAbsentEverywhereElse) {
  const auto event = accept(R"({"type":"t","subject":null,"actor":null,"ttl":null,"contextData":null,"time":null})");
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(*event->rest, "{}");
}

TEST(NativeForm, RefusesByFieldAndReason) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type":""})", "\"type\" must not be empty"},
      {R"({"type":7})", "\"type\" must be a string, not a number"},
      {R"({"type":"t","subject":["x"]})", "\"subject\" must be a string, not an array"},
      {R"({"type":"t","subject":"a\u0000b"})", "\"subject\" must not contain the character U+0000"},
      {R"({"type":"t","time":"yesterday"})",
       "\"time\" must be a time from 1970 on, like \"2025-12-24T10:30:00.000Z\", not \"yesterday\""},
      {R"({"type":"t","time":"1969-12-31T23:59:59Z"})",
       "\"time\" must be a time from 1970 on, like \"2025-12-24T10:30:00.000Z\", not \"1969-12-31T23:59:59Z\""},
      {R"({"type":"t","schemaVersion":"01.0"})",
       "\"schemaVersion\" must be a version like \"1.0\" or an integer from 1 to 999999, not \"01.0\""},
      {R"({"type":"t","schemaVersion":0})",
       "\"schemaVersion\" must be a version like \"1.0\" or an integer from 1 to 999999, not 0"},
      {R"({"type":"t","ttl":"soon"})", "\"ttl\" must be a time in seconds since 1970, like 1767453739"},
      {R"({"type":"t","schemaVersion":"one"})",
       "\"schemaVersion\" must be a version like \"1.0\" or an integer from 1 to 999999, not \"one\""},
      {R"({"type":"t","metadata":[]})", "\"metadata\" must be an object, not an array"},
      {R"({"type":"t","contextData":[{"key":"a","value":"b"},{"key":"a"}]})",
       "\"contextData[1]\" must be an object of \"key\" and \"value\""},
      {R"({"type":"t","contextData":[{"key":"a","value":1}]})",
       "\"contextData[0].value\" must be a string, not a number"},
      {R"({"type":"t","contextData":[],"context":{}})", "\"context\" is given in two ways"},
      {R"({"type":"t","tenantId":"acme","clientId":"other"})",
       "\"clientId\" is \"other\", but \"tenantId\" is \"acme\""},
      {R"({"type":"t","id":"0J6HB7H6NWVVF"})", "\"id\" is given by the server; the sender's own id is \"eventId\""},
      {R"({"type":"t","correlation_id":"x"})",
       "\"correlation_id\" is not a field of an event; did you mean \"correlationId\"?"},
      {R"({"type":"t","sbuject":"x"})", "\"sbuject\" is not a field of an event; did you mean \"subject\"?"},
      {R"({"type":"t","favourite":"x"})", "\"favourite\" is not a field of an event"},
      {R"({"type":"t","data":1,"data_base64":"AA=="})", "\"data_base64\" must not stand beside \"data\""},
      {R"({"type":"t","data_base64":"AA==","data":1})", "\"data_base64\" must not stand beside \"data\""},
      {R"({"type":"t","extensions":{"Up":"x"}})",
       "\"extensions.Up\" is no name of an attribute: only the letters a-z and the digits 0-9 make one"},
  };
  for (const auto& [body, detail] : cases) {
    const auto event = accept(body);
    ASSERT_FALSE(event) << body;
    EXPECT_EQ(event.error().detail, detail);
    EXPECT_EQ(event.error().code, Errc::invalid);
  }
}

TEST(NativeForm, BoundsTextsByTheirBytes) {
  const std::string longest(limits::kEventTypeBytesMax, 'x');
  EXPECT_TRUE(accept(R"({"type":")" + longest + "\"}"));
  const auto refused = accept(R"({"type":")" + longest + "x\"}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail, "\"type\" may have 255 bytes at most, not 256");
}

TEST(NativeForm, ReadsNamesThatAreEscaped) {
  const auto event = accept(R"({"t\u0079pe":"a","s\u006furce":"b"})");
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(event->header.source, "b");
}

// S2.12
TEST(NativeForm, HandsTheAuditEntryOnAndDoesNotStoreItInTheEvent) {
  const auto document = json::parse(R"({"type":"t","audit":{"action":"x"},"data":1})");
  const auto draft = decode_native(document->root());
  ASSERT_TRUE(draft && draft->audit);
  EXPECT_EQ(draft->audit->raw(), R"({"action":"x"})");
  EXPECT_EQ(draft->rest, R"({"data":1})");
}

}  // namespace
}  // namespace millrace::event
