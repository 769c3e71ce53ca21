#include "event/view.h"

#include <gtest/gtest.h>

#include <set>

#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::canonical;

std::string shown(const ViewField& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) return "text " + std::string(*text);
  if (const auto* value = std::get_if<json::Value>(&field.value)) return canonical(*value);
  std::string list = "texts";
  for (const std::string_view text : std::get<std::vector<std::string_view>>(field.value))
    list += " " + std::string(text);
  return list;
}

std::string shown(const View& view, std::string_view name) {
  const ViewField* field = view.find(name);
  return field == nullptr ? "absent" : shown(*field);
}

constexpr std::string_view kBody = R"({"type":"order.created","source":"shop","subject":"order:1","eventId":"e-1",
  "time":"2025-12-24T10:30:00Z","data":{"amount":5},"actor":{"id":"42"},"producer":"p","messageGroup":"g",
  "contextData":[{"key":"region","value":"eu"}],"schemaVersion":"1.0","ttl":1798992000})";

// S2.8
TEST(View, ShowsTheEventAsTheBusDoesAndByItsOwnNames) {
  const Record record = testing::stored(kBody);
  const View view(record);
  const std::pair<const char*, const char*> expected[] = {
      {"id", "text e-1"},
      {"detail-type", "text order.created"},
      {"source", "text shop"},
      {"account", "text acme"},
      {"time", "text 2025-12-24T10:30:00.000Z"},
      {"resources", "texts order:1"},
      {"detail", R"({"amount":5})"},
      {"data", R"({"amount":5})"},
      {"properties", R"({"amount":5})"},
      {"type", "text order.created"},
      {"eventType", "text order.created"},
      {"eventId", "text e-1"},
      {"subject", "text order:1"},
      {"messageGroup", "text g"},
      {"correlationId", "text req-1"},
      {"bus", "text default"},
      {"app", "text p"},
      {"entityType", "text ORDER"},
      {"entityId", "text 1"},
      {"tenantId", "text acme"},
      {"actor", R"({"id":"42"})"},
      {"producer", "\"p\""},
      {"schemaVersion", "\"1.0\""},
      {"timestamp", "1766572200000"},
      {"ttl", "1798992000"},
      {"context", R"({"region":"eu"})"},
      {"contextData", R"([{"key":"region","value":"eu"}])"},
      {"specVersion", "text 1.0"},
      {"PK", "text TENANT#acme"},
      {"SK", "text TIMESTAMP#1766572200000#EVENT#e-1"},
      {"GSI1PK", "text ORDER#1"},
      {"GSI7SK", "text TENANT#acme#APP#p#ORDER#1#TIMESTAMP#1766572200000"},
      {"causationId", "absent"},
      {"position", "absent"},
      {"receivedAt", "absent"},
      {"_", "absent"},
  };
  for (const auto& [name, value] : expected) EXPECT_EQ(shown(view, name), value) << name;
}

TEST(View, LeavesTheKeysOutWhereNobodyAsks) {  // S2.8
  const Record record = testing::stored(kBody);
  const View view(record, KeyFields::left_out);
  EXPECT_EQ(shown(view, "PK"), "absent");
  EXPECT_EQ(shown(view, "GSI7SK"), "absent");
  EXPECT_EQ(shown(view, "type"), "text order.created");
}

TEST(View, HasNoNameTwice) {
  const Record record = testing::stored(kBody);
  const View view(record);
  std::set<std::string_view> names;
  for (const ViewField& field : view.fields()) EXPECT_TRUE(names.insert(field.name).second) << field.name;
}

// What is matched at intake is what a later explanation sees.
TEST(View, IsTheSameOfANewEventAndOfItsRecord) {
  for (const std::string_view body :
       {kBody, std::string_view(R"({"eventType":"a","entityType":"T","entityId":"1","context":{"n":1,"s":"x"},
          "properties":[1,{"a":"\u00e4"}]})"),
        std::string_view(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","myext":"x","other":5})"),
        std::string_view(R"({"event_id":"1","event_type":"public.x","schema_version":1,
          "occurred_at":"2025-01-02T23:00:00Z","workspace_id":"acme","data":null})")}) {
    Result<Drafts> drafts = read_body("application/json", {}, body);
    const Result<NewEvent> event = normalise(*drafts->events.front(), testing::arrival(), testing::kRandom);
    ASSERT_TRUE(event) << event.error().detail;
    const View fresh(*event);
    const Record record = testing::store(*event);
    const View later(record);
    ASSERT_EQ(fresh.fields().size(), later.fields().size());
    for (const ViewField& field : fresh.fields()) EXPECT_EQ(shown(field), shown(later, field.name)) << field.name;
  }
}

// S3.2
TEST(View, ShowsExtensionsUnderOneName) {
  const Record record = testing::stored(R"({"specversion":"1.0","id":"1","source":"/s","type":"t","myext":"x"})");
  EXPECT_EQ(shown(View(record), "extensions"), R"({"myext":"x"})");
}

}  // namespace
}  // namespace millrace::event
