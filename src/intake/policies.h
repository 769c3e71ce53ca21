// What a tenant wants of its events, compiled from its catalog documents: the schemas they must fit, how they are to be
// named, which rules they match. Immutable: whoever checks events keeps a shared_ptr while he does. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/codec_snake.h"
#include "event/normalise.h"
#include "event/view.h"
#include "match/rule_set.h"
#include "registry/compiled_type.h"
#include "registry/naming.h"

namespace millrace::intake {

// A document by its name, as the catalog has it.
struct Source {
  std::string_view name;
  std::string_view body;
};
struct Sources {
  std::vector<Source> event_types;
  std::vector<Source> rules;
  registry::NamingMode naming = registry::NamingMode::off;
  registry::Convention convention = registry::Convention::dotted;
};

struct FieldError {
  std::string field;
  std::string message;
};
// Why an event is refused; `fields` has every place that is to blame.
struct Refusal {
  Error error;
  std::vector<FieldError> fields;
};

// An event type that can be checked, or why it cannot.
struct TypePolicy {
  std::string source;  // the document that it was compiled from
  std::shared_ptr<const registry::CompiledType> type;
  std::vector<event::TenantName> tenant_names;  // that its schemas speak of; one a version
  std::string problem;                          // where `type` is null

  // REQUIRES: one of the type's own.
  event::TenantName tenant_name(const registry::SpecVersion& spec) const;
};

struct CompiledRule {
  match::RuleId id = 0;  // of this compilation; a rule that changes gets another
  std::string name;
  std::string source;  // the document that it was compiled from
  bool enabled = true;
  std::string bus;                                // "" = events of every bus
  std::shared_ptr<const match::Pattern> pattern;  // null where it did not compile
  bool looks_at_keys = false;                     // the pattern names PK … GSI7SK
};

class Policies {
 public:
  // What did not change since `before` (null: there was nothing) is taken from it, not compiled again.
  static std::shared_ptr<const Policies> compile(const Sources& sources, const Policies* before = nullptr);

  // Naming and schema. Nullopt: nothing to object to.
  std::optional<Refusal> check(const event::NewEvent& event) const;
  // What check() lets pass and the sender should know all the same; "" for nothing.
  std::string warning(const event::NewEvent& event) const;

  // Whether an event can match anything: if not, it needs no view.
  bool any_rules() const { return rule_set_->size() != 0; }
  // What a view for matches() must have.
  event::KeyFields key_fields() const { return key_fields_; }
  // The names of the enabled rules that match, in their order.
  std::vector<std::string_view> matches(const event::View& view, std::string_view bus) const;
  const CompiledRule* find_rule(std::string_view name) const { return rule_named(name).get(); }
  const std::vector<std::shared_ptr<const CompiledRule>>& rules() const { return rules_; }  // by name

 private:
  std::optional<Refusal> check_schema(const TypePolicy& policy, const event::NewEvent& event) const;

  std::shared_ptr<const CompiledRule> rule_named(std::string_view name) const;
  void compile_types(const std::vector<Source>& sources, const Policies* before);
  void compile_rules(const std::vector<Source>& sources, const Policies* before);

  std::map<std::string, std::shared_ptr<const TypePolicy>, std::less<>> types_;
  std::vector<std::shared_ptr<const CompiledRule>> rules_;               // by name
  absl::flat_hash_map<match::RuleId, const CompiledRule*> rules_by_id_;  // those of the set
  std::shared_ptr<const match::RuleSet> rule_set_;
  match::RuleId last_rule_id_ = 0;
  event::KeyFields key_fields_ = event::KeyFields::left_out;
  registry::NamingMode naming_ = registry::NamingMode::off;
  registry::Convention convention_ = registry::Convention::dotted;
};

// The fields of a view as the matcher takes them. Points into `view`, which must outlive it.
class MatchableView {
 public:
  explicit MatchableView(const event::View& view);
  match::EventView get() const { return match::EventView(std::span<const match::EventField>(fields_)); }

 private:
  std::vector<match::EventField> fields_;
};

}  // namespace millrace::intake
