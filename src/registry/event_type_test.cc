#include "registry/event_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "registry/type_code.h"

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;

Result<EventType> read(std::string text) {
  const auto document = json::parse_owned(std::move(text));
  return parse_event_type(document->root());
}

std::string written(const EventType& type) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  write_members(writer, type);
  writer.end_object();
  return out;
}

EventType with_versions(const std::vector<std::pair<SchemaVersion, VersionStatus>>& versions) {
  EventType type{.code = "order.created"};
  for (const auto& [version, status] : versions) type.spec_versions.push_back({.version = version, .status = status});
  return type;
}

// S3.5
TEST(TypeCode, TakesTheFormsInUse) {
  EXPECT_EQ(parse_code("ecommerce:orders:order:created"), CodeForm::colon);
  EXPECT_EQ(parse_code("time_entry.created"), CodeForm::dotted);
  EXPECT_EQ(parse_code("public.time_entry.created"), CodeForm::dotted);
  EXPECT_EQ(parse_code("PRACTICE_DETAILS_CREATED"), CodeForm::upper);
  EXPECT_EQ(parse_code("Task Pending"), CodeForm::title);
}

TEST(TypeCode, RefusesEverythingElseByField) {
  for (const char* code : {"", "order", "a:b", "a:b:c", "a:b:c:d:e", "a::b:c", "a..b", ".a", "a.", "Task Pondering",
                           "a b.c", "a:b:c:*", "order.cr\xc3\xa9\x65"}) {
    const auto form = parse_code(code);
    ASSERT_FALSE(form) << code;
    EXPECT_EQ(form.error().code, Errc::invalid);
    EXPECT_EQ(form.error().field, "code");
  }
}

TEST(SchemaVersion, IsMajorAndMinor) {
  EXPECT_EQ(parse_schema_version("1.0"), (SchemaVersion{1, 0}));
  EXPECT_EQ(parse_schema_version("12.34"), (SchemaVersion{12, 34}));
  for (const char* text : {"", "1", "1.", ".1", "0.1", "01.0", "1.00", "1.0.0", "v1.0", "1.-1", "1.9999999"}) {
    EXPECT_EQ(parse_schema_version(text), std::nullopt) << text;
  }
  EXPECT_LT((SchemaVersion{1, 9}), (SchemaVersion{1, 10}));
  EXPECT_EQ(to_text(SchemaVersion{2, 10}), "2.10");
}

TEST(SchemaVersion, AnIntegerIsItsMajor) {
  EXPECT_EQ(parse_event_schema_version("1"), (SchemaVersion{1, 0}));
  EXPECT_EQ(parse_event_schema_version("2.1"), (SchemaVersion{2, 1}));
  EXPECT_EQ(parse_event_schema_version("1.0.0"), (SchemaVersion{1, 0}));
  EXPECT_EQ(parse_event_schema_version("one"), std::nullopt);
}

// S3.5
TEST(EventType, ReadsBackWhatItWrites) {
  const auto type = read(R"({"code": "ecommerce:orders:order:created", "name": "Order created", "description": "d",
    "status": "ARCHIVE", "strict": true, "specVersions": [
      {"version": "1.1", "mimeType": "application/json", "schema": "{}", "schemaType": "JSON_SCHEMA"},
      {"version": "1.0", "schema": {"type": "object"}, "status": "CURRENT"},
      {"version": "2.0", "schema": "message M {}", "schemaType": "PROTO", "message": "M", "status": "DEPRECATED"},
      {"version": "3.0", "schema": "<x/>", "schemaType": "XSD", "describes": "envelope"}]})");
  ASSERT_TRUE(type) << type.error().detail;
  ASSERT_EQ(type->spec_versions.size(), 4u);
  EXPECT_EQ(type->spec_versions[0].version, (SchemaVersion{1, 0}));
  EXPECT_EQ(type->spec_versions[0].schema, R"({"type":"object"})");
  EXPECT_EQ(type->spec_versions[1].status, VersionStatus::finalising);
  EXPECT_EQ(type->spec_versions[3].mime_type, "application/xml");
  const auto again = read(written(*type));
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(*again, *type);
}

TEST(EventType, NeedsOnlyItsCode) {
  const auto type = read(R"({"code": "order.created"})");
  ASSERT_TRUE(type);
  EXPECT_EQ(type->name, "order.created");
  EXPECT_EQ(type->status, TypeStatus::current);
  EXPECT_FALSE(type->strict);
}

TEST(EventType, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", ""},
      {R"({"name": "x"})", "code"},
      {R"({"code": "x"})", "code"},
      {R"({"code": "a.b", "status": "OLD"})", "status"},
      {R"({"code": "a.b", "strict": "yes"})", "strict"},
      {R"({"code": "a.b", "specVersions": {}})", "specVersions"},
      {R"({"code": "a.b", "specVersions": [{"version": "1", "schema": "{}"}]})", "specVersions[0].version"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0"}]})", "specVersions[0].schema"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0", "schema": ""}]})", "specVersions[0].schema"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0", "schema": {}, "schemaType": "PROTO"}]})",
       "specVersions[0].schema"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0", "schema": "x", "schemaType": "AVRO"}]})",
       "specVersions[0].schemaType"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0", "schema": "{}", "status": "DONE"}]})",
       "specVersions[0].status"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0", "schema": "{}"}, {"version": "1.0", "schema": "{}"}]})",
       "specVersions[1].version"},
      {R"({"code": "a.b", "specVersions": [{"version": "1.0", "schema": "{}", "message": "M"}]})",
       "specVersions[0].message"},
  };
  for (const auto& [text, field] : cases) {
    const auto type = read(text);
    ASSERT_FALSE(type) << text;
    EXPECT_EQ(type.error().code, Errc::invalid) << text;
    EXPECT_EQ(type.error().field, field) << type.error().detail;
  }
}

TEST(EventType, SaysWhereVersionsBeginAndEnd) {
  const auto type = read(R"({"code": "a.b", "specVersions": [{"version": "0.1", "schema": "{}"}]})");
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().detail,
            "\"0.1\" is not MAJOR.MINOR, such as 1.0: MAJOR from 1 to 999999, MINOR from 0 to 999999");
}

TEST(EventType, MergeKeepsWhatTheBodyLeavesOut) {
  EventType old = with_versions({{{1, 0}, VersionStatus::current}});
  old.name = "Order created";
  old.strict = true;
  const auto document = json::parse(R"({"description": "new", "status": "ARCHIVE"})");
  const auto merged = merge_event_type(old, document->root());
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->description, "new");
  EXPECT_EQ(merged->status, TypeStatus::archive);
  EXPECT_TRUE(merged->strict);
  EXPECT_EQ(merged->spec_versions, old.spec_versions);
  const auto renamed = json::parse(R"({"code": "order.placed"})");
  EXPECT_EQ(merge_event_type(old, renamed->root()).error().field, "code");
}

// JSON merge patch: null takes a field away, and a type cannot be without its code.
TEST(EventType, TakesNullForAFieldThatIsGone) {  // S3.5
  const auto old = read(R"({"code": "order.created", "name": "Order", "description": "d", "status": "ARCHIVE",
                            "strict": true, "specVersions": [{"version": "1.0", "schema": {}}]})");
  const auto merged = [&](std::string_view text) {
    const auto body = json::parse(text);
    return merge_event_type(*old, body->root());
  };
  EXPECT_EQ(merged(R"({"name": null, "description": null, "status": null, "strict": null, "specVersions": null})"),
            read(R"({"code": "order.created"})"));
  EXPECT_EQ(merged(R"({"code": null})").error().field, "code");
}

TEST(SpecVersion, TakesNullForAFieldThatIsGone) {  // S3.5
  const SpecVersion old{.version = {1, 0}, .mime_type = "text/x", .schema = "{}", .describes = Describes::envelope};
  const auto merged = [&](std::string_view text) {
    const auto body = json::parse(text);
    return merge_spec_version(old, body->root());
  };
  const auto bare = merged(R"({"mimeType": null, "describes": null})");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->mime_type, "application/json");
  EXPECT_EQ(bare->describes, Describes::data);
  EXPECT_EQ(merged(R"({"schema": null})").error().field, "schema");
}

// S3.5: a misspelt setting must not be lost.
TEST(EventType, RefusesFieldsThatNoTypeHas) {
  const auto field_of = [](std::string_view text) {
    const auto body = json::parse(text);
    const auto type = parse_event_type(body->root());
    return type ? std::string("taken") : type.error().field;
  };
  EXPECT_EQ(field_of(R"({"code": "a.done", "stritc": true})"), "stritc");
  EXPECT_EQ(field_of(R"({"code": "a.done", "specVersions": [{"version": "1.0", "schema": {}, "state": "CURRENT"}]})"),
            "specVersions[0].state");
  EXPECT_EQ(field_of(R"({"code": "a.done", "id": "a.done", "version": 3, "createdAt": "x", "updatedAt": "y"})"),
            "taken");
}

// S3.5
TEST(SpecVersion, TakesTheFieldsOfABodyAndKeepsTheOthers) {
  const SpecVersion old{.version = {1, 2}, .mime_type = "application/json", .schema = "{}"};
  const auto merged = [&](std::string_view text) {
    const auto body = json::parse(text);
    return merge_spec_version(old, body->root());
  };
  SpecVersion expected = old;
  expected.status = VersionStatus::current;
  EXPECT_EQ(merged(R"({"status": "CURRENT", "version": "1.2", "type": "a.done"})").value(), expected);
  expected = old;
  expected.schema = R"({"type":"object"})";
  EXPECT_EQ(merged(R"({"schema": {"type": "object"}})").value(), expected);
  EXPECT_EQ(merged("{}").value(), old);
  EXPECT_EQ(merged(R"({"version": "1.3"})").error().field, "version");
  EXPECT_EQ(merged(R"({"message": "Order"})").error().field, "message");
  EXPECT_EQ(merged(R"({"status": "OLD"})").error().field, "status");
  EXPECT_EQ(merged(R"({"sattus": "CURRENT"})").error().field, "sattus");
  EXPECT_FALSE(merged("[]"));
}

// S3.5
TEST(ChooseVersion, TakesTheNamedOneElseTheHighestCurrent) {
  const EventType type = with_versions({{{1, 0}, VersionStatus::deprecated},
                                        {{1, 1}, VersionStatus::current},
                                        {{2, 0}, VersionStatus::current},
                                        {{2, 1}, VersionStatus::finalising}});
  EXPECT_EQ((*choose_version(type, std::nullopt))->version, (SchemaVersion{2, 0}));
  EXPECT_EQ((*choose_version(type, "1.0"))->version, (SchemaVersion{1, 0}));
  EXPECT_EQ((*choose_version(type, "2.1"))->version, (SchemaVersion{2, 1}));
}

// S2.4: the integer of the envelope is a MAJOR.
TEST(ChooseVersion, TakesAnIntegerAsItsMajor) {
  const EventType type = with_versions({{{1, 0}, VersionStatus::current}, {{2, 0}, VersionStatus::current}});
  EXPECT_EQ((*choose_version(type, "1"))->version, (SchemaVersion{1, 0}));
}

// S2.4
TEST(ChooseVersion, AnUnknownVersionIsRefusedWhereTheTypeIsStrict) {
  EventType type = with_versions({{{1, 0}, VersionStatus::current}});
  EXPECT_EQ(*choose_version(type, "3.0"), nullptr);
  type.strict = true;
  const auto refused = choose_version(type, "3.0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "schemaVersion");
  EXPECT_THAT(refused.error().detail, HasSubstr("registered: 1.0"));
}

TEST(ChooseVersion, WithoutACurrentVersionOnlyAStrictTypeRefuses) {
  EventType type = with_versions({{{1, 0}, VersionStatus::finalising}});
  EXPECT_EQ(*choose_version(type, std::nullopt), nullptr);
  type.strict = true;
  EXPECT_FALSE(choose_version(type, std::nullopt));
}

}  // namespace
}  // namespace millrace::registry
