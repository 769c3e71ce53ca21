// Schemas that are wrong, and schemas that were made to hurt: refused with a reason, or run in bounded time. S3.6
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "json/parse.h"
#include "registry/json_schema/schema.h"

namespace millrace::registry::json_schema {
namespace {

using testing::HasSubstr;

struct Refusal {
  std::string_view schema, field, reason;
};

class Refused : public testing::TestWithParam<Refusal> {};
TEST_P(Refused, WithPlaceAndReason) {
  const auto schema = Schema::compile(GetParam().schema);
  ASSERT_FALSE(schema.has_value()) << GetParam().schema;
  EXPECT_EQ(schema.error().code, Errc::invalid);
  EXPECT_EQ(schema.error().field, GetParam().field) << schema.error().detail;
  EXPECT_THAT(schema.error().detail, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Keywords, Refused,
    testing::Values(
        Refusal{"[]", "", "must be a boolean or an object"}, Refusal{"3", "", "must be a boolean or an object"},
        Refusal{R"({"type":"strng"})", "/type",
                R"(one of "array", "boolean", "integer", "null", "number", "object", "string", is "strng")"},
        Refusal{R"({"properties":{"a":{"type":["null","strng"]}}})", "/properties/a/type/1", R"("string", is "strng")"},
        Refusal{R"({"type":5})", "/type", "must be a string or an array, is a number"},
        Refusal{R"({"maxLength":-1})", "/maxLength", "at least 0"},
        Refusal{R"({"maxLength":1.5})", "/maxLength", "an integer"},
        Refusal{R"({"properties":{"a":{"minimum":"1"}}})", "/properties/a/minimum", "must be a number"},
        Refusal{R"({"required":["a","a"]})", "/required", "equal elements"},
        Refusal{R"({"anyOf":[]})", "/anyOf", "at least 1 element"}, Refusal{R"({"items":[{}]})", "/items", "must be"},
        Refusal{R"({"multipleOf":0})", "/multipleOf", "greater than 0"},
        Refusal{R"({"multipleOf":1.2345678901234567891})", "/multipleOf", "18 significant digits"},
        Refusal{R"({"title":1})", "/title", "must be a string"},
        Refusal{R"({"$schema":"http://json-schema.org/draft-04/schema#"})", "/$schema", "not supported"},
        Refusal{R"({"properties":{"a":{"$id":"x","$schema":"urn:other"}}})", "/properties/a/$schema", "not supported"},
        Refusal{R"({"unknown":{"a":5},"$ref":"#/unknown/a"})", "/unknown/a", "an object or a boolean"},
        Refusal{R"({"unknown":{"pattern":5},"$ref":"#/unknown"})", "/unknown/pattern", "must be a string"}));

INSTANTIATE_TEST_SUITE_P(
    References, Refused,
    testing::Values(Refusal{R"({"$ref":"#/$defs/a"})", "/$ref", "nothing stands at #/$defs/a"},
                    Refusal{R"({"$ref":"https://example.com/x"})", "/$ref", "with $id: references are never fetched"},
                    Refusal{R"({"$defs":{"a":{"$ref":"#b"}}})", "/$defs/a/$ref", "nothing stands at #b"},
                    Refusal{R"({"$ref":"#/%zz"})", "/$ref", "percent-encoded"},
                    Refusal{R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})", "/$defs/b/$id", "used twice"},
                    Refusal{R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})", "/$defs/b/$anchor", "used twice"},
                    Refusal{R"({"$ref":"#"})", "", "never end"},
                    Refusal{R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "", "never end"},
                    Refusal{R"({"allOf":[{"anyOf":[{"not":{"$ref":"#/allOf/0"}}]}]})", "/allOf/0", "never end"},
                    Refusal{
                        R"({"$ref":"#/$defs/a","$defs":{"a":{"if":{"$ref":"#/$defs/b"}},"b":{"$ref":"#/$defs/a"}}})",
                        "/$defs/a", "never end"}));

INSTANTIATE_TEST_SUITE_P(
    Patterns, Refused,
    testing::Values(Refusal{R"s({"pattern":"("})s", "/pattern", "not closed"},
                    Refusal{R"s({"pattern":"a)"})s", "/pattern", "closes no group"},
                    Refusal{R"s({"pattern":"*a"})s", "/pattern", "nothing to repeat"},
                    Refusal{R"s({"pattern":"[b-a]"})s", "/pattern", "out of order"},
                    Refusal{R"s({"pattern":"a\\Z"})s", "/pattern", "no escape"},
                    Refusal{R"s({"pattern":"(?=a)b"})s", "/pattern", "lookahead"},
                    Refusal{R"s({"pattern":"(a)\\1"})s", "/pattern", "backreferences"},
                    Refusal{R"s({"pattern":"\\p{Nonsense}"})s", "/pattern", "cannot be run"},
                    Refusal{R"s({"pattern":"a{2000}"})s", "/pattern", "more than 1000"},
                    Refusal{R"s({"pattern":"(a{1000}){1000}"})s", "/pattern", "cannot be"},
                    Refusal{R"s({"pattern":"((((\\w{30}){30}){30}){30}){30}"})s", "/pattern", "cannot be"},
                    Refusal{R"s({"patternProperties":{"[":{}}})s", "/patternProperties", "not closed"}));

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Whether it compiles; either way without a crash and in time.
bool compiles(const std::string& schema) { return Schema::compile(schema).has_value(); }

TEST(HostileSchemas, ThatAreNestedDeeplyAreRefused) {
  EXPECT_FALSE(compiles(repeated(R"({"not":)", 100'000) + "{}" + repeated("}", 100'000)));
  EXPECT_FALSE(compiles(R"s({"pattern":")s" + repeated("(", 5000) + repeated(")", 5000) + "\"}"));
  EXPECT_FALSE(compiles(R"({"pattern":")" + repeated("a", 100'000) + "\"}"));
}

TEST(HostileSchemas, WithLongChainsOfReferencesAreRefused) {
  std::string schema = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 20'000; ++i) schema += fmt::format(R"("{}":{{"$ref":"#/$defs/{}"}},)", i, i + 1);
  EXPECT_FALSE(compiles(schema + R"("20000":{}}})"));
}

TEST(HostileSchemas, WithTooManyPatternsOrSubschemasAreRefused) {
  std::string patterns = R"({"patternProperties":{)";
  for (int i = 0; i < 2000; ++i) patterns += fmt::format(R"("a+{}":true,)", i);
  EXPECT_FALSE(compiles(patterns + R"("b":true}})"));
  EXPECT_FALSE(compiles(R"({"allOf":[true)" + repeated(",{}", 200'000) + "]}"));
}

TEST(HostileSchemas, WithPatternsTooLargeTogetherAreRefused) {
  std::string schema = R"({"allOf":[true)";
  for (int i = 0; i < 900; ++i) schema += fmt::format(R"s(,{{"pattern":"(\\p{{L}}{{3}}){{3}}{}"}})s", i);
  const auto refused = Schema::compile(schema + "]}");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().detail, HasSubstr("too large together"));
}

// Where a dynamic reference leads shows only while it runs.
TEST(HostileSchemas, WithEndlessDynamicReferencesAreCutOff) {
  const auto schema = Schema::compile(R"({"$id":"urn:a","$dynamicAnchor":"n","$ref":"urn:b","$defs":{"b":{"$id":"urn:b",
      "$dynamicRef":"#n","$defs":{"n":{"$dynamicAnchor":"n"}}}}})");
  ASSERT_TRUE(schema.has_value()) << schema.error().detail;
  const auto violations = (*schema)->validate(json::parse(std::string_view("1"))->root());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_THAT(violations[0].message, HasSubstr("too much work"));
}

TEST(HostileSchemas, WithManyReferencesIntoUnknownKeywordsEnd) {
  std::string schema = R"({"x":{)";
  for (int i = 0; i < 10'000; ++i) schema += fmt::format(R"("{}":true,)", i);
  schema += R"("last":true},"allOf":[true)";
  for (int i = 0; i < 10'000; ++i) schema += fmt::format(R"(,{{"$ref":"#/x/{}"}})", i);
  EXPECT_FALSE(compiles(schema + "]}"));
}

TEST(LargeSchemas, WithAHundredThousandEnumValuesAnswer) {
  std::string text = R"({"enum":[0)";
  for (int i = 1; i < 100'000; ++i) text += fmt::format(",\"v{}\"", i);
  const auto schema = Schema::compile(text + "]}");
  ASSERT_TRUE(schema.has_value());
  EXPECT_TRUE((*schema)->is_valid(json::parse(std::string_view("\"v99999\""))->root()));
  const auto violations = (*schema)->validate(json::parse(std::string_view("\"v100000\""))->root());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_LT(violations[0].message.size(), 500u);
}

// Each level tries the next one twice: 2^60 checks without a bound.
std::string doubling_schema(std::string_view start) {
  std::string schema = fmt::format(R"({{{},"$defs":{{)", start);
  for (int i = 0; i < 60; ++i) {
    schema += fmt::format(R"("{0}":{{"anyOf":[{{"$ref":"#/$defs/{1}"}},{{"$ref":"#/$defs/{1}"}}]}},)", i, i + 1);
  }
  return schema + R"("60":{"type":"string"}}})";
}

TEST(HostileSchemas, ThatBranchWithoutEndAreCutOff) {
  const auto schema = Schema::compile(doubling_schema(R"("$ref":"#/$defs/0")"));
  ASSERT_TRUE(schema.has_value()) << schema.error().detail;
  EXPECT_TRUE((*schema)->is_valid(json::parse(std::string_view("\"one way is enough\""))->root()));
  const auto violations = (*schema)->validate(json::parse(std::string_view("1"))->root());
  ASSERT_FALSE(violations.empty());
  EXPECT_THAT(violations.back().message, HasSubstr("too much work"));
}

// A negation must not turn the end of patience into consent.
TEST(HostileSchemas, ThatBranchUnderNotAreInvalidToo) {
  const auto schema = Schema::compile(doubling_schema(R"("not":{"$ref":"#/$defs/0"})"));
  ASSERT_TRUE(schema.has_value()) << schema.error().detail;
  EXPECT_FALSE((*schema)->is_valid(json::parse(std::string_view("1"))->root()));
}

TEST(HostileInstances, WithManyElementsAreComparedByHash) {
  std::string instance = "[0";
  for (int i = 1; i < 100'000; ++i) instance += fmt::format(",{}", i);
  const auto document = json::parse_owned(instance + "]");
  const auto schema = Schema::compile(R"({"uniqueItems":true})");
  EXPECT_TRUE((*schema)->is_valid(document->root()));
}

TEST(HostileInstances, WithLongNumbersAreComparedExactly) {
  const std::string digits(100'000, '7');
  const auto document = json::parse_owned("[" + digits + ",0." + digits + ",1e" + digits + "]");
  const auto schema = Schema::compile(R"({"items":{"minimum":0,"not":{"multipleOf":7e5}},"uniqueItems":true})");
  EXPECT_TRUE((*schema)->is_valid(document->root())) << "77…7 is no multiple of 700000";
}

}  // namespace
}  // namespace millrace::registry::json_schema
