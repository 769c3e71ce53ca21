#include "intake/hindsight.h"

#include <utility>

#include "base/limits.h"
#include "event/codec_snake.h"
#include "event/rest.h"
#include "event/view.h"
#include "intake/policies.h"
#include "json/parse.h"

namespace millrace::intake {

PatternTrial::PatternTrial(std::shared_ptr<const match::Pattern> pattern, std::string bus)
    : rules_(match::RuleSet::build({{0, std::move(pattern)}})), bus_(std::move(bus)) {}

bool PatternTrial::matches(const event::Record& record) {
  if (!bus_.empty() && bus_ != record.header.bus) return false;
  const event::View view(record);
  rules_->match(MatchableView(view).get(), scratch_, found_);
  return !found_.empty();
}

std::vector<registry::Violation> violations_of(const event::Record& record, const registry::PayloadValidator& validator,
                                               registry::Describes describes) {
  constexpr json::ParseLimits kStored{.depth = limits::kJsonDepthMax + 2};
  if (describes == registry::Describes::envelope) {
    std::string text;
    json::Writer out(text);
    event::write_snake(out, record);
    const auto envelope = json::parse(std::string_view(text), kStored);
    return validator.check(envelope->root());
  }
  const event::View view(record);
  const event::ViewField* data = view.find("detail");
  const auto* value = data != nullptr ? std::get_if<json::Value>(&data->value) : nullptr;
  const auto nothing = json::parse("null");
  std::vector<registry::Violation> violations = validator.check(value != nullptr ? *value : nothing->root());
  for (registry::Violation& violation : violations) violation.pointer.insert(0, "/data");
  return violations;
}

}  // namespace millrace::intake
