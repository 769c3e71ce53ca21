#include "event/codec_snake.h"

#include <gtest/gtest.h>

#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::canonical;
using testing::stored;
using testing::written;

constexpr std::string_view kInvited = R"({
  "event_id": "550e8400-e29b-41d4-a716-446655440000", "event_type": "member.invited", "schema_version": 1,
  "occurred_at": "2025-01-02T23:00:00Z", "aggregate_id": "123", "aggregate_type": "member", "organization_id": "acme",
  "correlation_id": "req_01HN8J", "actor": {"type": "user", "id": "42", "email": "admin@example.com"},
  "causation_id": "cmd-1", "producer": "accounts", "metadata": {"ip": "192.0.2.1"},
  "data": {"email": "new@example.com", "role": "member"}})";

std::string without(std::string_view field) {
  const auto document = json::parse(kInvited);
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto [key, value] : document->root().members()) {
    if (!key.equals(field)) out.member(key.get_string(), value);
  }
  out.end_object();
  return text;
}

// S2.1
TEST(SnakeForm, MapsOntoTheOneEvent) {
  const auto event = accept(kInvited);
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(event->header.event_id, "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(event->header.type, "member.invited");
  EXPECT_EQ(event->header.entity_type, "MEMBER");
  EXPECT_EQ(event->header.entity_id, "123");
  EXPECT_EQ(event->header.app, "accounts");
  EXPECT_EQ(event->header.causation_id, "cmd-1");
  EXPECT_EQ(event->header.time, *parse_time("2025-01-02T23:00:00Z"));
  EXPECT_EQ(event->schema_version, "1.0");
  EXPECT_EQ(event->identity, Identity::event_id);
}

// S2.1
TEST(SnakeForm, ComesBackAsItWasSent) {
  EXPECT_EQ(canonical(written(write_snake, stored(kInvited))), canonical(kInvited));
}

// S2.1
TEST(SnakeForm, NamesTheRequiredFieldThatIsMissing) {
  for (const char* field : {"event_id", "event_type", "schema_version", "occurred_at", "aggregate_id", "aggregate_type",
                            "correlation_id", "actor", "organization_id"}) {
    const auto event = accept(without(field));
    ASSERT_FALSE(event) << field;
    EXPECT_EQ(event.error(), (Error{Errc::invalid, "\"" + std::string(field) + "\" is required", field}));
  }
  for (const char* field : {"causation_id", "producer", "metadata", "data"}) EXPECT_TRUE(accept(without(field)));
}

// S2.1: what is empty says nothing, and nothing is made up in its place.
TEST(SnakeForm, NamesTheRequiredFieldThatIsEmpty) {
  for (const char* field : {"event_id", "event_type", "aggregate_id", "aggregate_type", "correlation_id",
                            "organization_id", "workspace_id"}) {
    std::string body = without(std::string_view(field) == "workspace_id" ? "organization_id" : field);
    body.insert(body.size() - 1, ",\"" + std::string(field) + "\":\"\"");
    const auto event = accept(body);
    ASSERT_FALSE(event) << field;
    EXPECT_EQ(event.error(), (Error{Errc::invalid, "\"" + std::string(field) + "\" must not be empty", field}));
  }
}

TEST(SnakeForm, TakesNullForMissing) {
  std::string body = without("actor");
  body.insert(body.size() - 1, R"(,"actor":null)");
  EXPECT_EQ(accept(body).error().detail, "\"actor\" is required");
}

constexpr std::string_view kPublic = R"({"event_id": "e-1", "event_type": "public.time_entry.created",
  "schema_version": 2, "occurred_at": "2025-01-02T23:00:00Z", "workspace_id": "acme", "data": {"id": "te_01"}})";

// S2.7
TEST(SnakeForm, ShowsPublicEventsWithSixFieldsAlone) {
  const Record record = stored(kPublic);
  EXPECT_EQ(canonical(written(write_public, record)), canonical(kPublic));
  EXPECT_EQ(canonical(written(write_public, stored(kInvited))),
            canonical(R"({"event_id": "550e8400-e29b-41d4-a716-446655440000", "event_type": "member.invited",
              "schema_version": 1, "occurred_at": "2025-01-02T23:00:00Z", "workspace_id": "acme",
              "data": {"email": "new@example.com", "role": "member"}})"));
}

TEST(SnakeForm, GivesTheTenantBackByTheNameItCameWith) {
  EXPECT_EQ(testing::member(written(write_snake, stored(kPublic)), "workspace_id"), "\"acme\"");
  EXPECT_EQ(testing::member(written(write_snake, stored(kPublic)), "organization_id"), "absent");
}

TEST(SnakeForm, TakesAWorkspaceForAnOrganizationButNotTwoTenants) {
  std::string same(kPublic);
  same.insert(1, R"("organization_id":"acme",)");
  EXPECT_TRUE(accept(same));
  std::string other(kPublic);
  other.insert(1, R"("organization_id":"other",)");
  EXPECT_EQ(accept(other).error().detail, "\"workspace_id\" is \"acme\", but \"organization_id\" is \"other\"");
}

TEST(SnakeForm, FindsAnAggregateForEventsOfOtherForms) {
  const std::string with_subject = written(write_snake, stored(R"({"type":"t","subject":"order:9","eventId":"e"})"));
  EXPECT_EQ(testing::member(with_subject, "aggregate_type"), "\"order\"");
  EXPECT_EQ(testing::member(with_subject, "aggregate_id"), "\"9\"");
  const std::string bare = written(write_snake, stored(R"({"type":"t","eventId":"e"})"));
  EXPECT_EQ(testing::member(bare, "aggregate_type"), "\"EVENT\"");
  EXPECT_EQ(testing::member(bare, "aggregate_id"), "\"e\"");
}

TEST(SnakeForm, KeepsAVersionWithAMinorNumberAsText) {
  const std::string text = written(write_snake, stored(R"({"type":"t","schemaVersion":"2.1"})"));
  EXPECT_EQ(testing::member(text, "schema_version"), "\"2.1\"");
}

}  // namespace
}  // namespace millrace::event
