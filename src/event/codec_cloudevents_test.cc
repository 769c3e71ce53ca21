#include "event/codec_cloudevents.h"

#include <gtest/gtest.h>

#include "event/codec_native.h"
#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::arrival;
using testing::canonical;
using testing::member;
using testing::stored;
using testing::written;

constexpr std::string_view kType = "application/cloudevents+json; charset=UTF-8";

constexpr std::string_view kExample = R"({
  "specversion": "1.0", "type": "com.example.someevent", "source": "/mycontext", "subject": "larger-context",
  "id": "C234-1234-1234", "time": "2018-04-05T17:31:00.123456789+02:00", "comexampleextension1": "value",
  "comexampleothervalue": 5, "flagged": true, "unset": null, "datacontenttype": "application/json",
  "dataschema": "https://example.com/schema", "data": {"appinfoA": "abc", "appinfoB": 123, "appinfoC": true}})";

// S3.2
TEST(CloudEvent, BecomesAnEventOfOurs) {
  const auto event = accept(kExample, arrival(), kType);
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(event->header.event_id, "C234-1234-1234");
  EXPECT_EQ(event->header.source, "/mycontext");
  EXPECT_EQ(event->header.app, "/mycontext");
  EXPECT_EQ(event->header.entity_type, "SUBJECT");
  EXPECT_EQ(event->header.entity_id, "larger-context");
  EXPECT_EQ(event->header.time, *parse_time("2018-04-05T15:31:00.123Z"));
  EXPECT_EQ(event->identity, Identity::source_and_id);
  EXPECT_EQ(event->envelope, Envelope::cloudevents);
  const std::string answer = written(write_native, testing::store(*event), Answer{});
  EXPECT_EQ(member(answer, "extensions"),
            R"({"comexampleextension1":"value","comexampleothervalue":5,"flagged":true})");
  EXPECT_EQ(member(answer, "datacontenttype"), "\"application/json\"");
  EXPECT_EQ(member(answer, "dataschema"), "\"https://example.com/schema\"");
}

// S3.2
TEST(CloudEvent, ComesBackAsItWasSent) {
  std::string expected(kExample);
  expected.replace(expected.find(R"("unset": null,)"), 14, R"("correlationid": "req-1",)");
  EXPECT_EQ(canonical(written(write_cloudevent, stored(kExample, kType))), canonical(expected));
}

TEST(CloudEvent, TellsNullDataFromNoData) {
  const std::string core = R"({"specversion":"1.0","id":"1","source":"/s","type":"t")";
  const std::string null = written(write_cloudevent, stored(core + R"(,"data":null})", kType));
  EXPECT_EQ(member(null, "data"), "null");
  EXPECT_EQ(member(written(write_cloudevent, stored(core + "}", kType)), "data"), "absent");
}

TEST(CloudEvent, KeepsBytes) {
  const Record record = stored(
      R"({"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":"image/png","data_base64":"iVBORw=="})",
      kType);
  EXPECT_EQ(member(written(write_cloudevent, record), "data_base64"), "\"iVBORw==\"");
  EXPECT_EQ(member(written(write_native, record, Answer{}), "data_base64"), "\"iVBORw==\"");
}

TEST(CloudEvent, HearsTheExtensionsThatSpeakToUs) {
  const auto event = accept(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","correlationid":"c",
    "causationid":"e-0","messagegroup":"g","deduplicationid":"d","schemaversion":"2.0"})",
                            arrival(), kType);
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(event->header.correlation_id, "c");
  EXPECT_EQ(event->header.causation_id, "e-0");
  EXPECT_EQ(event->header.message_group, "g");
  EXPECT_EQ(event->deduplication_id, "d");
  EXPECT_EQ(event->schema_version, "2.0");
  EXPECT_EQ(
      member(written(write_native, testing::store(*event), Answer{}), "extensions"),
      R"({"causationid":"e-0","correlationid":"c","deduplicationid":"d","messagegroup":"g","schemaversion":"2.0"})");
}

TEST(CloudEvent, RefusesByAttributeAndReason) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"id":"1","source":"/s","type":"t"})", "\"specversion\" is required"},
      {R"({"specversion":"0.3","id":"1","source":"/s","type":"t"})", "\"specversion\" must be \"1.0\", not \"0.3\""},
      {R"({"specversion":"1.0","source":"/s","type":"t"})", "\"id\" is required"},
      {R"({"specversion":"1.0","id":null,"source":"/s","type":"t"})", "\"id\" is required"},
      {R"({"specversion":"1.0","id":"","source":"/s","type":"t"})", "\"id\" must not be empty"},
      {R"({"specversion":"1.0","id":"1","source":"","type":"t"})", "\"source\" must not be empty"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","subject":""})", "\"subject\" must not be empty"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","myExtension":"x"})",
       "\"myExtension\" is no name of an attribute: only the letters a-z and the digits 0-9 make one"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","ext":{}})",
       "\"ext\" must be a string, a boolean or an integer of 32 bits, not an object"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","ext":1.5})",
       "\"ext\" must be a string, a boolean or an integer of 32 bits, not 1.5"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","ext":2147483648})",
       "\"ext\" must be a string, a boolean or an integer of 32 bits, not 2147483648"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","ext":"a\nb"})",
       "\"ext\" must not contain control characters or noncharacters"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":1,"data_base64":"AA=="})",
       "\"data_base64\" must not stand beside \"data\""},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data_base64":"A"})",
       "\"data_base64\" must be a string of Base64 with its padding"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","datacontenttype":"json"})",
       "\"datacontenttype\" must be a media type, like \"application/json\""},
      {R"({"specversion":"1.0","id":"1","source":"my shop","type":"t"})",
       "\"source\" must be a URI-reference: no spaces, and % only before two hexadecimal digits"},
      {R"({"specversion":"1.0","id":"1","source":"/100%","type":"t"})",
       "\"source\" must be a URI-reference: no spaces, and % only before two hexadecimal digits"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","dataschema":""})",
       "\"dataschema\" must not be empty"},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","dataschema":"order.json"})",
       "\"dataschema\" must be a URI with its scheme, like \"https://example.com/schema\""},
      {R"({"specversion":"1.0","id":"1","source":"/s","type":"t","dataschema":"urn:a","mrdataschema":"b"})",
       "\"mrdataschema\" must not be there twice, as dataschema and as mrdataschema"},
      {R"({"specversion":"1.0","id":"1","source":"/shop","type":"t","mrsource":"/bank"})",
       "\"mrsource\" must be what \"source\" was before it was escaped: that would be \"/bank\", not \"/shop\""},
      {R"({"specversion":"1.0","id":"1","mrsource":"my shop","source":"my%20bank","type":"t"})",
       "\"mrsource\" must be what \"source\" was before it was escaped: that would be \"my%20shop\", not "
       "\"my%20bank\""},
      {R"({"specversion":"1.0","id":"1","mrsource":"my shop","type":"t"})", "\"source\" is required"},
      {R"([])", "a CloudEvent must be an object, not an array"},
  };
  for (const auto& [body, detail] : cases) {
    const auto event = accept(body, arrival(), kType);
    ASSERT_FALSE(event) << body;
    EXPECT_EQ(event.error().detail, detail);
    EXPECT_EQ(event.error().code, Errc::invalid);
  }
}

// S3.2: what the other forms take as a source or a schema's name goes out as a CloudEvent that others can read.
TEST(CloudEvent, IsValidWhateverTheSourceWasCalled) {
  const Record record = stored(R"({"type":"t","source":"my shop","dataschema":"order 1"})", "application/json");
  const std::string event = written(write_cloudevent, record);
  EXPECT_EQ(member(event, "source"), "\"my%20shop\"");
  EXPECT_EQ(member(event, "mrsource"), "\"my shop\"");
  EXPECT_EQ(member(event, "dataschema"), "absent");
  EXPECT_EQ(member(event, "mrdataschema"), "\"order 1\"");
  for (const char* order :
       {R"("mrsource":"my shop","source":"my%20shop")", R"("source":"my%20shop","mrsource":"my shop")"}) {
    const auto back =
        accept(std::string(R"({"specversion":"1.0","id":"1","type":"t",)") + order + "}", arrival(), kType);
    ASSERT_TRUE(back) << back.error().detail;
    EXPECT_EQ(back->header.source, "my shop");
  }
}

TEST(CloudEvent, IsKnownByItsVersionInPlainJsonToo) {
  const auto event = accept(R"({"specversion":"1.0","id":"1","source":"/s","type":"t"})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->envelope, Envelope::cloudevents);
}

TEST(CloudEvent, HasTheAppForASourceWhereNoneWasSent) {
  EXPECT_EQ(member(written(write_cloudevent, stored(R"({"type":"t","app":"shop"})")), "source"), "\"shop\"");
}

}  // namespace
}  // namespace millrace::event
