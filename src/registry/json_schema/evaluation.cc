#include "registry/json_schema/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "registry/json_schema/messages.h"
#include "registry/json_schema/text.h"

namespace millrace::registry::json_schema {

using json::Kind;
using json::Value;

namespace {

// Checks inside each other. 64 levels of JSON with a dozen schemas for each value stay below; the stack they take
// is less than half a megabyte.
constexpr int kNestedMax = 1000;
// A usual event needs a hundred checks. These are for schemas made to hurt, and for large values.
constexpr std::uint64_t kBudget = 100'000;
constexpr std::uint64_t kBudgetPerByte = 64;
// Text that a pattern reads in the time of one check.
constexpr std::size_t kPatternBytesPerUnit = 32;

}  // namespace

Evaluation::Evaluation(const Program& program, Value instance)
    : program_(program),
      instance_(instance),
      budget_(kBudget + kBudgetPerByte * instance.raw().size()),
      defaults_stand_in_(program.defaults_stand_in) {}

bool Evaluation::run() { return check(program_.root, instance_, nullptr, nullptr) && !exhausted_; }

std::vector<Violation> Evaluation::collect(std::size_t limit) {
  std::vector<Violation> violations;
  violations_ = &violations;
  limit_ = std::max<std::size_t>(limit, 1);
  const bool valid = check(program_.root, instance_, nullptr, nullptr) && !exhausted_;
  if (exhausted_ && violations.size() < limit_) {
    violations.push_back({"", "", "the value takes too much work to check against this schema"});
  } else if (!valid && violations.empty()) {
    violations.push_back({"", "", "the value does not fit the schema"});
  }
  return violations;
}

bool Evaluation::spend(std::uint64_t units) {
  if (budget_ < units) exhausted_ = true;
  if (exhausted_) return false;
  budget_ -= units;
  return true;
}

bool Evaluation::refuse(const Site& site, std::string_view keyword, std::string message) {
  return refuse_at(site.value, site, keyword, std::move(message));
}

bool Evaluation::refuse_at(Value value, const Site& site, std::string_view keyword, std::string message) {
  violations_->push_back({pointer_to(value, instance_), schema_place(site.node.place, keyword), std::move(message)});
  // From here on it is enough to know that something fails.
  if (violations_->size() >= limit_) violations_ = nullptr;
  return false;
}

bool Evaluation::check(NodeId id, Value value, const Scope* scope, Evaluated* seen) {
  const Node& node = program_.nodes[id];
  if (node.trivial) return true;
  if (nested_ == kNestedMax) exhausted_ = true;
  if (!spend(1)) return false;
  ++nested_;
  const Scope inner{scope, node.resource};
  if (scope == nullptr || scope->resource != node.resource) scope = &inner;
  bool passed = false;
  const bool asks = node.unevaluated_items != kNoNode || node.unevaluated_properties != kNoNode;
  if (asks) {
    Evaluated own;
    passed = check_rules({node, value, scope, &own});
    if (seen != nullptr && passed) seen->add(own);
  } else {
    passed = check_rules({node, value, scope, seen});
  }
  --nested_;
  return passed;
}

bool Evaluation::check_rules(const Site& site) {
  const Node& node = site.node;
  if (node.never) return collecting() ? refuse(site, "", "nothing is allowed here") : false;
  bool all = true;
  if (node.types != kEveryType && !go_on(check_type(site), all)) return false;
  if (node.literals && !go_on(check_literals(site), all)) return false;
  switch (site.value.kind()) {
    case Kind::number:
      if (node.numbers && !go_on(check_number(site), all)) return false;
      break;
    case Kind::string:
      if (node.strings && !go_on(check_string(site), all)) return false;
      break;
    case Kind::array:
      if (node.arrays && !go_on(check_array(site), all)) return false;
      break;
    case Kind::object:
      if (node.objects && !go_on(check_object(site), all)) return false;
      break;
    case Kind::null:
    case Kind::boolean:
      break;
  }
  if (node.in_place && !go_on(check_in_place(site), all)) return false;
  // Last, when everything beside them has been seen.
  if (node.unevaluated_items != kNoNode && site.value.is(Kind::array)) {
    if (!go_on(check_unevaluated_items(site), all)) return false;
  }
  if (node.unevaluated_properties != kNoNode && site.value.is(Kind::object)) {
    if (!go_on(check_unevaluated_properties(site), all)) return false;
  }
  return all;
}

bool Evaluation::check_type(const Site& site) {
  const std::uint8_t types = site.node.types;
  if ((types & type_bit(site.value.kind())) != 0) return true;
  if ((types & kIntegerType) != 0 && site.value.is(Kind::number) && is_integer(site.value.raw())) return true;
  return collecting() ? refuse(site, "type", type_message(types, site.value)) : false;
}

bool Evaluation::check_literals(const Site& site) {
  const LiteralRules& rules = *site.node.literals;
  // Reading the value for a hash costs by its size.
  if (site.value.is(Kind::array) || site.value.is(Kind::object)) spend(site.value.raw().size() / kPatternBytesPerUnit);
  bool all = true;
  if (rules.constant && !rules.constant->contains(site.value)) {
    if (!collecting()) return false;
    all = refuse(site, "const",
                 fmt::format("must be {}, is {}", excerpt(rules.constant->values().front()), excerpt(site.value)));
  }
  if (rules.enumeration && !rules.enumeration->contains(site.value)) {
    if (!collecting()) return false;
    all = refuse(site, "enum", enum_message(rules.enumeration->values(), site.value));
  }
  return all;
}

bool Evaluation::check_number(const Site& site) {
  const NumberRules& rules = *site.node.numbers;
  const std::string_view number = site.value.raw();
  bool all = true;
  const auto test = [&](bool passed, std::string_view keyword, std::string_view asked, std::string_view bound) {
    if (passed) return true;
    if (collecting()) refuse(site, keyword, fmt::format("must be {} {}, is {}", asked, bound, excerpt(site.value)));
    return go_on(false, all);
  };
  if (rules.minimum && !test(rules.minimum->order(number) >= 0, "minimum", "at least", rules.minimum->text()))
    return false;
  if (rules.maximum && !test(rules.maximum->order(number) <= 0, "maximum", "at most", rules.maximum->text()))
    return false;
  if (rules.exclusive_minimum && !test(rules.exclusive_minimum->order(number) > 0, "exclusiveMinimum", "greater than",
                                       rules.exclusive_minimum->text())) {
    return false;
  }
  if (rules.exclusive_maximum && !test(rules.exclusive_maximum->order(number) < 0, "exclusiveMaximum", "less than",
                                       rules.exclusive_maximum->text())) {
    return false;
  }
  if (rules.multiple_of &&
      !test(rules.multiple_of->divides(number), "multipleOf", "a multiple of", rules.multiple_of->text())) {
    return false;
  }
  return all;
}

bool Evaluation::check_string(const Site& site) {
  const StringRules& rules = *site.node.strings;
  const Text text(site.value);
  bool all = true;
  if (rules.length.min > 0 || rules.length.max != kUnbounded) {
    const std::size_t length = count_characters(text.view());
    if (!rules.length.holds(length)) {
      if (!collecting()) return false;
      all = refuse(site, length < rules.length.min ? "minLength" : "maxLength",
                   count_message(rules.length, length, "character", "characters"));
    }
  }
  if (rules.pattern && (!spend(text.view().size() / kPatternBytesPerUnit) || !rules.pattern->found_in(text.view()))) {
    if (!collecting()) return false;
    all = refuse(site, "pattern",
                 fmt::format("must match the pattern {}, is {}", rules.pattern->source(), excerpt(site.value)));
  }
  if (rules.format != nullptr && !rules.format->fits(text.view())) {
    if (!collecting()) return false;
    all =
        refuse(site, "format", fmt::format("must have the format {}, is {}", rules.format->name, excerpt(site.value)));
  }
  return all;
}

bool Evaluation::check_quietly(NodeId id, Value value, const Scope* scope, Evaluated* seen) {
  auto* const violations = std::exchange(violations_, nullptr);
  const bool passed = check(id, value, scope, seen);
  violations_ = violations;
  return passed;
}

bool Evaluation::check_as_written(NodeId id, Value value, const Scope* scope, Evaluated* seen) {
  const bool stand_in = std::exchange(defaults_stand_in_, false);
  const bool passed = check_quietly(id, value, scope, seen);
  defaults_stand_in_ = stand_in;
  return passed;
}

bool Evaluation::check_branch(NodeId id, const Site& site) {
  if (site.seen == nullptr) return check_quietly(id, site.value, site.scope, nullptr);
  Evaluated own;
  if (!check_quietly(id, site.value, site.scope, &own)) return false;
  site.seen->add(own);
  return true;
}

NodeId Evaluation::bound(const DynamicRef& ref, const Scope* scope) const {
  NodeId outermost = ref.fallback;
  for (; scope != nullptr; scope = scope->outer) {
    for (const auto& [anchor, node] : program_.dynamic_anchors[scope->resource]) {
      if (anchor == ref.anchor) outermost = node;
    }
  }
  return outermost;
}

bool Evaluation::check_in_place(const Site& site) {
  const InPlace& rules = *site.node.in_place;
  bool all = true;
  const auto passes = [&](NodeId id) { return go_on(check(id, site.value, site.scope, site.seen), all); };
  if (rules.ref != kNoNode && !passes(rules.ref)) return false;
  if (rules.dynamic_target != kNoNode && !passes(rules.dynamic_target)) return false;
  if (rules.dynamic && !passes(bound(*rules.dynamic, site.scope))) return false;
  for (const NodeId id : rules.all_of) {
    if (!passes(id)) return false;
  }
  if (!rules.any_of.empty() && !go_on(check_any_of(site), all)) return false;
  if (!rules.one_of.empty() && !go_on(check_one_of(site), all)) return false;
  if (rules.condition != kNoNode && !go_on(check_condition(site), all)) return false;
  if (rules.negated != kNoNode && check_as_written(rules.negated, site.value, site.scope, nullptr)) {
    if (!collecting()) return false;
    all = refuse(site, "not", "must not fit the schema under not");
  }
  return all;
}

bool Evaluation::check_any_of(const Site& site) {
  const std::vector<NodeId>& branches = site.node.in_place->any_of;
  bool any = false;
  for (const NodeId id : branches) {
    any |= check_branch(id, site);
    // All branches count for what is evaluated.
    if (any && site.seen == nullptr) return true;
  }
  if (any) return true;
  if (!collecting()) return false;
  return refuse_branches(site, "anyOf", branches, "at least");
}

bool Evaluation::check_one_of(const Site& site) {
  const std::vector<NodeId>& branches = site.node.in_place->one_of;
  // A default that stands in can make a second branch fit: where one fits as it is written, that is the one.
  const bool stand_in = std::exchange(defaults_stand_in_, false);
  std::size_t fitting = count_fitting(site, branches);
  defaults_stand_in_ = stand_in;
  if (fitting == 0 && stand_in) fitting = count_fitting(site, branches);
  if (fitting == 1) return true;
  if (!collecting()) return false;
  if (fitting == 0) return refuse_branches(site, "oneOf", branches, "exactly");
  return refuse(site, "oneOf", fmt::format("must fit exactly one of {} schemas, fits several", branches.size()));
}

std::size_t Evaluation::count_fitting(const Site& site, const std::vector<NodeId>& branches) {
  std::size_t fitting = 0;
  for (const NodeId id : branches) {
    fitting += check_branch(id, site);
    if (fitting > 1) break;
  }
  return fitting;
}

std::uint8_t Evaluation::admitted(NodeId id) const {
  const Node* node = &program_.nodes[id];
  if (node->in_place && node->in_place->ref != kNoNode) node = &program_.nodes[node->in_place->ref];
  if (node->never) return 0;
  unsigned types = node->types;
  if (!node->literals) return node->types;
  for (const auto* literals : {&node->literals->constant, &node->literals->enumeration}) {
    if (!*literals) continue;
    const unsigned kinds = (*literals)->kinds();
    types &= (kinds & type_bit(Kind::number)) != 0 ? kinds | kIntegerType : kinds;
  }
  return static_cast<std::uint8_t>(types);
}

// With one branch that admits the kind of value, what is wrong is said there: a nullable object is an object.
bool Evaluation::refuse_branches(const Site& site, std::string_view keyword, const std::vector<NodeId>& branches,
                                 std::string_view asked) {
  const unsigned kind = type_bit(site.value.kind()) | (site.value.is(Kind::number) ? kIntegerType : 0u);
  unsigned all_types = 0;
  std::vector<NodeId> meant;
  for (const NodeId id : branches) {
    const std::uint8_t types = admitted(id);
    all_types |= types;
    if ((types & kind) != 0) meant.push_back(id);
  }
  if (meant.empty()) return refuse(site, keyword, type_message(static_cast<std::uint8_t>(all_types), site.value));
  refuse(site, keyword, fmt::format("must fit {} one of {} schemas, fits none", asked, branches.size()));
  if (meant.size() == 1) check(meant.front(), site.value, site.scope, nullptr);
  return false;
}

bool Evaluation::check_condition(const Site& site) {
  const InPlace& rules = *site.node.in_place;
  const bool stand_in = std::exchange(defaults_stand_in_, false);
  const bool holds = check_branch(rules.condition, site);
  defaults_stand_in_ = stand_in;
  const NodeId next = holds ? rules.consequence : rules.alternative;
  return next == kNoNode || check(next, site.value, site.scope, site.seen);
}

}  // namespace millrace::registry::json_schema
