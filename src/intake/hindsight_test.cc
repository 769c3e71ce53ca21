#include "intake/hindsight.h"

#include <gmock/gmock.h>

#include "event/rest.h"
#include "json/parse.h"
#include "registry/compile.h"

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

TEST(ViolationsOf, PointIntoTheDataOrTheEnvelope) {  // S3.6, S2.4
  const auto data = registry::compile_schema(registry::SchemaType::json_schema,
                                             R"({"properties": {"amount": {"type": "integer"}}, "required": ["id"]})");
  const auto violations = violations_of(record_of(R"({"amount":"x"})"), **data, registry::Describes::data);
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_THAT(violations, testing::Contains(testing::Field(&registry::Violation::pointer, "/data/amount")));
  EXPECT_TRUE(violations_of(record_of(R"({"id":1})"), **data, registry::Describes::data).empty());

  const auto envelope = registry::compile_schema(registry::SchemaType::json_schema,
                                                 R"({"properties": {"event_type": {"const": "order.shipped"}}})");
  const auto wrong = violations_of(record_of("{}"), **envelope, registry::Describes::envelope);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].pointer, "/event_type");
}

}  // namespace
}  // namespace millrace::intake
