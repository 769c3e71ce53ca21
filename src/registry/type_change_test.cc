// S3.5, S2.5: what may become of an event type.
#include "registry/type_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "registry/compile.h"

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kString = R"({"type":"object","properties":{"id":{"type":"string"}}})";
constexpr const char* kStringAndMore =
    R"({"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}}})";
constexpr const char* kInteger = R"({"type":"object","properties":{"id":{"type":"integer"}}})";

SpecVersion spec(SchemaVersion version, const char* schema, VersionStatus status = VersionStatus::current) {
  return {.version = version, .mime_type = "application/json", .schema = schema, .status = status};
}

EventType type_of(std::vector<SpecVersion> versions) {
  return {.code = "order.created", .spec_versions = std::move(versions)};
}

void expect_refused(const Result<void>& result, Errc code, const char* field, const char* reason) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().detail;
  EXPECT_EQ(result.error().field, field);
  EXPECT_THAT(result.error().detail, HasSubstr(reason));
}

TEST(NewType, IsTakenWithSchemasOfEveryLanguage) {
  SpecVersion proto = spec({2, 0}, "syntax = \"proto3\"; message A {} message B {}");
  proto.schema_type = SchemaType::proto;
  proto.message = "B";
  SpecVersion xsd = spec({3, 0}, R"(<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>)");
  xsd.schema_type = SchemaType::xsd;
  const auto taken = check_new_type(type_of({spec({1, 0}, kString), spec({1, 1}, kStringAndMore), proto, xsd}));
  EXPECT_TRUE(taken) << taken.error().detail;
}

// S3.6
TEST(NewType, IsRefusedWithTheReasonWhereASchemaDoesNotCompile) {
  expect_refused(check_new_type(type_of({spec({1, 0}, kString), spec({2, 0}, R"({"type":"strin"})")})), Errc::invalid,
                 "specVersions[1].schema", "type");
  expect_refused(check_new_type(type_of({spec({1, 0}, "{")})), Errc::invalid, "specVersions[0].schema", "");
  SpecVersion proto = spec({1, 0}, "message");
  proto.schema_type = SchemaType::proto;
  expect_refused(check_new_type(type_of({proto})), Errc::invalid, "specVersions[0].schema", "line 1");
}

TEST(NewType, AMinorMayNotBreakAMajorMay) {
  expect_refused(check_new_type(type_of({spec({1, 0}, kString), spec({1, 1}, kInteger)})), Errc::conflict,
                 "specVersions[1].schema", "\"id\" has another type");
  EXPECT_TRUE(check_new_type(type_of({spec({1, 0}, kString), spec({2, 0}, kInteger)})));
}

TEST(TypeChange, VersionsMoveForwardOnly) {
  const auto at = [](VersionStatus status) { return type_of({spec({1, 0}, kString, status)}); };
  using enum VersionStatus;
  for (const auto& [from, to] : {std::pair{finalising, current}, std::pair{current, deprecated},
                                 std::pair{finalising, deprecated}, std::pair{current, current}}) {
    EXPECT_TRUE(check_type_change(at(from), at(to)));
  }
  for (const auto& [from, to] :
       {std::pair{current, finalising}, std::pair{deprecated, current}, std::pair{deprecated, finalising}}) {
    expect_refused(check_type_change(at(from), at(to)), Errc::conflict, "specVersions[0].status", "cannot go back");
  }
}

TEST(TypeChange, ASchemaChangesOnlyWhileItIsFinalised) {
  EXPECT_TRUE(check_type_change(type_of({spec({1, 0}, kString, VersionStatus::finalising)}),
                                type_of({spec({1, 0}, kInteger, VersionStatus::current)})));
  for (const auto status : {VersionStatus::current, VersionStatus::deprecated}) {
    expect_refused(
        check_type_change(type_of({spec({1, 0}, kString, status)}), type_of({spec({1, 0}, kStringAndMore, status)})),
        Errc::conflict, "specVersions[0].schema", "FINALISING");
  }
}

// S2.4: additive changes of a folder's schema need no new version.
TEST(TypeChange, AnEnvelopeSchemaMayGrowInPlace) {
  const auto with = [](const char* schema) {
    EventType type = type_of({spec({1, 0}, schema)});
    type.spec_versions[0].describes = Describes::envelope;
    return type;
  };
  EXPECT_TRUE(check_type_change(with(kString), with(kStringAndMore)));
  expect_refused(check_type_change(with(kString), with(kInteger)), Errc::conflict, "specVersions[0].schema", "breaks");
}

TEST(TypeChange, OnlyAVersionThatIsFinalisedCanGo) {
  EXPECT_TRUE(check_type_change(type_of({spec({1, 0}, kString, VersionStatus::finalising)}), type_of({})));
  expect_refused(check_type_change(type_of({spec({1, 0}, kString)}), type_of({})), Errc::conflict, "specVersions",
                 "cannot be removed");
}

TEST(TypeChange, ANewMinorIsComparedWithItsNeighbours) {
  const EventType old_type = type_of({spec({1, 0}, kString), spec({1, 2}, kStringAndMore)});
  EventType inserted = old_type;
  inserted.spec_versions.insert(inserted.spec_versions.begin() + 1, spec({1, 1}, kInteger));
  expect_refused(check_type_change(old_type, inserted), Errc::conflict, "specVersions[1].schema", "1.1 breaks 1.0");
  inserted.spec_versions[1].schema =
      R"({"type":"object","properties":{"id":{"type":"string"},"x":{"type":"boolean"}}})";
  expect_refused(check_type_change(old_type, inserted), Errc::conflict, "specVersions[2].schema", "1.2 breaks 1.1");
}

TEST(TypeChange, StatusOfTheTypeMayChangeBothWays) {
  EventType type = type_of({spec({1, 0}, kString)});
  EventType archived = type;
  archived.status = TypeStatus::archive;
  EXPECT_TRUE(check_type_change(type, archived));
  EXPECT_TRUE(check_type_change(archived, type));
}

// S3.6
TEST(CompileSchema, ChecksPayloadsOfEveryLanguage) {
  const auto check = [](SchemaType type, const char* schema, const char* payload) {
    const auto compiled = compile_schema(type, schema);
    EXPECT_TRUE(compiled) << compiled.error().detail;
    const auto document = json::parse(payload);
    return (*compiled)->check(document->root());
  };
  EXPECT_THAT(check(SchemaType::json_schema, kString, R"({"id":"a"})"), IsEmpty());
  const auto wrong = check(SchemaType::json_schema, kString, R"({"id":1})");
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].pointer, "/id");
  EXPECT_EQ(check(SchemaType::json_schema, R"({"format":"uuid"})", R"("x")").size(), 1u);
  EXPECT_EQ(check(SchemaType::proto, "syntax = \"proto3\"; message M { int32 a = 1; }", R"({"a":"x"})").size(), 1u);
  EXPECT_EQ(
      check(
          SchemaType::xsd,
          R"(<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:int"/></xs:schema>)",
          R"("<a>x</a>")")
          .size(),
      1u);
}

// S3.6: a schema that does not say its draft.
TEST(CompileSchema, TellsTheDraftsApartByTheirWords) {
  const auto fits = [](const char* schema, const char* payload) {
    const auto compiled = compile_schema(SchemaType::json_schema, schema);
    EXPECT_TRUE(compiled) << compiled.error().detail;
    const auto document = json::parse(payload);
    return (*compiled)->check(document->root()).empty();
  };
  constexpr const char* kDraft07 = R"({"items":[{"type":"string"}],"additionalItems":false})";
  EXPECT_TRUE(fits(kDraft07, R"(["a"])"));
  EXPECT_FALSE(fits(kDraft07, R"(["a",1])"));
  constexpr const char* k2020 = R"({"prefixItems":[{"type":"string"}],"items":false})";
  EXPECT_TRUE(fits(k2020, R"(["a"])"));
  EXPECT_FALSE(fits(k2020, R"(["a",1])"));
}

}  // namespace
}  // namespace millrace::registry
