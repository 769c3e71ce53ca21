// A schema of the whole envelope and the two names of the tenant in it (S2.4), through what a publisher meets.
#include "intake/envelope_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "event/body.h"
#include "event/normalise.h"
#include "intake/policies.h"

namespace millrace::intake {
namespace {

constexpr const char* kSnake = R"({{"event_id":"e1","event_type":"order.created","schema_version":1,
  "occurred_at":"2025-12-24T10:30:00.000Z","aggregate_id":"a","aggregate_type":"order","correlation_id":"c",
  "actor":{{"id":"u"}},{},"data":{{"workspace":"w"}}}})";

// The same event in every form, and in the snake_case one with each name and with both.
std::vector<std::string> forms() {
  return {fmt::format(kSnake, R"("organization_id":"default")"),
          fmt::format(kSnake, R"("workspace_id":"default")"),
          fmt::format(kSnake, R"("organization_id":"default","workspace_id":"default")"),
          R"({"type":"order.created","source":"s","data":{}})",
          R"({"eventType":"order.created","entityType":"ORDER","entityId":"1","tenantId":"default",
              "timestamp":1767453739640,"context":{},"properties":{}})",
          R"({"specversion":"1.0","id":"1","source":"s","type":"order.created","data":{}})"};
}

std::optional<Refusal> check(std::string_view schema, const std::string& body) {
  const std::string type = fmt::format(
      R"({{"code":"order.created","specVersions":[
          {{"version":"1.0","status":"CURRENT","describes":"envelope","schema":{}}}]}})",
      schema);
  Sources sources;
  sources.event_types.push_back({"order.created", type});
  const auto policies = Policies::compile(sources);
  const event::Arrival arrival{
      .tenant = TenantId::default_tenant(), .reach = event::Reach::own_tenant, .now = time_from_ms(1'700'000'000'000)};
  auto drafts = event::read_body("application/json", {}, body);
  const auto event = event::normalise(*std::move(drafts->events.front()), arrival, {});
  EXPECT_TRUE(event) << body;
  return policies->check(*event);
}

TEST(EnvelopeCheck, TakesEitherNameOfTheTenantForTheOther) {
  for (const char* schema : {
           R"({"required":["organization_id"]})",
           R"({"required":["workspace_id"]})",
           R"({"required":["workspace_id","organization_id"]})",
           R"({"anyOf":[{"required":["workspace_id"]},{"required":["organization_id"]}]})",
           R"({"oneOf":[{"required":["workspace_id"]},{"required":["organization_id"]}]})",
           R"({"required":["workspace_id"],"not":{"required":["organization_id"]}})",
       }) {
    for (const std::string& body : forms()) {
      const auto refusal = check(schema, body);
      EXPECT_FALSE(refusal) << schema << body << refusal->error.detail;
    }
  }
}

// The name that a closed schema does not have is not shown to it, even where its data has a field of that name.
TEST(EnvelopeCheck, ClosedSchemasNeedOneNameOnly) {
  constexpr const char* kClosed = R"({{"additionalProperties":false,"required":["{}"],"properties":{{"{}":{{}},
      "event_id":{{}},"event_type":{{}},"schema_version":{{}},"occurred_at":{{}},"aggregate_id":{{}},
      "aggregate_type":{{}},"correlation_id":{{}},"actor":{{}},"source":{{}},"data":{}}}}})";
  for (const char* name : {"organization_id", "workspace_id"}) {
    for (const char* data : {"{}", R"({"properties":{"organization_id":{},"workspace_id":{}}})"}) {
      for (const std::string& body : {forms()[0], forms()[1], forms()[2], forms()[3], forms()[5]}) {
        const auto refusal = check(fmt::format(kClosed, name, name, data), body);
        EXPECT_FALSE(refusal) << name << data << body << refusal->error.detail;
      }
    }
  }
}

TEST(EnvelopeCheck, StillFindsWhatIsWrong) {
  for (const char* required : {R"(["organization_id","nothing"])", R"(["workspace_id","organization_id","nothing"])"}) {
    for (const std::string& body : forms()) {
      const auto refusal = check(fmt::format(R"({{"required":{}}})", required), body);
      ASSERT_TRUE(refusal) << body;
      EXPECT_EQ(refusal->fields.size(), 1u) << refusal->error.detail;
      EXPECT_NE(refusal->error.detail.find("nothing"), std::string::npos) << refusal->error.detail;
      EXPECT_EQ(refusal->error.field, "event");
      EXPECT_EQ(refusal->error.detail.find(": :"), std::string::npos) << refusal->error.detail;
    }
  }
  EXPECT_TRUE(check(R"({"properties":{"workspace_id":{"const":"acme"}}})", forms()[0]));
}

}  // namespace
}  // namespace millrace::intake
