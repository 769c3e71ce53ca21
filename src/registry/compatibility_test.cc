// S2.5: the rule table, through nested objects, arrays, enums and references.
#include "registry/compatibility.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Comparison compare(std::string was, std::string is) {
  const auto old_document = json::parse_owned(std::move(was));
  const auto new_document = json::parse_owned(std::move(is));
  return compare_json_schemas(old_document->root(), new_document->root());
}

std::string object(const std::string& properties, const std::string& required = "") {
  return fmt::format(R"({{"type":"object","properties":{{{}}},"required":[{}]}})", properties, required);
}

// One change, of this kind, at this place.
void expect_change(const Comparison& result, ChangeKind kind, bool breaking, const std::string& pointer) {
  ASSERT_EQ(result.changes.size(), 1u) << (result.changes.size() > 1 ? result.changes[1].message : "");
  EXPECT_EQ(to_text(result.changes[0].kind), to_text(kind)) << result.changes[0].message;
  EXPECT_EQ(result.changes[0].breaking, breaking) << result.changes[0].message;
  EXPECT_EQ(result.changes[0].pointer, pointer);
  EXPECT_EQ(result.compatible(), !breaking);
}

TEST(Compatibility, TheSameSchemaHasNoChanges) {
  const std::string schema = object(R"("a":{"type":"string"},"b":{"enum":[1,2]})", R"("a")");
  EXPECT_THAT(compare(schema, schema).changes, IsEmpty());
  EXPECT_THAT(compare(R"({"type":"object","title":"x"})", R"({ "description": "y", "type": "object" })").changes,
              IsEmpty());
}

TEST(Compatibility, AnAddedOptionalFieldIsFine) {
  expect_change(compare(object(R"("a":{"type":"string"})"), object(R"("a":{"type":"string"},"b":{"type":"integer"})")),
                ChangeKind::field_added, false, "/properties/b");
}

TEST(Compatibility, AnAddedRequiredFieldNeedsADefault) {
  const std::string was = object(R"("a":{"type":"string"})");
  expect_change(compare(was, object(R"("a":{"type":"string"},"b":{"type":"integer","default":1})", R"("b")")),
                ChangeKind::required_added, false, "/properties/b");
  expect_change(compare(was, object(R"("a":{"type":"string"},"b":{"type":"integer"})", R"("b")")),
                ChangeKind::required_added, true, "/properties/b");
}

TEST(Compatibility, ARequiredFieldKeepsItsDefault) {
  const std::string with = object(R"("b":{"type":"integer","default":1})", R"("b")");
  const std::string without = object(R"("b":{"type":"integer"})", R"("b")");
  const auto lost = compare(with, without);
  expect_change(lost, ChangeKind::default_changed, true, "/properties/b/default");
  EXPECT_EQ(lost.changes[0].message, "\"b\" is required and no longer has a default");
  const auto won = compare(without, with);
  expect_change(won, ChangeKind::default_changed, false, "/properties/b/default");
  EXPECT_EQ(won.changes[0].message, "\"b\" has a default now");
  // Nobody relies on the default of a field that may be missing anyway.
  const auto optional = compare(object(R"("b":{"default":1})"), object(R"("b":{})"));
  expect_change(optional, ChangeKind::default_changed, false, "/properties/b/default");
  EXPECT_EQ(optional.changes[0].message, "\"b\" no longer has a default");
}

// As at publish: only a default among the properties beside "required" stands in.
TEST(Compatibility, ADefaultElsewhereDoesNotStandIn) {
  EXPECT_FALSE(compare(R"({"allOf":[{"properties":{"a":{"default":1}}}]})",
                       R"({"allOf":[{"properties":{"a":{"default":1}}},{"required":["a"]}]})")
                   .compatible());
  EXPECT_TRUE(
      compare(R"({"allOf":[{}]})", R"({"allOf":[{"properties":{"a":{"default":1}},"required":["a"]}]})").compatible());
}

TEST(Compatibility, AFieldThatWasCoveredBeforeItWasNamedKeepsItsType) {
  for (const char* cover :
       {R"("additionalProperties":{"type":"string"})", R"("patternProperties":{"^b":{"type":"string"}})",
        R"("unevaluatedProperties":{"type":"string"})",
        R"("patternProperties":{"^b":{"type":"string"}},"additionalProperties":{"type":"integer"})"}) {
    const auto with = [&](const char* properties) {
      return fmt::format(R"({{"properties":{{"a":{{"type":"string"}}{}}},{}}})", properties, cover);
    };
    const auto retyped = compare(with(""), with(R"(,"b":{"type":"integer"})"));
    ASSERT_EQ(retyped.changes.size(), 2u) << cover;
    EXPECT_EQ(retyped.changes[0].kind, ChangeKind::field_added);
    EXPECT_EQ(retyped.changes[1].message, "\"b\" has another type: was string, is integer");
    EXPECT_FALSE(retyped.compatible()) << cover;
    expect_change(compare(with(""), with(R"(,"b":{"type":"string"})")), ChangeKind::field_added, false,
                  "/properties/b");
  }
  // A pattern still holds beside a name that says nothing; what additionalProperties said is gone.
  EXPECT_TRUE(compare(R"({"patternProperties":{"^b":{"type":"string"}}})",
                      R"({"patternProperties":{"^b":{"type":"string"}},"properties":{"b":{}}})")
                  .compatible());
  EXPECT_FALSE(compare(R"({"additionalProperties":{"type":"string"}})",
                       R"({"additionalProperties":{"type":"string"},"properties":{"b":{}}})")
                   .compatible());
}

TEST(Compatibility, TheSameInOtherWordsIsNoChange) {
  for (const auto& [was, is] :
       {std::pair{R"({"const":1})", R"({"const":1.0})"}, std::pair{R"({"enum":[10]})", R"({"enum":[1e1]})"},
        std::pair{R"({"type":"boolean"})", R"({"type":"boolean","enum":[false,true]})"},
        std::pair{R"({"type":"boolean"})", R"({"enum":[true,false]})"},
        std::pair{R"({"enum":[true,false]})", R"({"type":"boolean"})"},
        std::pair{R"({"type":"null"})", R"({"const":null})"},
        std::pair{R"({"multipleOf":0.1})", R"({"multipleOf":0.10})"}}) {
    EXPECT_THAT(compare(was, is).changes, IsEmpty()) << was << " " << is;
  }
  EXPECT_FALSE(compare(R"({"type":"boolean"})", R"({"enum":[true]})").compatible());
  EXPECT_TRUE(compare(R"({"enum":[true]})", R"({"type":"boolean"})").compatible());
}

TEST(Compatibility, ARemovedFieldBreaks) {
  expect_change(compare(object(R"("a":{"type":"string"},"b":{"type":"integer"})"), object(R"("a":{"type":"string"})")),
                ChangeKind::field_removed, true, "/properties/b");
}

TEST(Compatibility, ARenamedFieldBreaksAndNamesBoth) {
  const auto result = compare(object(R"("project_id":{"type":"string"})", R"("project_id")"),
                              object(R"("projectId":{"type":"string"})", R"("projectId")"));
  expect_change(result, ChangeKind::field_renamed, true, "/properties/project_id");
  EXPECT_THAT(result.changes[0].message, HasSubstr("projectId"));
}

TEST(Compatibility, AFieldOfAnotherTypeIsNoRename) {
  const auto result = compare(object(R"("project_id":{"type":"string"})"), object(R"("project":{"type":"object"})"));
  ASSERT_EQ(result.changes.size(), 2u);
  EXPECT_EQ(result.changes[0].kind, ChangeKind::field_removed);
  EXPECT_EQ(result.changes[1].kind, ChangeKind::field_added);
}

TEST(Compatibility, AChangedTypeBreaks) {
  for (const auto& [was, is] : {std::pair{R"("string")", R"("integer")"}, std::pair{R"("integer")", R"("number")"},
                                std::pair{R"("string")", R"(["string","null"])"}}) {
    expect_change(
        compare(object(fmt::format(R"("a":{{"type":{}}})", was)), object(fmt::format(R"("a":{{"type":{}}})", is))),
        ChangeKind::type_changed, true, "/properties/a/type");
  }
}

TEST(Compatibility, AnExistingFieldNewlyRequiredBreaks) {
  const std::string field = R"("a":{"type":"string"})";
  expect_change(compare(object(field), object(field, R"("a")")), ChangeKind::required_added, true, "/properties/a");
  expect_change(compare(object(field, R"("a")"), object(field)), ChangeKind::required_dropped, false, "/properties/a");
}

TEST(Compatibility, EnumsMayGrowButNotShrink) {
  const auto with = [](const char* values) { return object(fmt::format(R"("a":{{"enum":{}}})", values)); };
  expect_change(compare(with(R"(["x"])"), with(R"(["x","y"])")), ChangeKind::value_added, false, "/properties/a/enum");
  expect_change(compare(with(R"(["x","y"])"), with(R"(["x"])")), ChangeKind::value_removed, true, "/properties/a/enum");
  EXPECT_THAT(compare(with(R"([1, {"a":1,"b":2}])"), with(R"([{"b":2,"a":1.0}, 1])")).changes, IsEmpty());
  EXPECT_FALSE(compare(R"({"const":1})", R"({"const":2})").compatible());
  EXPECT_TRUE(compare(R"({"const":1})", R"({"enum":[1,2]})").compatible());
}

TEST(Compatibility, BoundsMayLoosenButNotTighten) {
  struct Case {
    const char* was;
    const char* is;
    bool breaking;
  };
  for (const auto& [was, is, breaking] : {
           Case{R"({"minimum":1})", R"({"minimum":0})", false},
           Case{R"({"minimum":0})", R"({"minimum":1})", true},
           Case{R"({"maximum":5})", R"({"maximum":6})", false},
           Case{R"({"maximum":5})", R"({"maximum":4})", true},
           Case{R"({})", R"({"maxLength":5})", true},
           Case{R"({"maxLength":5})", R"({})", false},
           Case{R"({"maxItems":5})", R"({"maxItems":4})", true},
           Case{R"({"multipleOf":4})", R"({"multipleOf":2})", false},
           Case{R"({"multipleOf":4})", R"({"multipleOf":3})", true},
           Case{R"({"multipleOf":0.1})", R"({"multipleOf":0.01})", false},
           Case{R"({"multipleOf":0.01})", R"({"multipleOf":0.1})", true},
           Case{R"({})", R"({"uniqueItems":true})", true},
           Case{R"({"pattern":"^a"})", R"({"pattern":"^b"})", true},
           Case{R"({"pattern":"^a"})", R"({})", false},
           Case{R"({})", R"({"format":"uuid"})", true},
           Case{R"({})", R"({"additionalProperties":false})", true},
           Case{R"({"additionalProperties":false})", R"({})", false},
           Case{R"({"additionalProperties":{"type":"string"}})", R"({"additionalProperties":{"type":"integer"}})",
                true},
           Case{R"({})", R"({"not":{"type":"null"}})", true},
           Case{R"(true)", R"(false)", true},
           Case{R"({"items":{"type":"string"}})", R"({"items":{"type":"integer"}})", true},
           Case{R"({"prefixItems":[{"type":"string"}]})", R"({"prefixItems":[{"type":"integer"}]})", true},
           Case{R"({"patternProperties":{"^x":{"type":"string"}}})", R"({"patternProperties":{}})", true},
       }) {
    const auto result = compare(was, is);
    ASSERT_EQ(result.changes.size(), 1u) << was << " " << is;
    EXPECT_EQ(result.changes[0].breaking, breaking) << was << " " << is << ": " << result.changes[0].message;
  }
  EXPECT_THAT(compare(R"({})", R"({"minLength":0})").changes, IsEmpty());
}

TEST(Compatibility, NestedChangesAreFoundWhereTheyAre) {
  const auto nested = [](const char* type) {
    return object(R"("data":{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object",)"
                  R"("properties":{"sku":{"type":")" +
                  std::string(type) + R"("}}}}}})");
  };
  const auto result = compare(nested("string"), nested("integer"));
  expect_change(result, ChangeKind::type_changed, true, "/properties/data/properties/lines/items/properties/sku/type");
  EXPECT_THAT(result.changes[0].message, HasSubstr("\"data.lines[].sku\""));
}

TEST(Compatibility, ReferencesAreFollowed) {
  const auto with = [](const char* type) {
    return fmt::format(R"({{"properties":{{"who":{{"$ref":"#/$defs/person"}}}},
                           "$defs":{{"person":{{"type":"object","properties":{{"id":{{"type":"{}"}}}}}}}}}})",
                       type);
  };
  expect_change(compare(with("string"), with("integer")), ChangeKind::type_changed, true,
                "/properties/who/properties/id/type");
  // Moving a definition changes nothing.
  EXPECT_THAT(compare(R"({"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}})",
                      R"({"properties":{"a":{"type":"string"}}})")
                  .changes,
              IsEmpty());
  EXPECT_THAT(
      compare(R"({"properties":{"a":{"$ref":"#thing"}},"definitions":{"x":{"$anchor":"thing","type":"string"}}})",
              R"({"properties":{"a":{"type":"string"}}})")
          .changes,
      IsEmpty());
}

TEST(Compatibility, ReferencesElsewhereAreComparedByText) {
  const auto with = [](const char* to) { return fmt::format(R"({{"$ref":"{}"}})", to); };
  EXPECT_THAT(compare(with("https://a.example/x"), with("https://a.example/x")).changes, IsEmpty());
  EXPECT_FALSE(compare(with("https://a.example/x"), with("https://a.example/y")).compatible());
}

TEST(Compatibility, RecursiveSchemasEnd) {
  const auto tree = [](const char* type) {
    return fmt::format(R"({{"$defs":{{"node":{{"type":"object","properties":{{"name":{{"type":"{}"}},
      "children":{{"type":"array","items":{{"$ref":"#/$defs/node"}}}},"parent":{{"$ref":"#"}}}}}}}},
      "$ref":"#/$defs/node"}})",
                       type);
  };
  EXPECT_THAT(compare(tree("string"), tree("string")).changes, IsEmpty());
  EXPECT_FALSE(compare(tree("string"), tree("integer")).compatible());
  EXPECT_THAT(compare(R"({"$ref":"#"})", R"({"$ref":"#"})").changes, IsEmpty());
  EXPECT_THAT(
      compare(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})", "{}").changes,
      IsEmpty());
}

// Of the places of a recursive schema the one that is nearest is named: "v", not only "next.v".
TEST(Compatibility, RecursiveSchemasAreNamedWhereTheyBegin) {
  const auto list = [](const char* type) {
    return fmt::format(R"({{"definitions":{{"N":{{"type":"object","properties":{{
      "next":{{"$ref":"#/definitions/N"}},"v":{{"type":"{}"}}}}}}}},"$ref":"#/definitions/N"}})",
                       type);
  };
  const auto result = compare(list("string"), list("integer"));
  expect_change(result, ChangeKind::type_changed, true, "/properties/v/type");
  EXPECT_THAT(result.changes[0].message, HasSubstr("\"v\""));
}

TEST(Compatibility, SaysWhatAClosedObjectTakes) {
  EXPECT_EQ(compare("{}", R"({"additionalProperties":false})").changes.at(0).message,
            "the event takes less of what its schema does not name");
  EXPECT_EQ(compare(R"({"additionalProperties":false})", "{}").changes.at(0).message,
            "the event takes more of what its schema does not name");
}

TEST(Compatibility, ALongChainOfReferencesEndsWithoutAVerdictInFavour) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 3000; ++i) {
    schema += fmt::format(R"("d{}":{{"properties":{{"x":{{"$ref":"#/$defs/d{}"}}}}}},)", i, i + 1);
  }
  schema += R"("d3000":{"type":"string"}}})";
  EXPECT_FALSE(compare(schema, schema).compatible());
}

TEST(Compatibility, AllOfIsOneObject) {
  EXPECT_THAT(compare(R"({"allOf":[{"properties":{"a":{"type":"string"}}},{"required":["a"]}]})",
                      R"({"properties":{"a":{"type":"string"}},"required":["a"]})")
                  .changes,
              IsEmpty());
  EXPECT_FALSE(compare(R"({"allOf":[{"properties":{"a":{"type":"string"}}}]})", R"({"allOf":[]})").compatible());
}

// A change that the walk does not follow must not pass for none.
TEST(Compatibility, WhatSeveralPartsSayIsNotOverlooked) {
  const auto with = [](int length) {
    return fmt::format(R"({{"allOf":[{{"properties":{{"a":{{"type":"string"}}}}}},
                                     {{"properties":{{"a":{{"maxLength":{}}}}}}}]}})",
                       length);
  };
  EXPECT_THAT(compare(with(5), with(5)).changes, IsEmpty());
  EXPECT_FALSE(compare(with(5), with(4)).compatible());
  EXPECT_TRUE(compare(with(5), with(6)).compatible());
  EXPECT_FALSE(
      compare(R"({"allOf":[{"enum":[1]},{"enum":[1,2]}]})", R"({"allOf":[{"enum":[1]},{"enum":[2]}]})").compatible());
}

TEST(Compatibility, WhatNotAndIfReferToIsNotOverlooked) {
  for (const char* keyword : {"not", "if", "contains", "propertyNames"}) {
    const auto with = [&](const char* type) {
      return fmt::format(R"({{"{}":{{"$ref":"#/$defs/x"}},"$defs":{{"x":{{"type":"{}"}}}}}})", keyword, type);
    };
    EXPECT_THAT(compare(with("string"), with("string")).changes, IsEmpty());
    EXPECT_FALSE(compare(with("string"), with("integer")).compatible()) << keyword;
  }
}

TEST(Compatibility, TheSameAlternativeTwiceIsOne) {
  const char* twice = R"({"anyOf":[{"type":"string"},{"type":"string"}]})";
  EXPECT_THAT(compare(twice, twice).changes, IsEmpty());
}

TEST(Compatibility, AlternativesMayBeAddedWhereTheyCannotOverlap) {
  EXPECT_TRUE(
      compare(R"({"anyOf":[{"type":"string"}]})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})").compatible());
  EXPECT_FALSE(
      compare(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", R"({"anyOf":[{"type":"null"}]})").compatible());
  EXPECT_TRUE(
      compare(R"({"oneOf":[{"type":"string"}]})", R"({"oneOf":[{"type":"null"},{"type":"string"}]})").compatible());
  const char* card = R"({"properties":{"kind":{"const":"card"}},"required":["kind"]})";
  const char* cash = R"({"properties":{"kind":{"const":"cash"}},"required":["kind"]})";
  EXPECT_TRUE(compare(fmt::format(R"({{"oneOf":[{}]}})", card), fmt::format(R"({{"oneOf":[{},{}]}})", cash, card))
                  .compatible());
  EXPECT_FALSE(
      compare(fmt::format(R"({{"oneOf":[{}]}})", card), fmt::format(R"({{"oneOf":[{},{{}}]}})", card)).compatible());
  EXPECT_FALSE(compare(R"({})", R"({"oneOf":[{"type":"null"}]})").compatible());
}

TEST(Compatibility, WritesItsAnswer) {
  std::string out;
  json::Writer writer(out);
  write(writer, compare(object(R"("a":{"type":"string"})"), object("")));
  EXPECT_EQ(out, R"({"compatible":false,"changes":[{"pointer":"/properties/a","kind":"field-removed",)"
                 R"("breaking":true,"message":"\"a\" was removed"}]})");
}

}  // namespace
}  // namespace millrace::registry
