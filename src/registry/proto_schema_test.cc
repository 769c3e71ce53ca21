// S3.6: PROTO
#include "registry/proto_schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"
#include "registry/bounds.h"

namespace millrace::registry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kOrder = R"(syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
enum Color { NONE = 0; RED = 1; }
message Order {
  message Line { string sku = 1; uint32 unit_count = 2; Order gift = 3; }
  int32 id = 1;
  repeated Line lines = 2;
  map<string, int64> counts = 3;
  google.protobuf.Timestamp placed_at = 4;
  Color color = 5;
  oneof pay { string card = 6; bool cash = 7; }
  bytes blob = 8;
  double weight = 9;
  google.protobuf.StringValue note = 10;
  google.protobuf.Struct extra = 11;
  google.protobuf.Value anything = 12;
  optional int64 big = 13;
})";

std::shared_ptr<const ProtoSchema> compiled(std::string_view text, std::string_view message = {}) {
  auto schema = ProtoSchema::compile(text, message);
  EXPECT_TRUE(schema) << schema.error().detail;
  return schema ? *schema : nullptr;
}

std::vector<Violation> check(const ProtoSchema& schema, std::string payload) {
  const auto document = json::parse_owned(std::move(payload));
  return schema.check(document->root());
}

TEST(ProtoSchema, TakesTheJsonOfItsMessage) {
  const auto schema = compiled(kOrder);
  for (const char* payload :
       {"{}", R"({"id":1,"lines":[{"sku":"a","unitCount":2},{"unit_count":3,"gift":{"id":2}}]})",
        R"({"counts":{"a.b":"9007199254740993","c":1},"placedAt":"2025-01-02T23:00:00Z","color":"RED"})",
        R"({"color":1,"card":"x","blob":"aGk=","weight":1.5})", R"({"weight":"NaN","note":"n","extra":{"a":[1]}})",
        R"({"id":null,"lines":null,"anything":[1,{"x":null}],"big":"12"})", R"({"id":"12"})"}) {
    EXPECT_THAT(check(*schema, payload), IsEmpty()) << payload;
  }
}

TEST(ProtoSchema, SaysWhereAPayloadDoesNotFit) {
  const auto schema = compiled(kOrder);
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", ""},
      {R"({"id":"x"})", "/id"},
      {R"({"id":1.5})", "/id"},
      {R"({"id":99999999999})", "/id"},
      {R"({"extras":1})", "/extras"},
      {R"({"lines":{}})", "/lines"},
      {R"({"lines":[{"sku":"a"},{"sku":7}]})", "/lines/1/sku"},
      {R"({"lines":[{"extra":1}]})", "/lines/0/extra"},
      {R"({"lines":[null]})", "/lines/0"},
      {R"({"lines":[{"gift":{"lines":[{"unitCount":-1}]}}]})", "/lines/0/gift/lines/0/unitCount"},
      {R"({"counts":{"a/b":true}})", "/counts/a~1b"},
      {R"({"counts":[]})", "/counts"},
      {R"({"placedAt":"yesterday"})", "/placedAt"},
      {R"({"placedAt":{"seconds":1}})", "/placedAt"},
      {R"({"color":"BLUE"})", "/color"},
      {R"({"color":true})", "/color"},
      {R"({"card":"x","cash":true})", ""},
      {R"({"placedAt":null,"placed_at":null})", "/placed_at"},
      {R"({"blob":"!!"})", "/blob"},
      {R"({"weight":true})", "/weight"},
      {R"({"note":7})", "/note"},
      {R"({"extra":[]})", "/extra"},
      {R"({"big":1.5})", "/big"},
  };
  for (const auto& [payload, pointer] : cases) {
    const auto violations = check(*schema, payload);
    ASSERT_EQ(violations.size(), 1u) << payload;
    EXPECT_EQ(violations[0].pointer, pointer) << payload << ": " << violations[0].message;
    EXPECT_FALSE(violations[0].message.empty());
  }
}

TEST(ProtoSchema, ListsEveryViolationOfTheShape) {
  const auto violations = check(*compiled(kOrder), R"({"id":true,"nope":1,"lines":[{"sku":1}]})");
  EXPECT_EQ(violations.size(), 3u);
}

// S3.6
TEST(ProtoSchema, ListsEveryValueThatDoesNotFitAndWhereItIs) {
  const auto violations = check(*compiled(kOrder), R"({"id":"x","lines":[{"unitCount":"y"},{"unitCount":2},{"sku":7}],
    "counts":{"a/b":"1.5","c":"3"},"placedAt":"yesterday","blob":"!!","big":"z"})");
  std::vector<std::string> pointers;
  for (const Violation& violation : violations) {
    pointers.push_back(violation.pointer);
    EXPECT_FALSE(violation.message.empty()) << violation.pointer;
  }
  EXPECT_THAT(pointers,
              ElementsAre("/id", "/lines/0/unitCount", "/lines/2/sku", "/counts/a~1b", "/placedAt", "/blob", "/big"));
}

TEST(ProtoSchema, AKeyOfAMapThatDoesNotFitIsTold) {
  const auto schema = compiled(R"(syntax = "proto3"; message M { map<int32, string> names = 1; int64 big = 2; })");
  EXPECT_THAT(check(*schema, R"({"names":{"1":"a"}})"), IsEmpty());
  const auto violations = check(*schema, R"({"names":{"1":"a","x":"b"},"big":"y"})");
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].pointer, "/names/x");
  EXPECT_EQ(violations[1].pointer, "/big");
}

TEST(ProtoSchema, ListsAsManyViolationsAsOtherSchemasDo) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += std::string(i == 0 ? "" : ",") + R"({"unitCount":"y"})";
  EXPECT_EQ(check(*compiled(kOrder), R"({"lines":[)" + lines + "]}").size(), kViolationsMax);
}

TEST(ProtoSchema, RequiredFieldsOfProto2MustBeThere) {
  const auto schema = compiled(R"(syntax = "proto2"; message M { required string id = 1; optional M next = 2; })");
  EXPECT_THAT(check(*schema, R"({"id":"a"})"), IsEmpty());
  EXPECT_THAT(check(*schema, R"({"next":{"id":"b"}})")[0].message, HasSubstr("\"id\" is missing"));
  const auto dated = compiled(R"(syntax = "proto2"; message M { required int64 id = 1; optional bytes blob = 2; })");
  EXPECT_EQ(check(*dated, R"({"id":"1","blob":"!!"})").size(), 1u);
}

TEST(ProtoSchema, TheMessageIsNamedWhereThereAreSeveral) {
  constexpr std::string_view kTwo =
      R"(syntax = "proto3"; package p; message A { int32 a = 1; } message B { int32 b = 1; })";
  EXPECT_THAT(ProtoSchema::compile(kTwo).error().detail, HasSubstr("2 messages"));
  EXPECT_THAT(check(*compiled(kTwo, "B"), R"({"b":1})"), IsEmpty());
  EXPECT_THAT(check(*compiled(kTwo, "p.A"), R"({"a":1})"), IsEmpty());
  EXPECT_THAT(ProtoSchema::compile(kTwo, "C").error().detail, HasSubstr("no message C"));
  EXPECT_FALSE(ProtoSchema::compile(kTwo, "google.protobuf.Timestamp"));
}

TEST(ProtoSchema, RefusesWhatDoesNotCompileWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "0 messages"},
      {"hello", "line 1, column 1"},
      {"syntax = \"proto3\";\nmessage M { int32 a = 1 }", "line 2"},
      {"syntax = \"proto3\"; message M { Missing a = 1; }", "\"Missing\" is not defined"},
      {"syntax = \"proto3\"; message M { int32 a = 1; int32 b = 1; }", "already been used"},
      {"syntax = \"proto3\"; import \"other.proto\"; message M {}", "\"other.proto\" cannot be imported"},
      {"syntax = \"proto3\"; import \"google/protobuf/descriptor.proto\"; message M {}", "cannot be imported"},
      {"syntax = \"proto3\"; import \"/etc/passwd\"; message M {}", "cannot be imported"},
      {"syntax = \"proto9\"; message M {}", "proto9"},
  };
  for (const auto& [text, reason] : cases) {
    const auto schema = ProtoSchema::compile(text);
    ASSERT_FALSE(schema) << text;
    EXPECT_EQ(schema.error().code, Errc::invalid);
    EXPECT_THAT(schema.error().detail, HasSubstr(reason)) << text;
  }
}

TEST(ProtoSchema, RefusesWhatWouldCostTooMuch) {
  std::string deep = "syntax = \"proto3\";";
  for (int i = 0; i < 10'000; ++i) deep += "message M{";
  EXPECT_THAT(ProtoSchema::compile(deep).error().detail, HasSubstr("nests"));
  // Braces that count for nothing, and a kind of nesting that libprotobuf does not bound.
  std::string hidden = "syntax = \"proto2\"; //" + std::string(10'000, '}') + "\nmessage A{";
  for (int i = 0; i < 10'000; ++i) hidden += "optional group G=1{";
  EXPECT_THAT(ProtoSchema::compile(hidden).error().detail, HasSubstr("nests"));
  EXPECT_THAT(ProtoSchema::compile(std::string(kSchemaBytesMax + 1, ' ')).error().detail, HasSubstr("longer"));
}

// S2.5 for PROTO
TEST(ProtoCompatibility, FollowsTheSameTable) {
  struct Case {
    const char* was;
    const char* is;
    ChangeKind kind;
    bool breaking;
  };
  for (const auto& [was, is, kind, breaking] : {
           Case{"int32 a = 1;", "int32 a = 1; int32 b = 2;", ChangeKind::field_added, false},
           Case{"int32 a = 1; int32 b = 2;", "int32 a = 1;", ChangeKind::field_removed, true},
           Case{"int32 a = 1;", "int32 b = 1;", ChangeKind::field_renamed, true},
           Case{"int32 a = 1;", "int32 a = 2;", ChangeKind::number_changed, true},
           Case{"int32 a = 1;", "string a = 1;", ChangeKind::type_changed, true},
           Case{"int32 a = 1;", "repeated int32 a = 1;", ChangeKind::label_changed, true},
           Case{"In a = 1; message In { int32 x = 1; }", "In a = 1; message In { int64 x = 1; }",
                ChangeKind::type_changed, true},
           Case{"E a = 1; enum E { X = 0; Y = 1; }", "E a = 1; enum E { X = 0; }", ChangeKind::value_removed, true},
           Case{"E a = 1; enum E { X = 0; }", "E a = 1; enum E { X = 0; Y = 1; }", ChangeKind::value_added, false},
           Case{"map<string, int32> a = 1;", "map<string, string> a = 1;", ChangeKind::type_changed, true},
       }) {
    const auto message = [](const char* body) { return fmt::format("syntax = \"proto3\"; message M {{ {} }}", body); };
    const auto result = compare_proto(compiled(message(was))->shape(), compiled(message(is))->shape());
    ASSERT_EQ(result.changes.size(), 1u) << is;
    EXPECT_EQ(to_text(result.changes[0].kind), to_text(kind)) << is;
    EXPECT_EQ(result.changes[0].breaking, breaking) << is;
  }
}

TEST(ProtoCompatibility, RecursiveMessagesEnd) {
  const auto shape = compiled(kOrder)->shape();
  EXPECT_THAT(compare_proto(shape, shape).changes, IsEmpty());
}

}  // namespace
}  // namespace millrace::registry
