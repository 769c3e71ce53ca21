#include "intake/policies.h"

#include <fmt/format.h>

#include <algorithm>

#include "intake/envelope_check.h"
#include "json/object_reader.h"
#include "json/parse.h"

namespace millrace::intake {
namespace {

std::shared_ptr<const TypePolicy> compile_type(std::string_view body) {
  auto policy = std::make_shared<TypePolicy>();
  policy->source = body;
  const auto document = json::parse(body);
  auto type = document ? registry::parse_event_type(document->root()) : fail(Errc::invalid, "it is no JSON");
  auto compiled = type ? registry::CompiledType::compile(*std::move(type)) : std::unexpected(std::move(type.error()));
  if (compiled) {
    policy->type = *std::move(compiled);
    for (const auto& spec : policy->type->type().spec_versions) policy->tenant_names.push_back(tenant_name_in(spec));
  } else {
    policy->problem = compiled.error().detail;
  }
  return policy;
}

bool is_key(std::string_view field) {
  for (std::size_t i = 0; i < event::kIndexes; ++i) {
    const auto index = static_cast<event::Index>(i);
    if (field == event::name_of(index, event::KeyPart::partition)) return true;
    if (field == event::name_of(index, event::KeyPart::sort)) return true;
  }
  return false;
}

bool looks_at_keys(const match::Node& node) {
  return is_key(node.path) || std::ranges::any_of(node.children, looks_at_keys);
}

std::shared_ptr<const CompiledRule> compile_rule(const Source& source, match::RuleId id) {
  auto rule = std::make_shared<CompiledRule>();
  rule->id = id;
  rule->name = source.name;
  rule->source = source.body;
  const auto document = json::parse(source.body);
  const auto pattern = document ? document->root().find("pattern") : std::nullopt;
  if (!pattern) return rule;
  if (const auto enabled = document->root().find("enabled"); enabled && enabled->is(json::Kind::boolean)) {
    rule->enabled = enabled->get_bool();
  }
  if (const auto bus = document->root().find("bus"); bus && bus->is(json::Kind::string)) rule->bus = bus->get_string();
  // Whether it may be extended was asked when it was saved; the other dialect is a part of this one.
  auto compiled = match::Pattern::compile(*pattern, match::Dialect::extended);
  if (!compiled) return rule;
  rule->looks_at_keys = looks_at_keys(compiled->root());
  rule->pattern = std::make_shared<const match::Pattern>(*std::move(compiled));
  return rule;
}

Refusal misnamed(const event::NewEvent& event, const registry::NamingFinding& finding) {
  const std::string hint = finding.suggestion.empty() ? "" : fmt::format("; better: {}", finding.suggestion);
  std::string detail = fmt::format("event type \"{}\": {}{}", event.header.type, finding.message, hint);
  return {{Errc::invalid, detail, "type"}, {{"type", detail}}};
}

// As it will be stored, before it has a number.
event::Record record_of(const event::NewEvent& event) {
  return {.tenant = event.tenant,
          .position = {},
          .tsid = 0,
          .received = event.header.time,
          .header = event.header,
          .rest = event.rest};
}

std::vector<registry::Violation> check_data(const event::NewEvent& event, const registry::PayloadValidator& validator) {
  if (event.data) return validator.check(*event.data);
  const auto nothing = json::parse("null");
  return validator.check(nothing->root());
}

// Where something is wrong, in a message and as a field: a pointer into the event, or the whole of it.
std::string place_of(const registry::Violation& violation, registry::Describes describes) {
  if (describes == registry::Describes::data) return "/data" + violation.pointer;
  return violation.pointer.empty() ? "event" : violation.pointer;
}

Refusal misfit(const registry::CompiledType& type, const registry::SpecVersion& spec,
               std::vector<registry::Violation> violations) {
  Refusal refusal;
  for (registry::Violation& violation : violations) {
    std::string place = place_of(violation, spec.describes);
    refusal.fields.push_back({std::move(place), std::move(violation.message)});
  }
  const FieldError& first = refusal.fields.front();
  refusal.error = {Errc::invalid,
                   fmt::format("the event does not fit schema {} of \"{}\": {}: {}", registry::to_text(spec.version),
                               type.type().code, first.field, first.message),
                   first.field};
  return refusal;
}

}  // namespace

event::TenantName TypePolicy::tenant_name(const registry::SpecVersion& spec) const {
  return tenant_names[static_cast<std::size_t>(&spec - type->type().spec_versions.data())];
}

std::shared_ptr<const Policies> Policies::compile(const Sources& sources, const Policies* before) {
  auto policies = std::make_shared<Policies>();
  policies->naming_ = sources.naming;
  policies->convention_ = sources.convention;
  policies->compile_types(sources.event_types, before);
  policies->compile_rules(sources.rules, before);
  return policies;
}

void Policies::compile_types(const std::vector<Source>& sources, const Policies* before) {
  for (const Source& source : sources) {
    std::shared_ptr<const TypePolicy> policy;
    if (before != nullptr) {
      const auto found = before->types_.find(source.name);
      if (found != before->types_.end() && found->second->source == source.body) policy = found->second;
    }
    types_.emplace(source.name, policy ? std::move(policy) : compile_type(source.body));
  }
}

void Policies::compile_rules(const std::vector<Source>& sources, const Policies* before) {
  if (before != nullptr) last_rule_id_ = before->last_rule_id_;
  std::vector<match::Rule> added;
  for (const Source& source : sources) {
    auto rule = before != nullptr ? before->rule_named(source.name) : nullptr;
    const bool unchanged = rule && rule->source == source.body;
    if (!unchanged) rule = compile_rule(source, ++last_rule_id_);
    if (rule->enabled && rule->pattern) {
      rules_by_id_.emplace(rule->id, rule.get());
      if (rule->looks_at_keys) key_fields_ = event::KeyFields::included;
      if (!unchanged) added.push_back({rule->id, rule->pattern});
    }
    rules_.push_back(std::move(rule));
  }
  std::ranges::sort(rules_, {}, [](const auto& rule) -> const std::string& { return rule->name; });
  if (before == nullptr) {
    rule_set_ = match::RuleSet::build(std::move(added));
    return;
  }
  std::vector<match::RuleId> removed;
  for (const auto& [id, rule] : before->rules_by_id_) {
    if (!rules_by_id_.contains(id)) removed.push_back(id);
  }
  const bool same = added.empty() && removed.empty();
  rule_set_ = same ? before->rule_set_ : before->rule_set_->with(std::move(added), removed);
}

std::shared_ptr<const CompiledRule> Policies::rule_named(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(rules_, name, {}, [](const auto& rule) -> std::string_view { return rule->name; });
  return found != rules_.end() && (*found)->name == name ? *found : nullptr;
}

std::optional<Refusal> Policies::check(const event::NewEvent& event) const {
  if (naming_ == registry::NamingMode::enforce) {
    if (const auto finding = registry::check_name(event.header.type, convention_)) return misnamed(event, *finding);
  }
  const auto found = types_.find(event.header.type);
  return found != types_.end() ? check_schema(*found->second, event) : std::nullopt;
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
  auto violations = whole ? check_envelope(record_of(event), *chosen->validator, policy.tenant_name(*chosen->spec))
                          : check_data(event, *chosen->validator);
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
  if (!any_rules()) return {};
  thread_local match::Scratch scratch;
  thread_local std::vector<match::RuleId> ids;
  rule_set_->match(MatchableView(view).get(), scratch, ids);
  std::vector<std::string_view> names;
  for (const match::RuleId id : ids) {
    const CompiledRule& rule = *rules_by_id_.at(id);
    if (rule.bus.empty() || rule.bus == bus) names.push_back(rule.name);
  }
  std::ranges::sort(names);  // ids are in the order of the changes
  return names;
}

}  // namespace millrace::intake
