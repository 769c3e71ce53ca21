#include "intake/policies.h"

#include <fmt/format.h>

#include <algorithm>

#include "event/codec_snake.h"
#include "json/object_reader.h"
#include "json/parse.h"

namespace millrace::intake {
namespace {

TypePolicy compile_type(std::string_view body) {
  const auto document = json::parse(body);
  auto type = document ? registry::parse_event_type(document->root()) : fail(Errc::invalid, "it is no JSON");
  if (!type) return {nullptr, type.error().detail};
  auto compiled = registry::CompiledType::compile(*std::move(type));
  if (!compiled) return {nullptr, compiled.error().detail};
  return {*std::move(compiled), {}};
}

CompiledRule compile_rule(const Source& source) {
  CompiledRule rule{.name = std::string(source.name), .enabled = true, .bus = {}, .pattern = {}};
  const auto document = json::parse(source.body);
  const auto pattern = document ? document->root().find("pattern") : std::nullopt;
  if (!pattern) return rule;
  if (const auto enabled = document->root().find("enabled"); enabled && enabled->is(json::Kind::boolean)) {
    rule.enabled = enabled->get_bool();
  }
  if (const auto bus = document->root().find("bus"); bus && bus->is(json::Kind::string)) rule.bus = bus->get_string();
  auto compiled = match::Pattern::compile(*pattern, match::Dialect::extended);
  if (compiled) rule.pattern = std::make_shared<const match::Pattern>(*std::move(compiled));
  return rule;
}

Refusal misnamed(const event::NewEvent& event, const registry::NamingFinding& finding) {
  const std::string hint = finding.suggestion.empty() ? "" : fmt::format("; better: {}", finding.suggestion);
  std::string detail = fmt::format("event type \"{}\": {}{}", event.header.type, finding.message, hint);
  return {{Errc::invalid, detail, "type"}, {{"type", detail}}};
}

// What a schema for the whole envelope is checked against: the snake_case envelope, with `workspace_id` beside
// `organization_id`.
std::string envelope_of(const event::NewEvent& event) {
  const event::Record record{.tenant = event.tenant,
                             .position = {},
                             .tsid = 0,
                             .received = event.header.time,
                             .header = event.header,
                             .rest = event.rest};
  std::string text;
  json::Writer out(text);
  event::write_snake(out, record);
  return text;
}

// Pointers are into the event as it was sent.
Refusal misfit(const registry::CompiledType& type, const registry::SpecVersion& spec,
               std::vector<registry::Violation> violations) {
  const std::string_view root = spec.describes == registry::Describes::envelope ? "" : "/data";
  Refusal refusal;
  for (registry::Violation& violation : violations) {
    refusal.fields.push_back({fmt::format("{}{}", root, violation.pointer), std::move(violation.message)});
  }
  const FieldError& first = refusal.fields.front();
  refusal.error = {Errc::invalid,
                   fmt::format("the event does not fit schema {} of \"{}\": {}: {}", registry::to_text(spec.version),
                               type.type().code, first.field, first.message),
                   first.field};
  return refusal;
}

}  // namespace

std::shared_ptr<const Policies> Policies::compile(const Sources& sources) {
  auto policies = std::make_shared<Policies>();
  policies->naming_ = sources.naming;
  policies->convention_ = sources.convention;
  for (const Source& source : sources.event_types) policies->types_.emplace(source.name, compile_type(source.body));
  for (const Source& source : sources.rules) policies->rules_.push_back(compile_rule(source));
  std::ranges::sort(policies->rules_, {}, &CompiledRule::name);
  std::vector<match::Rule> rules;
  for (std::size_t i = 0; i < policies->rules_.size(); ++i) {
    const CompiledRule& rule = policies->rules_[i];
    if (rule.enabled && rule.pattern) rules.push_back({i, rule.pattern});
  }
  policies->rule_set_ = match::RuleSet::build(std::move(rules));
  return policies;
}

const CompiledRule* Policies::find_rule(std::string_view name) const {
  const auto found = std::ranges::lower_bound(rules_, name, {}, &CompiledRule::name);
  return found != rules_.end() && found->name == name ? &*found : nullptr;
}

std::optional<Refusal> Policies::check(const event::NewEvent& event) const {
  if (naming_ == registry::NamingMode::enforce) {
    if (const auto finding = registry::check_name(event.header.type, convention_)) return misnamed(event, *finding);
  }
  const auto found = types_.find(event.header.type);
  return found != types_.end() ? check_schema(found->second, event) : std::nullopt;
}

std::string Policies::warning(const event::NewEvent& event) const {
  if (naming_ != registry::NamingMode::warn) return {};
  const auto finding = registry::check_name(event.header.type, convention_);
  return finding ? misnamed(event, *finding).error.detail : std::string();
}

std::optional<Refusal> Policies::check_schema(const TypePolicy& policy, const event::NewEvent& event) const {
  if (!policy.type) return Refusal{{Errc::conflict, "the schema of this type does not compile: " + policy.problem}, {}};
  const std::optional<std::string_view> named =
      event.schema_version.empty() ? std::nullopt : std::optional<std::string_view>(event.schema_version);
  const auto chosen = policy.type->choose(named);
  if (!chosen) return Refusal{chosen.error(), {{chosen.error().field, chosen.error().detail}}};
  if (chosen->spec == nullptr) return std::nullopt;

  const bool whole = chosen->spec->describes == registry::Describes::envelope;
  std::vector<registry::Violation> violations;
  if (event.data && !whole) {
    violations = chosen->validator->check(*event.data);
  } else {
    const std::string text = whole ? envelope_of(event) : "null";  // data that was left out
    const auto document = json::parse(text);
    violations = chosen->validator->check(document->root());
  }
  if (violations.empty()) return std::nullopt;
  return misfit(*policy.type, *chosen->spec, std::move(violations));
}

MatchableView::MatchableView(const event::View& view) {
  fields_.reserve(view.fields().size());
  for (const event::ViewField& field : view.fields()) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      fields_.push_back({field.name, *text});
    } else if (const auto* texts = std::get_if<std::vector<std::string_view>>(&field.value)) {
      fields_.push_back({field.name, match::EventField::Texts(*texts)});
    } else {
      fields_.push_back({field.name, std::get<json::Value>(field.value)});
    }
  }
}

std::vector<std::string_view> Policies::matches(const event::View& view, std::string_view bus) const {
  if (rule_set_->size() == 0) return {};
  thread_local match::Scratch scratch;
  thread_local std::vector<match::RuleId> ids;
  rule_set_->match(MatchableView(view).get(), scratch, ids);
  std::vector<std::string_view> names;
  for (const match::RuleId id : ids) {
    const CompiledRule& rule = rules_[id];
    if (rule.bus.empty() || rule.bus == bus) names.push_back(rule.name);
  }
  return names;
}

}  // namespace millrace::intake
