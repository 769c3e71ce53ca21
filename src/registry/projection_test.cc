// S2.7
#include "registry/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace millrace::registry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string projected(std::string data, const std::vector<std::string>& fields) {
  const auto document = json::parse_owned(std::move(data));
  return project(document->root(), fields);
}

Result<Allowlist> read(std::string body, std::string_view type = "time_entry.created") {
  const auto document = json::parse_owned(std::move(body));
  return parse_allowlist(type, document->root());
}

TEST(Projection, OnlyListedFieldsPass) {
  EXPECT_EQ(projected(R"({"id":"te_1","email":"a@b.example","duration_minutes":45})", {"id", "duration_minutes"}),
            R"({"id":"te_1","duration_minutes":45})");
  EXPECT_EQ(projected(R"({"id":1})", {}), "{}");
  EXPECT_EQ(projected(R"({"id":1})", {"other", "id.deeper"}), "{}");
}

TEST(Projection, PathsLeadIntoObjectsAndThroughArrays) {
  EXPECT_EQ(
      projected(R"({"project":{"name":"x","owner":{"email":"e","id":7}},"n":1})", {"project.name", "project.owner.id"}),
      R"({"project":{"name":"x","owner":{"id":7}}})");
  EXPECT_EQ(projected(R"({"lines":[{"sku":"a","cost":1},{"cost":2},"loose",[{"sku":"b"}]]})", {"lines.sku"}),
            R"({"lines":[{"sku":"a"},{},[{"sku":"b"}]]})");
}

TEST(Projection, AListedObjectPassesWhole) {
  EXPECT_EQ(projected(R"({"project":{"name":"x","tags":[1, 2]}})", {"project", "project.name"}),
            R"({"project":{"name":"x","tags":[1,2]}})");
}

TEST(Projection, EscapedKeysAreTheSameKeys) {
  EXPECT_EQ(projected(R"({"\u0069d":1,"e\u006dail":2})", {"id"}), R"({"id":1})");
}

TEST(Projection, DataThatIsNoObjectHasNoFields) {
  EXPECT_EQ(projected(R"([{"id":1}])", {"id"}), "{}");
  EXPECT_EQ(projected(R"("id")", {"id"}), "{}");
}

TEST(PublicEvent, CarriesExactlyTheFieldsOfThePublicEnvelope) {
  const auto data = json::parse(R"({"id":"te_1","user_email":"a@b.example"})");
  const InternalEvent event{.event_id = "550e8400-e29b-41d4-a716-446655440000",
                            .event_type = "time_entry.created",
                            .schema_version = "2.1",
                            .occurred_at = *parse_time("2025-01-02T23:00:00Z"),
                            .workspace_id = "org_1",
                            .data = data->root()};
  const auto twin = make_public(event, {"time_entry.created", {"id"}});
  ASSERT_TRUE(twin);
  EXPECT_EQ(twin->event_type, "public.time_entry.created");
  EXPECT_EQ(twin->envelope,
            R"({"event_id":")" + twin->event_id +
                R"(","event_type":"public.time_entry.created","schema_version":2,)"
                R"("occurred_at":"2025-01-02T23:00:00.000Z","workspace_id":"org_1","data":{"id":"te_1"}})");
  EXPECT_THAT(twin->envelope, Not(HasSubstr("email")));
}

TEST(PublicEvent, HasTheSameIdEachTimeAndAnotherForAnotherEvent) {
  const auto data = json::parse("{}");
  InternalEvent event{
      .event_id = "e1", .event_type = "a.b", .occurred_at = {}, .workspace_id = "w", .data = data->root()};
  const Allowlist list{"a.b", {}};
  const std::string first = make_public(event, list)->event_id;
  EXPECT_EQ(make_public(event, list)->event_id, first);
  EXPECT_NE(first, "e1");
  event.event_id = "e2";
  EXPECT_NE(make_public(event, list)->event_id, first);
}

TEST(PublicEvent, IsRefusedWithoutAWorkspace) {
  const auto data = json::parse("{}");
  for (const std::optional<std::string_view> workspace :
       {std::optional<std::string_view>(), std::optional<std::string_view>("")}) {
    const InternalEvent event{
        .event_id = "e", .event_type = "a.b", .occurred_at = {}, .workspace_id = workspace, .data = data->root()};
    const auto twin = make_public(event, {"a.b", {"id"}});
    ASSERT_FALSE(twin);
    EXPECT_EQ(twin.error().code, Errc::invalid);
    EXPECT_EQ(twin.error().field, "workspace_id");
  }
}

TEST(Allowlist, ReadsBackWhatItWrites) {
  const auto list = read(R"({"fields":["id","project.name","id"]})");
  ASSERT_TRUE(list);
  EXPECT_THAT(list->fields, ElementsAre("id", "project.name"));
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  write_members(writer, *list);
  writer.end_object();
  EXPECT_EQ(
      out,
      R"({"eventType":"time_entry.created","publicType":"public.time_entry.created","fields":["id","project.name"]})");
  EXPECT_EQ(read(out), list);
}

TEST(Allowlist, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "fields"},
      {R"({"fields":"id"})", "fields"},
      {R"({"fields":[1]})", "fields[0]"},
      {R"({"fields":["a",""]})", "fields[1]"},
      {R"({"fields":["a..b"]})", "fields[0]"},
      {R"({"fields":["*"]})", "fields[0]"},
      {R"({"fields":["a.*"]})", "fields[0]"},
  };
  for (const auto& [body, field] : cases) {
    const auto list = read(body);
    ASSERT_FALSE(list) << body;
    EXPECT_EQ(list.error().field, field) << list.error().detail;
  }
  EXPECT_FALSE(read(R"({"fields":["id"]})", "public.time_entry.created"));
}

}  // namespace
}  // namespace millrace::registry
