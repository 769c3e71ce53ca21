#include "intake/hindsight.h"

#include <utility>

#include "event/view.h"
#include "intake/envelope_check.h"
#include "intake/policies.h"
#include "json/parse.h"
#include "registry/compile.h"

namespace millrace::intake {

PatternTrial::PatternTrial(std::shared_ptr<const match::Pattern> pattern, std::string bus)
    : rules_(match::RuleSet::build({{0, std::move(pattern)}})), bus_(std::move(bus)) {}

bool PatternTrial::matches(const event::Record& record) {
  if (!bus_.empty() && bus_ != record.header.bus) return false;
  const event::View view(record);
  rules_->match(MatchableView(view).get(), scratch_, found_);
  return !found_.empty();
}

Result<SchemaTrial> SchemaTrial::of(const registry::SpecVersion& spec) {
  auto validator = registry::compile_schema(spec);
  if (!validator) return std::unexpected(std::move(validator.error()));
  SchemaTrial trial;
  trial.validator_ = *std::move(validator);
  trial.describes_ = spec.describes;
  trial.tenant_name_ = tenant_name_in(spec);
  return trial;
}

std::vector<registry::Violation> SchemaTrial::violations_of(const event::Record& record) const {
  if (describes_ == registry::Describes::envelope) return check_envelope(record, *validator_, tenant_name_);
  const event::View view(record);
  const event::ViewField* data = view.find("detail");
  const auto* value = data != nullptr ? std::get_if<json::Value>(&data->value) : nullptr;
  const auto nothing = json::parse("null");
  std::vector<registry::Violation> violations = validator_->check(value != nullptr ? *value : nothing->root());
  for (registry::Violation& violation : violations) violation.pointer.insert(0, "/data");
  return violations;
}

}  // namespace millrace::intake
