#include "event/body.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "event/media_type.h"
#include "event/recognise.h"
#include "json/parse.h"

namespace millrace::event {
namespace {

std::string form_of(std::string_view body) {
  const auto document = json::parse(body);
  const auto envelope = recognise(document->root());
  return envelope ? std::string(name_of(*envelope)) : envelope.error().detail;
}

TEST(Recognise, TellsTheFormsApart) {
  EXPECT_EQ(form_of(R"({"type":"t","source":"s"})"), "native");
  EXPECT_EQ(form_of(R"({"event_type":"t"})"), "snake");
  EXPECT_EQ(form_of(R"({"eventType":"t"})"), "keyed");
  EXPECT_EQ(form_of(R"({"type":"t","specversion":"1.0"})"), "cloudevents");
}

TEST(Recognise, GoesByOtherFieldsWhereTheTypeIsMissing) {
  EXPECT_EQ(form_of(R"({"event_id":"1","data":{}})"), "snake");
  EXPECT_EQ(form_of(R"({"properties":{},"entityId":"1"})"), "keyed");
}

TEST(Recognise, RefusesTwoFormsInOneAndNone) {
  EXPECT_EQ(form_of(R"({"type":"t","event_type":"t"})"),
            "\"event_type\" and \"type\" belong to different forms of an event: send one of them");
  EXPECT_EQ(form_of(R"({"eventType":"t","event_type":"t"})"),
            "\"event_type\" and \"eventType\" belong to different forms of an event: send one of them");
  EXPECT_EQ(form_of(R"({"data":{}})"),
            "an event needs its type: \"type\", \"event_type\", or \"eventType\", by its form");
  EXPECT_EQ(form_of("[]"), "an event must be an object, not an array");
}

// S3.2
TEST(Mode, IsChosenByTheContentType) {
  EXPECT_EQ(choose_mode("application/json", false), Mode::json);
  EXPECT_EQ(choose_mode("Application/JSON; charset=utf-8", false), Mode::json);
  EXPECT_EQ(choose_mode("application/vnd.x+json", false), Mode::json);
  EXPECT_EQ(choose_mode("application/cloudevents+json", false), Mode::cloudevent);
  EXPECT_EQ(choose_mode("application/cloudevents+json", true), Mode::cloudevent);
  EXPECT_EQ(choose_mode("application/cloudevents-batch+json", true), Mode::cloudevents_batch);
  EXPECT_EQ(choose_mode("application/cloudevents+avro", true), Mode::unsupported);
  EXPECT_EQ(choose_mode("application/cloudevents-batch+avro", false), Mode::unsupported);
  EXPECT_EQ(choose_mode("application/json", true), Mode::binary);
  EXPECT_EQ(choose_mode("image/png", true), Mode::binary);
  EXPECT_EQ(choose_mode("", true), Mode::binary);
  EXPECT_EQ(choose_mode("text/plain", false), Mode::unsupported);
  EXPECT_EQ(choose_mode("", false), Mode::unsupported);
}

std::vector<std::string> missing_in(std::string_view body, std::size_t index = 0,
                                    std::string_view type = "application/json") {
  const auto drafts = read_body(type, {}, body);
  std::vector<std::string> fields;
  for (const Error& error : missing_fields(*drafts, index, drafts->events[index].error())) {
    EXPECT_EQ(error.detail, "\"" + error.field + "\" is required");
    fields.push_back(error.field);
  }
  return fields;
}

// S2.1: a sender mends all at once.
TEST(MissingFields, AreAllNamed) {
  using Fields = std::vector<std::string>;
  EXPECT_EQ(missing_in(R"({"event_type":"t","event_id":null,"actor":{}})"),
            (Fields{"event_id", "schema_version", "occurred_at", "aggregate_id", "aggregate_type", "correlation_id",
                    "organization_id"}));
  EXPECT_EQ(missing_in(R"({"event_type":"public.t","event_id":"1","workspace_id":"acme"})"),
            (Fields{"schema_version", "occurred_at"}));
  EXPECT_EQ(missing_in(R"({"eventType":"t"})"), (Fields{"entityType", "entityId"}));
  EXPECT_EQ(missing_in(R"([{"type":"t"},{"eventType":"t"}])", 1), (Fields{"[1].entityType", "[1].entityId"}));
}

TEST(MissingFields, AreNotLookedForWhereSomethingElseIsWrong) {
  EXPECT_TRUE(missing_in(R"({"event_type":7})").empty());
  EXPECT_TRUE(missing_in(R"({"event_type":"t","nmae":1})").empty());
  EXPECT_TRUE(missing_in(R"({"specversion":"1.0","id":7})").empty());
  EXPECT_TRUE(missing_in("7").empty());
  EXPECT_TRUE(missing_in("7", 0, "application/cloudevents+json").empty());
}

// S3.2
TEST(MissingFields, OfACloudEventAreAllNamedInEveryMode) {
  using Fields = std::vector<std::string>;
  constexpr std::string_view kOne = "application/cloudevents+json";
  EXPECT_EQ(missing_in(R"({"specversion":"1.0"})"), (Fields{"id", "source", "type"}));
  EXPECT_EQ(missing_in(R"({"type":"t","id":null})", 0, kOne), (Fields{"specversion", "id", "source"}));
  EXPECT_EQ(missing_in(R"([{"specversion":"1.0","id":"1"}])", 0, "application/cloudevents-batch+json"),
            (Fields{"[0].source", "[0].type"}));

  const HeaderField fields[] = {{"ce-specversion", "1.0"}, {"ce-type", "t"}};
  const auto drafts = read_body("application/json", fields, "{}");
  EXPECT_EQ(missing_fields(*drafts, 0, drafts->events[0].error()),
            (std::vector<Error>{{Errc::invalid, "header field ce-id: \"id\" is required", "ce-id"},
                                {Errc::invalid, "header field ce-source: \"source\" is required", "ce-source"}}));
}

std::string refusal(std::string_view type, std::string_view body) {
  const auto drafts = read_body(type, {}, body);
  return drafts ? "accepted" : drafts.error().detail;
}

TEST(Body, SaysWhatItTakes) {
  const auto drafts = read_body("text/plain", {}, "{}");
  ASSERT_FALSE(drafts);
  EXPECT_EQ(drafts.error().code, Errc::unsupported_media);
}

TEST(Body, IsMalformedWhereItIsNoJson) {
  const auto drafts = read_body("application/json", {}, "{\"type\":");
  ASSERT_FALSE(drafts);
  EXPECT_EQ(drafts.error().code, Errc::malformed);
}

// S3.1
TEST(Body, TakesAnArrayOfAnyForms) {
  constexpr std::string_view kBody = R"([{"type":"a"},{"eventType":"b","entityType":"T","entityId":"1"},
    {"specversion":"1.0","id":"1","source":"/s","type":"c"}])";
  const auto drafts = read_body("application/json", {}, kBody);
  ASSERT_TRUE(drafts);
  EXPECT_EQ(drafts->shape, Shape::array);
  ASSERT_EQ(drafts->events.size(), 3u);
  EXPECT_EQ(drafts->events[0]->header.type, "a");
  EXPECT_EQ(drafts->events[1]->envelope, Envelope::keyed);
  EXPECT_EQ(drafts->events[2]->header.type, "c");
}

TEST(Body, RefusesElementsOneByOneWithTheirPlace) {
  const auto drafts = read_body("application/json", {}, R"([{"type":"a"},{"type":""},7,{"type":"b"}])");
  ASSERT_TRUE(drafts);
  ASSERT_EQ(drafts->events.size(), 4u);
  EXPECT_TRUE(drafts->events[0] && drafts->events[3]);
  EXPECT_EQ(drafts->events[1].error(), (Error{Errc::invalid, "\"[1].type\" must not be empty", "[1].type"}));
  EXPECT_EQ(drafts->events[2].error(),
            (Error{Errc::invalid, "\"[2]\": an event must be an object, not a number", "[2]"}));
}

TEST(Body, BoundsTheNumberOfEvents) {
  EXPECT_EQ(refusal("application/json", "[]"), "the array has no events");
  std::string body = "[";
  for (std::size_t i = 0; i < limits::kEventsPerRequestMax; ++i) body += R"({"type":"t"},)";
  std::string longest = body;
  longest.back() = ']';
  EXPECT_EQ(refusal("application/json", longest), "accepted");
  EXPECT_EQ(refusal("application/json", body + R"({"type":"t"}])"),
            "a request may bring 1000 events at most, not 1001");
}

// S3.2
TEST(Body, TakesABatchOfCloudEventsAlone) {
  constexpr std::string_view kType = "application/cloudevents-batch+json";
  const auto drafts =
      read_body(kType, {}, R"([{"specversion":"1.0","id":"1","source":"/s","type":"c"},{"type":"native"}])");
  ASSERT_TRUE(drafts);
  EXPECT_TRUE(drafts->events[0]);
  EXPECT_EQ(drafts->events[1].error().detail, "\"[1].specversion\" is required");
  EXPECT_EQ(refusal(kType, R"({"specversion":"1.0"})"), "a batch must be an array, not an object");
}

}  // namespace
}  // namespace millrace::event
