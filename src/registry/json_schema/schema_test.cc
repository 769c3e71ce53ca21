// What a schema accepts, what it says of what it does not, and which schemas are refused. S3.6, S2.4.
#include "registry/json_schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "json/parse.h"

namespace millrace::registry::json_schema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::shared_ptr<const Schema> compiled(std::string_view text, const CompileOptions& options = {}) {
  auto schema = Schema::compile(text, options);
  EXPECT_TRUE(schema.has_value()) << text << ": " << schema.error().field << ": " << schema.error().detail;
  return schema ? *schema : nullptr;
}

std::vector<Violation> violations(std::string_view schema, std::string_view instance,
                                  const CompileOptions& options = {}) {
  const auto document = json::parse(instance);
  EXPECT_TRUE(document.has_value()) << instance;
  return compiled(schema, options)->validate(document->root());
}

bool fits(std::string_view schema, std::string_view instance, const CompileOptions& options = {}) {
  const auto document = json::parse(instance);
  EXPECT_TRUE(document.has_value()) << instance;
  return compiled(schema, options)->is_valid(document->root());
}

struct Verdict {
  std::string_view schema, instance;
  bool valid;
};

class Verdicts : public testing::TestWithParam<Verdict> {};
TEST_P(Verdicts, AreWhatTheKeywordSays) {
  EXPECT_EQ(fits(GetParam().schema, GetParam().instance), GetParam().valid)
      << GetParam().schema << " and " << GetParam().instance;
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, Verdicts,
    testing::Values(Verdict{R"({"const":1})", "1.0", true}, Verdict{R"({"const":1})", "1e0", true},
                    Verdict{R"({"enum":[100,"a"]})", "1.00e2", true}, Verdict{R"({"const":0})", "-0.0", true},
                    Verdict{R"({"const":false})", "0", false}, Verdict{R"({"type":"integer"})", "1e300", true},
                    Verdict{R"({"type":"integer"})", "1.5", false}, Verdict{R"({"type":"integer"})", "15e-1", false},
                    Verdict{R"({"maximum":9007199254740993})", "9007199254740994", false},
                    Verdict{R"({"maximum":9007199254740993})", "9007199254740992.9", true},
                    Verdict{R"({"maximum":1e400})", "1e399", true}, Verdict{R"({"minimum":-1e400})", "-1e401", false},
                    Verdict{R"({"exclusiveMinimum":0.1})", "0.1000000000000000000001", true},
                    Verdict{R"({"exclusiveMinimum":0.1})", "0.10", false},
                    Verdict{R"({"multipleOf":0.01})", "19.99", true},
                    Verdict{R"({"multipleOf":0.01})", "19.999", false}, Verdict{R"({"multipleOf":3})", "3e100", true},
                    Verdict{R"({"multipleOf":7})", "1e100", false},
                    Verdict{R"({"multipleOf":1e-8})", "12391239123", true},
                    Verdict{R"({"uniqueItems":true})", "[1,2,1.0]", false},
                    Verdict{R"({"uniqueItems":true})", R"([{"a":1,"b":2},{"b":2,"a":1.0}])", false},
                    Verdict{R"({"uniqueItems":true})", R"([[1],[true],"1",1,null,{}])", true}));

INSTANTIATE_TEST_SUITE_P(
    Texts, Verdicts,
    testing::Values(Verdict{R"({"maxLength":2})", "\"\xF0\x9F\x90\xB2\xF0\x9F\x90\xB2\"", true},
                    Verdict{R"({"maxLength":1})", R"("\ud83d\udc32")", true},
                    Verdict{R"({"minLength":2})", R"("\ud83d\udc32")", false},
                    Verdict{R"({"const":"a/b"})", R"("a\/b")", true},
                    Verdict{R"({"required":["a"],"properties":{"a":{"type":"null"}}})", R"({"\u0061":null})", true},
                    Verdict{R"({"pattern":"^\\d{3}$"})", "\"123\"", true},
                    Verdict{R"({"pattern":"^\\d{3}$"})", "\"123\\n\"", false},
                    Verdict{R"({"pattern":"^\\p{Lu}[\\s\\S]$"})", "\"\xC3\x84\\n\"", true},
                    Verdict{R"({"pattern":"[^\\S]"})", "\"a\xC2\xA0\"", true},
                    Verdict{R"({"pattern":"^[\\w.-]+@[a-z]+\\.com$"})", R"("a.b-c@example.com")", true},
                    Verdict{R"({"pattern":"^(?<year>\\d+)-\\u{31}$"})", R"("2025-1")", true},
                    Verdict{R"({"pattern":"^(a+)+$"})", R"("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")",
                            false}));

// draft-07 and 2020-12 differ in what stands beside $ref and in what a list of items is called.
TEST(Drafts, AreToldApartBySchemaAndByDefault) {
  const CompileOptions old{.default_draft = Draft::draft07};
  EXPECT_TRUE(fits(R"({"definitions":{"a":{}},"$ref":"#/definitions/a","maximum":1})", "2", old));
  EXPECT_FALSE(fits(R"({"$defs":{"a":{}},"$ref":"#/$defs/a","maximum":1})", "2"));
  EXPECT_FALSE(fits(R"({"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}]})", "[1]"));
  EXPECT_FALSE(fits(R"({"prefixItems":[{"type":"null"}]})", "[1]"));
  EXPECT_TRUE(fits(R"({"prefixItems":[{"type":"null"}]})", "[1]", old));
}

TEST(Violations, TellTheValueTheKeywordAndTheReason) {
  const auto found = violations(
      R"({"type":"object","required":["id","kind"],"additionalProperties":false,
          "properties":{"id":{"type":"integer"},"kind":{"enum":["a","b"]},"lines":{"items":{"$ref":"#/$defs/line"}}},
          "$defs":{"line":{"properties":{"a/b":{"minimum":1}}}}})",
      R"({"id":1.5,"lines":[{},{"a/b":0}],"more":true})");
  EXPECT_THAT(found,
              ElementsAre(Violation{"/id", "/properties/id/type", "must be an integer, is 1.5"},
                          Violation{"/lines/1/a~1b", "/$defs/line/properties/a~1b/minimum", "must be at least 1, is 0"},
                          Violation{"/more", "/additionalProperties", "the property \"more\" is not allowed here"},
                          Violation{"", "/required", "must have the property \"kind\""}));
}

TEST(Violations, OfANullableObjectAreToldInside) {
  const auto found = violations(R"({"anyOf":[{"type":"null"},{"type":"object","required":["a"]}]})", "{}");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].schema_pointer, "/anyOf");
  EXPECT_EQ(found[1], (Violation{"", "/anyOf/1/required", "must have the property \"a\""}));
}

TEST(Violations, OfAValueThatNoAlternativeTakesNameTheTypes) {
  EXPECT_THAT(violations(R"({"oneOf":[{"type":"integer"},{"const":"all"}]})", "null"),
              ElementsAre(Violation{"", "/oneOf", "must be an integer or a string, is null"}));
  EXPECT_THAT(violations(R"({"anyOf":[{"type":"integer","minimum":3},{"type":"null"}]})", "2"),
              ElementsAre(Violation{"", "/anyOf", "must fit at least one of 2 schemas, fits none"},
                          Violation{"", "/anyOf/0/minimum", "must be at least 3, is 2"}));
}

TEST(Violations, StopAtTheLimit) {
  std::string instance = "[0";
  for (int i = 0; i < 1000; ++i) instance += ",0";
  const auto document = json::parse_owned(instance + "]");
  const auto schema = compiled(R"({"items":{"type":"string"}})");
  EXPECT_THAT(schema->validate(document->root()), SizeIs(kViolationsDefault));
  EXPECT_THAT(schema->validate(document->root(), 3), SizeIs(3));
  EXPECT_THAT(schema->validate(document->root(), 0), SizeIs(1));
}

TEST(Formats, AreCommentsUnlessAsserted) {
  EXPECT_TRUE(fits(R"({"format":"date-time"})", "\"yesterday\""));
  const CompileOptions strict{.assert_formats = true};
  EXPECT_FALSE(fits(R"({"format":"date-time"})", "\"yesterday\"", strict));
  EXPECT_TRUE(fits(R"({"format":"date-time"})", "\"2025-12-24T10:30:00Z\"", strict));
  EXPECT_TRUE(fits(R"({"format":"no-such-format"})", "\"yesterday\"", strict));
}

// S2.5: an event from before a property was asked for stays valid where that has a default.
class StandingIn : public testing::TestWithParam<Verdict> {};
TEST_P(StandingIn, IsForDefaultsOfRequiredProperties) {
  const auto& [schema, instance, valid] = GetParam();
  const CompileOptions options{.defaults_stand_in = true};
  EXPECT_EQ(fits(schema, instance, options), valid) << schema << " and " << instance;
  EXPECT_EQ(violations(schema, instance, options).empty(), valid) << schema << " and " << instance;
}

constexpr std::string_view kEither = R"({"oneOf":[{"properties":{"a":{"default":1}},"required":["a"]},
                                                  {"properties":{"b":{"default":1}},"required":["b"]}]})";
INSTANTIATE_TEST_SUITE_P(
    Defaults, StandingIn,
    testing::Values(
        Verdict{R"({"properties":{"a":{"default":1}},"required":["a"]})", "{}", true},
        Verdict{R"({"properties":{"a":{"default":1}},"required":["b","a"]})", "{}", false},
        Verdict{R"({"properties":{"a":{"default":1}},"required":["b","a"]})", R"({"b":1})", true},
        Verdict{R"({"properties":{"a":{"default":1}},"required":["b","a"]})", R"({"a":1})", false},
        Verdict{R"({"properties":{"a":{"default":1,"type":"integer"}},"required":["a"]})", R"({"a":""})", false},
        Verdict{R"({"properties":{"a":{}},"required":["a"]})", "{}", false},
        Verdict{R"({"default":{},"required":["a"]})", "{}", false},
        Verdict{R"({"properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"],
                    "$defs":{"a":{"allOf":[{},{"default":1}]}}})",
                "{}", true},
        Verdict{R"({"items":{"properties":{"a":{"default":1}},"required":["a"]}})", "[{}]", true},
        // Where a schema only asks, it asks of the value as it is: nothing is refused that plainly fits.
        Verdict{R"({"not":{"properties":{"a":{"default":1}},"required":["a"]}})", "{}", true},
        Verdict{R"({"if":{"properties":{"a":{"default":1}},"required":["a"]},"then":false})", "{}", true},
        Verdict{R"({"contains":{"properties":{"a":{"default":1}},"required":["a"]},"maxContains":1})",
                R"([{"a":1},{}])", true},
        Verdict{kEither, R"({"a":1})", true}, Verdict{kEither, "{}", false},
        Verdict{R"({"oneOf":[{"type":"null"},{"properties":{"a":{"default":1}},"required":["a"]}]})", "{}", true}));

TEST(Defaults, StandForNothingUnlessAskedTo) {
  EXPECT_FALSE(fits(R"({"properties":{"a":{"default":1}},"required":["a"]})", "{}"));
}

TEST(References, ReachTheLibraryAndTheMetaschemas) {
  auto library = std::make_shared<Library>();
  ASSERT_TRUE(library->add("https://example.com/money.json", R"({"$defs":{"amount":{"type":"integer"}}})").has_value());
  const CompileOptions options{.library = library, .uri = "https://example.com/order.json"};
  const std::string_view schema = R"({"properties":{"total":{"$ref":"money.json#/$defs/amount"}}})";
  EXPECT_TRUE(fits(schema, R"({"total":1})", options));
  EXPECT_THAT(violations(schema, R"({"total":"1"})", options),
              ElementsAre(Violation{"/total", "https://example.com/money.json#/$defs/amount/type",
                                    "must be an integer, is a string"}));
  EXPECT_FALSE(fits(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})", R"({"type":"text"})"));
  EXPECT_FALSE(fits(R"({"$ref":"http://json-schema.org/draft-07/schema#"})", R"({"maxLength":-1})"));
}

// A tree checks itself at every level, and goes on only as deep as the value.
TEST(References, MayBeRecursiveThroughTheValue) {
  const std::string_view tree = R"({"type":"object","properties":{"next":{"$ref":"#"}},"required":["v"]})";
  EXPECT_TRUE(fits(tree, R"({"v":1,"next":{"v":2,"next":{"v":3}}})"));
  EXPECT_FALSE(fits(tree, R"({"v":1,"next":{"v":2,"next":{}}})"));
}

TEST(Schemas, MayBeUsedByManyThreads) {
  const auto schema = compiled(R"({"items":{"pattern":"^[a-z]+[0-9]$","maxLength":5},"uniqueItems":true})");
  const auto good = json::parse(std::string_view(R"(["ab1","ab2"])"));
  const auto bad = json::parse(std::string_view(R"(["ab1","ab"])"));
  std::vector<std::jthread> threads;
  std::vector<int> wrong(4);
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) count += !schema->is_valid(good->root()) + schema->is_valid(bad->root());
    });
  }
  threads.clear();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(Schemas, OutliveTheTextTheyWereMadeFrom) {
  std::shared_ptr<const Schema> schema;
  {
    const std::string text = R"({"enum":["a long text, which is not kept inside a short string"]})";
    const auto document = json::parse(text);
    schema = *Schema::compile(document->root());
  }
  const auto instance = json::parse(std::string_view(R"("a long text, which is not kept inside a short string")"));
  EXPECT_THAT(schema->validate(instance->root()), IsEmpty());
}

}  // namespace
}  // namespace millrace::registry::json_schema
