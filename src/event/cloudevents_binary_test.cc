#include "event/cloudevents_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "event/codec_cloudevents.h"
#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::arrival;
using testing::member;
using testing::stored;
using testing::written;
using Fields = std::vector<HeaderField>;

Fields with(Fields more) {
  Fields fields = {{"Host", "example.com"},
                   {"ce-specversion", "1.0"},
                   {"CE-Type", "com.example.someevent"},
                   {"ce-id", "1234"},
                   {"ce-source", "/mycontext"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::string event_of(const Fields& fields, std::string_view content_type, std::string_view body) {
  const auto event = accept(body, arrival(), content_type, fields);
  return event ? written(write_cloudevent, testing::store(*event)) : event.error().detail;
}

// S3.2
TEST(BinaryMode, TakesAttributesFromHeaderFieldsAndDataFromTheBody) {
  const Fields fields = with({{"ce-time", "2018-04-05T03:56:24Z"}, {"Ce-Comexample1", "x"}});
  const std::string event = event_of(fields, "application/json; charset=utf-8", " {\"a\": 1} \n");
  EXPECT_EQ(member(event, "type"), "\"com.example.someevent\"");
  EXPECT_EQ(member(event, "time"), "\"2018-04-05T03:56:24Z\"");
  EXPECT_EQ(member(event, "comexample1"), "\"x\"");
  EXPECT_EQ(member(event, "data"), R"({"a":1})");
  EXPECT_EQ(member(event, "datacontenttype"), "\"application/json; charset=utf-8\"");
}

TEST(BinaryMode, KeepsTheBodyByItsMediaType) {
  const auto data = [](std::string_view type, std::string_view body) {
    const std::string event = event_of(with({}), type, body);
    return member(event, "data") + " " + member(event, "data_base64");
  };
  EXPECT_EQ(data("application/vnd.x+json", "[1]"), "[1] absent");
  EXPECT_EQ(data("application/json", "\"text\""), "\"text\" absent");
  EXPECT_EQ(data("application/xml", "<a/>"), "\"<a/>\" absent");
  EXPECT_EQ(data("text/plain;charset=\"utf-8\"", "{not json"), "\"{not json\" absent");
  EXPECT_EQ(data("text/plain; charset=iso-8859-1", "abc"), "absent \"YWJj\"");
  EXPECT_EQ(data("text/plain", "\xff"), "absent \"/w==\"");
  EXPECT_EQ(data("image/png", "abc"), "absent \"YWJj\"");
  EXPECT_EQ(data("application/json", ""), "absent absent");
  EXPECT_EQ(data("image/png", ""), "absent absent");
  EXPECT_EQ(data("", "{}"), "{} absent");
  EXPECT_EQ(data("", "{"), "absent \"ew==\"");
}

TEST(BinaryMode, DecodesHeaderValues) {
  const std::string event =
      event_of(with({{"ce-subject", "Euro%20%E2%82%ac%20%F0%9F%98%80"}, {"ce-quoted", R"("a \"b\" %41")"}}), "", "");
  EXPECT_EQ(member(event, "subject"), "\"Euro \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(member(event, "quoted"), R"("a \"b\" A")");
}

TEST(BinaryMode, RefusesByHeaderFieldAndReason) {
  const auto refused = [](const Fields& fields) {
    const auto event = accept("", arrival(), "", fields);
    return event ? std::string("accepted") : event.error().field + ": " + event.error().detail;
  };
  EXPECT_EQ(refused(with({{"ce-datacontenttype", "text/plain"}})),
            "ce-datacontenttype: \"ce-datacontenttype\" must not be there: Content-Type says it");
  EXPECT_EQ(refused(with({{"ce-data", "x"}})), "ce-data: \"ce-data\" must not be there: the body is the data");
  EXPECT_EQ(refused(with({{"CE-ID", "2"}})), "ce-id: \"ce-id\" must not be there twice");
  EXPECT_EQ(refused(with({{"ce-subject", "%C0%A0"}})),
            "ce-subject: \"ce-subject\" must be percent-encoded UTF-8, or a whole quoted string");
  EXPECT_EQ(refused(with({{"ce-dataschema", "order.json"}})),
            "ce-dataschema: header field ce-dataschema: \"dataschema\" must be a URI with its scheme, like "
            "\"https://example.com/schema\"");
  EXPECT_EQ(refused(with({{"ce-my-extension", "x"}})),
            "ce-my-extension: header field ce-my-extension: \"my-extension\" is no name of an attribute: only the "
            "letters a-z and the digits 0-9 make one");
  EXPECT_EQ(refused({{"ce-type", "t"}, {"ce-specversion", "1.0"}, {"ce-source", "/"}}),
            "ce-id: header field ce-id: \"id\" is required");
}

// A body must not be able to add attributes.
TEST(BinaryMode, RefusesABodyThatIsNotOneJsonValue) {
  for (const char* body : {"1,\"subject\":\"x\"", "{}}", "{", "1 2", "1}{", "nul", "\"a\",\"mrbus\":\"b\""}) {
    const auto event = accept(body, arrival(), "application/json", with({}));
    ASSERT_FALSE(event) << body;
    EXPECT_EQ(event.error().code, Errc::malformed) << body;
  }
}

TEST(BinaryMode, IsMeantByAnyRequiredAttribute) {
  EXPECT_TRUE(has_attribute_fields(Fields{{"CE-Id", "1"}}));
  EXPECT_FALSE(has_attribute_fields(Fields{{"ce-other", "1"}, {"content-type", "text/plain"}}));
}

// S3.2
TEST(BinaryMode, WritesWhatItReads) {
  const std::string subject = "Euro \xe2\x82\xac 100% \"q\"";
  const Record record = stored("{\"a\":[1,2.50]}", "application/json",
                               with({{"ce-subject", "Euro%20%E2%82%AC%20100%25%20%22q%22"}, {"ce-ext", "7"}}));
  EXPECT_EQ(record.header.subject, subject);
  const BinaryMessage message = write_binary(record);
  EXPECT_EQ(message.body, R"({"a":[1,2.50]})");
  const std::map<std::string, std::string> fields(message.fields.begin(), message.fields.end());
  EXPECT_EQ(fields.at("ce-subject"), "Euro%20%E2%82%AC%20100%25%20%22q%22");
  EXPECT_EQ(fields.at("ce-ext"), "7");
  EXPECT_EQ(fields.at("ce-specversion"), "1.0");
  EXPECT_EQ(fields.at("content-type"), "application/json");
  EXPECT_EQ(fields.count("ce-datacontenttype"), 0u);
}

TEST(BinaryMode, WritesTextsAndBytesAsTheyWere) {
  EXPECT_EQ(write_binary(stored("<a b=\"c\"/>", "application/xml", with({}))).body, "<a b=\"c\"/>");
  EXPECT_EQ(write_binary(stored(std::string("\x00\xff", 2), "image/png", with({}))).body, std::string("\x00\xff", 2));
  const BinaryMessage plain = write_binary(stored(R"({"type":"t","data":"text"})"));
  EXPECT_EQ(plain.body, "\"text\"");
  EXPECT_THAT(plain.fields, ::testing::Contains(::testing::Pair("content-type", "application/json")));
}

}  // namespace
}  // namespace millrace::event
