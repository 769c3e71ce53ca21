// S2.6
#include "registry/docs_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "registry/compile.h"
#include "registry/json_example.h"

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SpecVersion spec(SchemaVersion version, std::string schema) {
  return {.version = version,
          .mime_type = "application/json",
          .schema = std::move(schema),
          .status = VersionStatus::current};
}

EventType order() {
  return {.code = "order.created",
          .name = "Order created",
          .description = "A customer | bot <placed> an order.\nAt once.\n\nSecond paragraph.",
          .spec_versions = {
              spec({1, 0}, R"({"type":"object","required":["project_id"],"properties":{
                "project_id":{"type":"string","description":"whose | it is"},
                "lines":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string","format":"uuid"}}}}}})"),
              spec({2, 0}, R"({"type":"object","properties":{"kind":{"enum":["a","b"]},
                "lines":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string","format":"uuid"}}}}}})"),
          }};
}

TEST(DocsPage, HasPurposeVersionsBreakingChangesAndExamples) {
  const std::string page = docs_page(order());
  EXPECT_TRUE(
      page.starts_with("# `order.created`\n\n## Purpose\n\nOrder created.\n\n"
                       "A customer \\| bot &lt;placed> an order. At once.\n\nSecond paragraph.\n"));
  EXPECT_THAT(page, HasSubstr("| `project_id` | string | yes | whose \\| it is |\n"
                              "| `lines` | array of object | no |  |\n"
                              "| `lines[].sku` | string (uuid) | no |  |\n"));
  EXPECT_THAT(page, HasSubstr("| `kind` | \"a\" or \"b\" | no |  |"));
  EXPECT_THAT(page, HasSubstr("## Breaking changes\n\n### 2.0\n\n- \"project\\_id\" was removed"));
  EXPECT_THAT(page, HasSubstr("## Examples\n\n### 1.0\n\n```json\n{\n  \"project_id\": \"text\",\n"));
  EXPECT_THAT(page, Not(HasSubstr("could guess")));
}

TEST(DocsPage, SaysWhatIsNotThere) {
  const std::string page = docs_page({.code = "order.created", .name = "order.created"});
  EXPECT_THAT(page, HasSubstr("Nobody has described"));
  EXPECT_THAT(page, HasSubstr("No schema is registered"));
  EXPECT_THAT(page, HasSubstr("## Breaking changes\n\nNone."));
  EXPECT_THAT(page, HasSubstr("## Examples\n\nNone."));
}

TEST(DocsPage, TheNumberOfAVersionIsNoBreakingChange) {
  EventType type{.code = "a.made",
                 .spec_versions = {spec({1, 0}, R"({"properties":{"schema_version":{"const":1}}})"),
                                   spec({2, 0}, R"({"properties":{"schema_version":{"const":2}}})")}};
  for (SpecVersion& version : type.spec_versions) version.describes = Describes::envelope;
  EXPECT_THAT(docs_page(type), HasSubstr("## Breaking changes\n\nNone."));
}

TEST(DocsPage, CoversTheOtherLanguages) {
  SpecVersion proto =
      spec({1, 0}, R"(syntax = "proto3"; message M { repeated In list = 1; M next = 2; map<string, int32> m = 3;
    message In { int32 unit_count = 1; } })");
  proto.schema_type = SchemaType::proto;
  SpecVersion xsd = spec(
      {2, 0},
      R"(<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="o" type="xs:int"/></xs:schema>)");
  xsd.schema_type = SchemaType::xsd;
  const std::string page = docs_page({.code = "a.made", .spec_versions = {proto, xsd, spec({3, 0}, "{")}});
  EXPECT_THAT(page, HasSubstr("| `list[].unitCount` | int32 | no |"));
  EXPECT_THAT(page, HasSubstr("| `/o` | xs:int | no |"));
  EXPECT_THAT(page, HasSubstr("The schema does not compile"));
  EXPECT_THAT(page, HasSubstr("was PROTO of the data, is XSD of the data"));
}

TEST(Example, FitsItsSchema) {
  for (
      const char* schema : {
          R"({"type":"object","required":["a"],"properties":{"a":{"type":"string","format":"uuid"},"b":{"type":"integer","minimum":5}}})",
          R"({"type":"string","pattern":"^te_[0-9a-z]+"})",
          R"({"type":"string","minLength":10})",
          R"({"type":"string","maxLength":2})",
          R"({"type":"array","items":{"type":"number","exclusiveMinimum":3},"minItems":2})",
          R"({"oneOf":[{"type":"integer","maximum":-5},{"type":"string"}]})",
          R"({"enum":["x","y"]})",
          R"({"type":["null","boolean"]})",
          R"({"const":{"a":[1]}})",
          R"(true)",
          R"({})",
          R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"name":{"type":"string"},"child":{"$ref":"#/$defs/n"}}}}})",
          R"({"type":"object","properties":{"at":{"format":"date-time","type":"string"},"id":{"type":"string","examples":["org_1"]}}})",
          R"({"allOf":[{"type":"object","properties":{"a":{"const":1}}},{"required":["a"]}]})",
          R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})",
      }) {
    const auto document = json::parse(schema);
    const auto example = json::parse_owned(example_of(document->root()));
    ASSERT_TRUE(example) << schema;
    const auto validator = compile_schema(SchemaType::json_schema, schema);
    ASSERT_TRUE(validator) << schema << validator.error().detail;
    EXPECT_TRUE((*validator)->check(example->root()).empty()) << schema << " " << example->root().raw();
  }
}

TEST(Example, OfARecursiveSchemaEnds) {
  const auto document = json::parse(R"({"type":"object","required":["self"],"properties":{"self":{"$ref":"#"}}})");
  EXPECT_EQ(example_of(document->root()), "{}");
}

TEST(Example, IsIndentedForReaders) {
  const auto document = json::parse(R"({"a":[1,{"b":"c"}],"d":{},"e":[]})");
  EXPECT_EQ(indented(document->root()),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"c\"\n    }\n  ],\n  \"d\": {},\n  \"e\": []\n}");
}

}  // namespace
}  // namespace millrace::registry
