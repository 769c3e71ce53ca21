// What a tenant wants of its events, compiled from its catalog documents: the schemas they must fit, how they are to be
// named, which rules they match. Immutable: whoever checks events keeps a shared_ptr while he does. Any thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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
  std::shared_ptr<const registry::CompiledType> type;
  std::string problem;  // where `type` is null
};

struct CompiledRule {
  std::string name;
  bool enabled = true;
  std::string bus;                                // "" = events of every bus
  std::shared_ptr<const match::Pattern> pattern;  // null where it did not compile
};

class Policies {
 public:
  static std::shared_ptr<const Policies> compile(const Sources& sources);

  // Naming and schema. Nullopt: nothing to object to.
  std::optional<Refusal> check(const event::NewEvent& event) const;
  // What check() lets pass and the sender should know all the same; "" for nothing.
  std::string warning(const event::NewEvent& event) const;

  // The names of the enabled rules that match, in their order.
  std::vector<std::string_view> matches(const event::View& view, std::string_view bus) const;
  const CompiledRule* find_rule(std::string_view name) const;

 private:
  std::optional<Refusal> check_schema(const TypePolicy& policy, const event::NewEvent& event) const;

  std::map<std::string, TypePolicy, std::less<>> types_;
  std::vector<CompiledRule> rules_;  // by name
  std::shared_ptr<const match::RuleSet> rule_set_;
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
