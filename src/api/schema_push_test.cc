// What `schema push` sends, and what becomes of it (S2.4, S2.5).
#include "api/schema_push.h"

#include <gmock/gmock.h>

#include "json/parse.h"

namespace millrace::api {
namespace {

using registry::EventType;

std::vector<PushedSchema> read(const std::string& body) {
  const auto document = json::parse(std::string_view(body));
  EXPECT_TRUE(document) << body;
  auto schemas = read_push(document->root());
  EXPECT_TRUE(schemas) << body;
  return schemas ? *std::move(schemas) : std::vector<PushedSchema>{};
}

EventType type_in(const std::string& body) {
  auto schemas = read(body);
  EXPECT_TRUE(schemas.at(0).type) << body;
  return *schemas.at(0).type;
}

constexpr const char* kFile =
    R"({"file": "order.created.v1.json", "text": "{\"properties\": {\"event_type\": {\"const\": \"order.created\"}}}"})";

TEST(SchemaPush, AFileIsACurrentVersionForTheWholeEnvelope) {
  const EventType type = type_in(std::string("[") + kFile + "]");
  EXPECT_EQ(type.code, "order.created");
  ASSERT_EQ(type.spec_versions.size(), 1u);
  EXPECT_EQ(type.spec_versions[0].version, (registry::SchemaVersion{1, 0}));
  EXPECT_EQ(type.spec_versions[0].status, registry::VersionStatus::current);
  EXPECT_EQ(type.spec_versions[0].describes, registry::Describes::envelope);
}

TEST(SchemaPush, ASchemaCanAlsoBeNamedByTypeAndVersion) {
  EXPECT_EQ(type_in(R"({"type": "a.done", "version": 2, "schema": {"type": "object"}})").spec_versions[0].version,
            (registry::SchemaVersion{2, 0}));
  const EventType data =
      type_in(R"({"type": "a.done", "version": "1.2", "schema": "true", "describes": "data", "status": "FINALISING"})");
  EXPECT_EQ(data.spec_versions[0].describes, registry::Describes::data);
  EXPECT_EQ(data.spec_versions[0].status, registry::VersionStatus::finalising);
}

TEST(SchemaPush, UnknownFieldsAreRefusedByName) {
  const auto schemas = read(R"([{"file": "a.done.v1.json", "text": "true", "ifMach": 3},
    {"type": "a.done", "version": 1, "schema": {}, "statsu": "CURRENT"}])");
  ASSERT_FALSE(schemas[0].type);
  EXPECT_EQ(schemas[0].type.error(),
            (Error{Errc::invalid, "a schema file has no field \"ifMach\"; it has file, text, ifMatch", "[0].ifMach"}));
  ASSERT_FALSE(schemas[1].type);
  EXPECT_EQ(schemas[1].type.error().field, "[1].statsu");
}

TEST(SchemaPush, SaysWhatIsWrongWithEach) {
  const auto schemas = read(R"([7, {"file": "README.md", "text": ""}, {"file": "a.done.v1.json", "text": "{"},
    {"file": "a.done.v1.json", "text": "{\"properties\": {\"event_type\": {\"const\": \"b.done\"}}}"},
    {"type": "a.done", "version": "x", "schema": {}}, {"type": "no code", "version": 1, "schema": {}},
    {"type": "a.done", "version": 1, "schema": 7}])");
  ASSERT_EQ(schemas.size(), 7u);
  for (const PushedSchema& schema : schemas) EXPECT_FALSE(schema.type) << schema.label;
  EXPECT_EQ(schemas[1].label, "README.md");
  EXPECT_THAT(schemas[3].type.error().detail, testing::HasSubstr("event_type"));
  EXPECT_EQ(schemas[4].type.error().field, "[4].version");
  EXPECT_EQ(schemas[5].type.error().field, "[5].type");
  EXPECT_EQ(schemas[6].type.error().field, "[6].schema");
}

TEST(SchemaPush, TheSameAgainChangesNothing) {
  const EventType pushed = type_in(kFile);
  const auto first = push_onto(std::nullopt, pushed);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->outcome, PushOutcome::created);
  const auto second = push_onto(first->type, pushed);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->outcome, PushOutcome::unchanged);
  EXPECT_EQ(second->type, first->type);
}

TEST(SchemaPush, KeepsADeprecatedVersionDeprecated) {
  EventType present = type_in(kFile);
  present.spec_versions[0].status = registry::VersionStatus::deprecated;
  const auto step = push_onto(present, type_in(kFile));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->outcome, PushOutcome::unchanged);
}

TEST(SchemaPush, AnOptionalFieldMayComeInPlaceAndARequiredOneMayNot) {  // S2.5
  const EventType present =
      type_in(R"({"type": "a.done", "version": 1, "schema": {"properties": {"x": {"type": "string"}}}})");
  const auto grown = push_onto(
      present,
      type_in(
          R"({"type": "a.done", "version": 1, "schema": {"properties": {"x": {"type": "string"}, "y": {"type": "string"}}}})"));
  ASSERT_TRUE(grown) << grown.error().detail;
  EXPECT_EQ(grown->outcome, PushOutcome::updated);
  const char* const breaking =
      R"({"type": "a.done", "version": 1, "schema": {"properties": {"x": {"type": "string"}}, "required": ["x"]}})";
  const auto broken = push_onto(present, type_in(breaking));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::conflict);
}

TEST(SchemaPush, NamesAMessageBehindTheType) {  // S3.6
  const EventType type = type_in(
      R"({"type": "a.done#B", "version": 1, "schemaType": "PROTO",
          "schema": "syntax = \"proto3\"; message A {} message B {}"})");
  EXPECT_EQ(type.code, "a.done");
  EXPECT_EQ(type.spec_versions[0].message, "B");
}

TEST(SchemaPush, MayNameTheVersionItsAuthorHasSeen) {  // S2.4
  const auto schemas = read(R"([{"type": "a.done", "version": 1, "schema": {}, "ifMatch": 3},
    {"file": "a.done.v2.json", "text": "{}", "ifMatch": 0}, {"type": "a.done", "version": 3, "schema": {}},
    {"type": "a.done", "version": 4, "schema": {}, "ifMatch": -1}])");
  EXPECT_TRUE(schemas.at(0).type);
  EXPECT_EQ(schemas[0].if_match, 3u);
  EXPECT_EQ(schemas[1].if_match, 0u);
  EXPECT_EQ(schemas[2].if_match, std::nullopt);
  ASSERT_FALSE(schemas[3].type);
  EXPECT_EQ(schemas[3].type.error().field, "[3].ifMatch");
}

}  // namespace
}  // namespace millrace::api
