// S3.6: schemas by themselves, and types ready to check events.
#include "registry/schema_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "registry/compiled_type.h"

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;

Result<SchemaEntry> read(std::string text) {
  const auto document = json::parse_owned(std::move(text));
  return parse_schema_entry(document->root());
}

Result<Comparison> check(std::string text) {
  const auto document = json::parse_owned(std::move(text));
  return check_schemas(document->root());
}

TEST(SchemaEntry, ReadsBackWhatItWrites) {
  const auto entry =
      read(R"({"name":"orders#B","description":"d","schemaType":"PROTO","eventTypeId":"a.b","version":"1.2",
    "content":"syntax = \"proto3\"; message A {} message B {}"})");
  ASSERT_TRUE(entry) << entry.error().detail;
  EXPECT_EQ(message_of(*entry), "B");
  EXPECT_EQ(entry->mime_type, "application/json");
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  write_members(writer, *entry);
  writer.end_object();
  EXPECT_EQ(read(out), entry) << out;
}

TEST(SchemaEntry, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"content":{}})", "name"},
      {R"({"name":"","content":{}})", "name"},
      {R"({"name":"a"})", "content"},
      {R"({"name":"a","content":{"type":"strin"}})", "content"},
      {R"({"name":"a","content":"{\u0000}"})", "content"},
      {R"({"name":"a","content":{},"schemaType":"AVRO"})", "schemaType"},
      {R"({"name":"a","content":{},"version":"1"})", "version"},
      {R"({"name":"a#C","content":"message A {}","schemaType":"PROTO"})", "content"},
      {R"({"name":"a","content":"<x/>","schemaType":"XSD"})", "content"},
  };
  for (const auto& [text, field] : cases) {
    const auto entry = read(text);
    ASSERT_FALSE(entry) << text;
    EXPECT_EQ(entry.error().field, field) << entry.error().detail;
  }
}

// S2.5: what POST /api/schemas/check asks.
TEST(SchemaCheck, ComparesTextsAndValues) {
  const auto same = check(R"({"old":{"type":"object"},"new":"{\"type\":\"object\"}"})");
  ASSERT_TRUE(same) << same.error().detail;
  EXPECT_TRUE(same->changes.empty());
  const auto other = check(R"({"old":{"type":"object"},"new":{"type":"array"}})");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->compatible());
  const auto proto =
      check(R"({"schemaType":"PROTO","message":"B","old":"message A {} message B {optional int32 a = 1;}",
    "new":"message A {} message B {}"})");
  ASSERT_TRUE(proto) << proto.error().detail;
  EXPECT_FALSE(proto->compatible());
}

TEST(SchemaCheck, NamesTheSideThatDoesNotCompile) {
  EXPECT_EQ(check(R"({"old":{}})").error().field, "new");
  EXPECT_EQ(check(R"({"old":{"type":1},"new":{}})").error().field, "old");
  EXPECT_EQ(check(R"({"old":7,"new":{}})").error().field, "old");
}

// S2.4, S3.5: an event is checked against the version it names, else the CURRENT one.
TEST(CompiledType, ChecksAnEventAgainstTheVersionItNames) {
  const auto type = CompiledType::compile(
      {.code = "a.made",
       .strict = true,
       .spec_versions = {{.version = {1, 0}, .schema = R"({"type":"string"})", .status = VersionStatus::deprecated},
                         {.version = {2, 0}, .schema = R"({"type":"integer"})", .status = VersionStatus::current}}});
  ASSERT_TRUE(type) << type.error().detail;
  const auto payload = json::parse("7");
  const auto current = (*type)->choose(std::nullopt);
  EXPECT_EQ(current->spec->version, (SchemaVersion{2, 0}));
  EXPECT_TRUE(current->validator->check(payload->root()).empty());
  EXPECT_EQ((*type)->choose("1")->validator->check(payload->root()).size(), 1u);
  EXPECT_EQ((*type)->choose("3").error().field, "schemaVersion");
}

TEST(CompiledType, NamesTheSchemaThatDoesNotCompile) {
  const auto type = CompiledType::compile({.code = "a.made", .spec_versions = {{.schema = "{}"}, {.schema = "{"}}});
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().field, "specVersions[1].schema");
}

}  // namespace
}  // namespace millrace::registry
