#include "intake/hindsight.h"

#include <gmock/gmock.h>

#include "event/rest.h"
#include "json/parse.h"

namespace millrace::intake {
namespace {

event::Record record_of(const std::string& data) {
  event::Record record{.tenant = TenantId::default_tenant(),
                       .position = Position{1},
                       .tsid = 1,
                       .received = {},
                       .header = {},
                       .rest = std::make_shared<const std::string>(event::join_rest({}, "\"data\":" + data))};
  record.header.event_id = "e1";
  record.header.type = "order.created";
  record.header.source = "shop";
  return record;
}

PatternTrial trial_of(std::string_view text, std::string bus = "") {
  const auto document = json::parse(text);
  return {std::make_shared<const match::Pattern>(*match::Pattern::compile(document->root(), match::Dialect::extended)),
          std::move(bus)};
}

TEST(PatternTrial, SeesAStoredEventAsRulesDo) {  // S2.8
  PatternTrial trial = trial_of(R"({"detail-type": ["order.created"], "detail": {"amount": [{"numeric": [">", 5]}]}})");
  EXPECT_TRUE(trial.matches(record_of(R"({"amount":6})")));
  EXPECT_FALSE(trial.matches(record_of(R"({"amount":5})")));
}

TEST(PatternTrial, LooksAtItsBusOnly) {
  EXPECT_TRUE(trial_of(R"({"source": ["shop"]})", "default").matches(record_of("{}")));
  EXPECT_FALSE(trial_of(R"({"source": ["shop"]})", "other").matches(record_of("{}")));
}

SchemaTrial schema_trial(std::string schema, registry::Describes describes) {
  registry::SpecVersion spec;
  spec.schema = std::move(schema);
  spec.describes = describes;
  return *SchemaTrial::of(spec);
}

TEST(SchemaTrial, PointsIntoTheDataOrTheEnvelope) {  // S3.6, S2.4
  const SchemaTrial data =
      schema_trial(R"({"properties": {"amount": {"type": "integer"}}, "required": ["id"]})", registry::Describes::data);
  const auto violations = data.violations_of(record_of(R"({"amount":"x"})"));
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_THAT(violations, testing::Contains(testing::Field(&registry::Violation::pointer, "/data/amount")));
  EXPECT_TRUE(data.violations_of(record_of(R"({"id":1})")).empty());

  const SchemaTrial envelope =
      schema_trial(R"({"properties": {"event_type": {"const": "order.shipped"}}})", registry::Describes::envelope);
  const auto wrong = envelope.violations_of(record_of("{}"));
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].pointer, "/event_type");
}

TEST(SchemaTrial, SeesTheTenantUnderTheNameThatTheSchemaHas) {  // S2.4
  for (const char* schema : {R"({"required": ["workspace_id"]})", R"({"required": ["organization_id"]})",
                             R"({"required": ["workspace_id", "organization_id"]})"}) {
    EXPECT_TRUE(schema_trial(schema, registry::Describes::envelope).violations_of(record_of("{}")).empty()) << schema;
  }
}

}  // namespace
}  // namespace millrace::intake
