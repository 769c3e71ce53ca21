// Fields, arrays and the words that combine them (S2.8).
#include <gtest/gtest.h>

#include "match/testing.h"

namespace millrace::match {
namespace {

constexpr const char* kStaff = R"({"staff":[{"first":"John","last":"Doe","age":3},{"first":"Anna","last":"Smith"},
  {"first":"Peter","last":"Jones","tags":["a","b"],"pets":[{"kind":"cat","name":"Tom"},{"kind":"dog","name":"Rex"}]}],
  "site":"north"})";

TEST(Fields, AllMustMatchAndOthersAreIgnored) {
  const char* event = R"({"source":"s","detail":{"state":"running","n":1,"deep":{"er":true}}})";
  EXPECT_TRUE(matches(R"({"source":["s"],"detail":{"state":["running"],"deep":{"er":[true]}}})", event));
  EXPECT_FALSE(matches(R"({"source":["s"],"detail":{"state":["stopped"]}})", event));
  EXPECT_FALSE(matches(R"({"source":["s"],"detail":{"missing":["x"]}})", event));
  EXPECT_FALSE(matches(R"({"detail":["running"]})", event));
}

TEST(Fields, DottedKeysAliasNestedOnes) {
  for (const char* pattern :
       {R"({"a.b.c":[1]})", R"({"a":{"b.c":[1]}})", R"({"a.b":{"c":[1]}})", R"({"a":{"b":{"c":[1]}}})"}) {
    for (const char* event : {R"({"a.b.c":1})", R"({"a":{"b.c":1}})", R"({"a.b":{"c":1}})", R"({"a":{"b":{"c":1}}})"}) {
      EXPECT_TRUE(matches(pattern, event)) << pattern << event;
    }
    EXPECT_FALSE(matches(pattern, R"({"a":{"b":1},"c":1})"));
  }
}

TEST(Fields, KeysMayBeEmptyOrEscaped) {
  EXPECT_TRUE(matches(R"({"":[1]})", R"({"":1})"));
  EXPECT_TRUE(matches(R"({"":{"b":[1]}})", R"({".b":1})"));
  EXPECT_FALSE(matches(R"({"":{"b":[1]}})", R"({"b":1})"));
  EXPECT_TRUE(matches(R"({"a..b":[1]})", R"({"a":{"":{"b":1}}})"));
  EXPECT_TRUE(matches(R"({"k\u0065y":[1]})", R"({"\u006bey":1})"));
}

TEST(Arrays, AnElementIsEnough) {
  EXPECT_TRUE(matches(R"({"x":["b"]})", R"({"x":["a","b"]})"));
  EXPECT_TRUE(matches(R"({"x":["b"]})", R"({"x":[["a"],[["b"]]]})"));
  EXPECT_FALSE(matches(R"({"x":["c"]})", R"({"x":["a","b"]})"));
  EXPECT_TRUE(matches(R"({"staff":{"first":["Anna"]}})", kStaff));
}

TEST(Arrays, FieldsMustComeFromOneElement) {
  EXPECT_TRUE(matches(R"({"staff":{"first":["Anna"],"last":["Smith"]}})", kStaff));
  EXPECT_FALSE(matches(R"({"staff":{"first":["Anna"],"last":["Jones"]}})", kStaff));
  EXPECT_TRUE(matches(R"({"staff":{"first":["Anna","Peter"],"last":["Jones"]},"site":["north"]})", kStaff));
  EXPECT_FALSE(matches(R"({"staff":{"first":["Anna"],"pets":{"kind":["cat"]}}})", kStaff));
  EXPECT_TRUE(matches(R"({"staff":{"first":["Peter"],"pets":{"kind":["dog"],"name":["Rex"]}}})", kStaff));
  EXPECT_FALSE(matches(R"({"staff":{"first":["Peter"],"pets":{"kind":["dog"],"name":["Tom"]}}})", kStaff));
  EXPECT_TRUE(matches(R"({"staff":{"tags":["a"],"last":["Jones"]}})", kStaff));
}

TEST(Arrays, DifferentArraysAreIndependent) {
  const char* event = R"({"a":[{"x":1},{"x":2}],"b":[{"y":1},{"y":2}]})";
  EXPECT_TRUE(matches(R"({"a":{"x":[2]},"b":{"y":[1]}})", event));
  EXPECT_FALSE(matches(R"({"a":{"x":[3]},"b":{"y":[1]}})", event));
}

TEST(Arrays, NestedArraysAgreeAtEveryLevel) {
  const char* event = R"({"m":[[{"x":1,"y":1},{"x":2,"y":2}],[{"x":3,"y":3}]]})";
  EXPECT_TRUE(matches(R"({"m":{"x":[2],"y":[2]}})", event));
  EXPECT_FALSE(matches(R"({"m":{"x":[1],"y":[2]}})", event));
  EXPECT_FALSE(matches(R"({"m":{"x":[1],"y":[3]}})", event));
}

TEST(Arrays, AFieldIsMissingWhereTheOthersWereFound) {
  EXPECT_TRUE(matches(R"({"staff":{"first":["Anna"],"age":[{"exists":false}]}})", kStaff));
  EXPECT_FALSE(matches(R"({"staff":{"first":["John"],"age":[{"exists":false}]}})", kStaff));
  // Nothing else is looked for inside the array, so any element that has it counts.
  EXPECT_FALSE(matches(R"({"site":["north"],"staff":{"age":[{"exists":false}]}})", kStaff));
  EXPECT_TRUE(matches(R"({"staff":{"first":["Anna","John"],"age":[4,{"exists":false}]}})", kStaff));
  EXPECT_FALSE(matches(R"({"staff":{"first":["John"],"age":[4,{"exists":false}]}})", kStaff));
}

TEST(Arrays, OneFieldThroughTwoArraysOfAnEvent) {
  const char* event = R"({"a":[{"b":{"c":1,"d":1}}],"a.b":[{"c":2,"d":2},{"c":3}]})";
  EXPECT_TRUE(matches(R"({"a":{"b":{"c":[2],"d":[2]}}})", event));
  EXPECT_TRUE(matches(R"({"a":{"b":{"c":[3],"d":[1]}}})", event));
  EXPECT_FALSE(matches(R"({"a":{"b":{"c":[3],"d":[2]}}})", event));
}

TEST(Or, OneOfTheObjectsMustMatch) {
  const char* pattern = R"({"source":["s"],"$or":[{"a":[1]},{"b":[1],"c":[1]},{"d":{"e":[1]}}]})";
  EXPECT_TRUE(matches(pattern, R"({"source":"s","a":1})"));
  EXPECT_TRUE(matches(pattern, R"({"source":"s","b":1,"c":1})"));
  EXPECT_TRUE(matches(pattern, R"({"source":"s","d":{"e":1}})"));
  EXPECT_FALSE(matches(pattern, R"({"source":"s","b":1})"));
  EXPECT_FALSE(matches(pattern, R"({"source":"t","a":1})"));
}

TEST(Or, NestsAndKeepsItsPlace) {
  const char* pattern = R"({"detail":{"$or":[{"a":[1]},{"b":[1],"$or":[{"c":[1]},{"d":[1]}]}]}})";
  EXPECT_TRUE(matches(pattern, R"({"detail":{"a":1}})"));
  EXPECT_TRUE(matches(pattern, R"({"detail":{"b":1,"d":1}})"));
  EXPECT_FALSE(matches(pattern, R"({"detail":{"b":1}})"));
  EXPECT_FALSE(matches(pattern, R"({"a":1})"));
}

TEST(Or, SharesArrayElementsWithItsNeighbours) {
  EXPECT_TRUE(matches(R"({"staff":{"last":["Jones"],"$or":[{"first":["Anna"]},{"first":["Peter"]}]}})", kStaff));
  EXPECT_FALSE(matches(R"({"staff":{"last":["Jones"],"$or":[{"first":["Anna"]},{"first":["John"]}]}})", kStaff));
}

TEST(And, AllOfTheObjectsMustMatch) {
  const char* both = R"({"$and":[{"tags":["a"]},{"tags":["b"]}]})";
  EXPECT_TRUE(matches(both, R"({"tags":["a","b"]})"));
  EXPECT_FALSE(matches(both, R"({"tags":["a"]})"));
  EXPECT_FALSE(matches(R"({"staff":{"$and":[{"first":["Anna"]},{"last":["Jones"]}]}})", kStaff));
}

TEST(Not, TheObjectMustNotMatchTheEvent) {
  EXPECT_TRUE(matches(R"({"a":[1],"$not":{"b":[2]}})", R"({"a":1})"));
  EXPECT_TRUE(matches(R"({"a":[1],"$not":{"b":[2]}})", R"({"a":1,"b":3})"));
  EXPECT_FALSE(matches(R"({"a":[1],"$not":{"b":[2]}})", R"({"a":1,"b":2})"));
  EXPECT_TRUE(matches(R"({"$not":{"$or":[{"a":[1]},{"b":[1]}]}})", R"({"a":2,"b":2})"));
  EXPECT_FALSE(matches(R"({"$not":{"$or":[{"a":[1]},{"b":[1]}]}})", R"({"a":2,"b":1})"));
  EXPECT_TRUE(matches(R"({"$not":{"$not":{"a":[1]}}})", R"({"a":1})"));
  EXPECT_TRUE(matches(R"({"$or":[{"a":[1]},{"$not":{"b":[{"exists":true}]}}]})", "{}"));
}

TEST(Not, LooksAtTheWholeEventByItself) {
  EXPECT_FALSE(matches(R"({"staff":{"first":["Anna"],"$not":{"last":["Jones"]}}})", kStaff));
  EXPECT_TRUE(matches(R"({"staff":{"first":["Anna"],"$not":{"first":["Anna"],"last":["Jones"]}}})", kStaff));
}

TEST(Texts, LongOnesThatNearlyMatchEverywhereTakeLinearTime) {
  const std::string event = R"({"x":")" + std::string(4'000'000, 'a') + R"("})";
  const json::Document document = parsed(event);
  for (const char* pattern :
       {R"({"x":[{"wildcard":"*baaaaaaaaaaaa*"}]})", R"({"x":[{"wildcard":"*aaaaaaaaaaaab*c*"}]})"}) {
    EXPECT_FALSE(rule_set_matches(compiled(pattern), EventView(document.root())));
  }
}

TEST(Texts, FoldingOneDoesNotDisturbAnother) {
  // The value under x is looked up folded while rules fold the longer value under y.
  const std::string y = "Y" + std::string(200, 'Z');
  const std::string event = R"({"x":"ABCdef","y":")" + y + R"("})";
  const json::Document document = parsed(event);
  std::vector<Rule> rules;
  for (const char* x : {R"({"equals-ignore-case":"abcDEF"})", R"({"prefix":{"equals-ignore-case":"aBc"}})",
                        R"({"suffix":{"equals-ignore-case":"DEF"}})"}) {
    const std::string text = std::string(R"({"x":[)") + x + R"(],"y":[{"equals-ignore-case":")" + y + R"("}]})";
    rules.push_back({rules.size(), compiled(text)});
    rules.push_back({rules.size(), compiled(std::string(R"({"z":["no"],"y":[{"prefix":"Y"}],"x":[)") + x + "]}")});
  }
  Scratch scratch;
  std::vector<RuleId> matched;
  RuleSet::build(rules)->match(EventView(document.root()), scratch, matched);
  EXPECT_EQ(matched, (std::vector<RuleId>{0, 2, 4}));
}

TEST(EventView, FieldsNeedNotBeOneText) {
  const json::Document detail = parsed(R"({"state":"running","lines":[{"sku":"a"}]})");
  const std::string_view resources[] = {"task:1", "task:2"};
  const EventField fields[] = {{"source", "billing"},
                               {"resources", EventField::Texts(resources)},
                               {"detail", detail.root()},
                               {"data", detail.root()},
                               {"actor.id", "u1"}};
  const EventView event{std::span(fields)};
  for (const char* text : {R"({"source":["billing"],"detail":{"state":["running"]}})", R"({"resources":["task:2"]})",
                           R"({"data":{"lines":{"sku":["a"]}},"detail":{"lines":{"sku":["a"]}}})",
                           R"({"actor":{"id":["u1"]}})", R"({"missing":[{"exists":false}]})"}) {
    const auto pattern = compiled(text);
    EXPECT_TRUE(rule_set_matches(pattern, event)) << text;
    EXPECT_EQ(reference_matches(*pattern, event), true) << text;
  }
  const auto other = compiled(R"({"resources":["task:3"]})");
  EXPECT_FALSE(rule_set_matches(other, event));
  EXPECT_EQ(reference_matches(*other, event), false);
}

TEST(EventView, ARootThatIsNoObjectHasNoFields) {
  EXPECT_FALSE(matches(R"({"x":[1]})", "[1]"));
  EXPECT_TRUE(matches(R"({"x":[{"exists":false}]})", R"("x")"));
}

}  // namespace
}  // namespace millrace::match
