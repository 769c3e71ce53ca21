#include "intake/policies.h"

#include <fmt/format.h>

#include <algorithm>

#include "event/codec_snake.h"
#include "json/object_reader.h"
#include "json/parse.h"

namespace millrace::intake {
namespace {

CompiledType compile_type(std::string_view body) {
  CompiledType compiled;
  const auto document = json::parse(body);
  auto type = document ? registry::parse_event_type(document->root()) : fail(Errc::invalid, "it is no JSON");
  if (!type) {
    compiled.problem = type.error().detail;
    return compiled;
  }
  compiled.type = *std::move(type);
  for (const registry::SpecVersion& spec : compiled.type.spec_versions) {
    auto validator = registry::compile_schema(spec);
    if (!validator) compiled.problem = validator.error().detail;
    compiled.validators.push_back(validator ? *std::move(validator) : nullptr);
  }
  return compiled;
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

const CompiledType* Policies::find_type(std::string_view code) const {
  const auto found = types_.find(code);
  return found == types_.end() ? nullptr : &found->second;
}

std::optional<Refusal> Policies::check(const event::NewEvent& event) const {
  if (naming_ == registry::NamingMode::enforce) {
    if (const auto finding = registry::check_name(event.header.type, convention_)) return misnamed(event, *finding);
  }
  const CompiledType* compiled = find_type(event.header.type);
  return compiled != nullptr ? check_schema(*compiled, event) : std::nullopt;
}

std::string Policies::warning(const event::NewEvent& event) const {
  if (naming_ != registry::NamingMode::warn) return {};
  const auto finding = registry::check_name(event.header.type, convention_);
  return finding ? misnamed(event, *finding).error.detail : std::string();
}

std::optional<Refusal> Policies::check_schema(const CompiledType& compiled, const event::NewEvent& event) const {
  const std::optional<std::string_view> named =
      event.schema_version.empty() ? std::nullopt : std::optional<std::string_view>(event.schema_version);
  const auto chosen = registry::choose_version(compiled.type, named);
  if (!chosen) return Refusal{chosen.error(), {{chosen.error().field, chosen.error().detail}}};
  if (*chosen == nullptr) return std::nullopt;
  const auto& validator = compiled.validators[static_cast<std::size_t>(*chosen - compiled.type.spec_versions.data())];
  if (!validator) return Refusal{{Errc::conflict, "the schema of this type does not compile: " + compiled.problem}, {}};

  std::vector<registry::Violation> violations;
  std::string_view prefix = "/data";
  if ((*chosen)->describes == registry::Describes::envelope) {
    const std::string text = envelope_of(event);
    const auto envelope = json::parse(text);
    violations = validator->check(envelope->root());
    prefix = "";
  } else if (event.data) {
    violations = validator->check(*event.data);
  } else {
    const auto nothing = json::parse("null");
    violations = validator->check(nothing->root());
  }
  if (violations.empty()) return std::nullopt;
  Refusal refusal{
      {Errc::invalid,
       fmt::format("the event does not fit schema {} of \"{}\": {}{}: {}", registry::to_text((*chosen)->version),
                   compiled.type.code, prefix, violations.front().pointer, violations.front().message),
       fmt::format("{}{}", prefix, violations.front().pointer)},
      {}};
  for (registry::Violation& violation : violations) {
    refusal.fields.push_back({fmt::format("{}{}", prefix, violation.pointer), std::move(violation.message)});
  }
  return refusal;
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
