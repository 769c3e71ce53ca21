// Arrays and objects; the rest of Evaluation is in evaluation.cc.
#include <fmt/format.h>

#include <utility>

#include "registry/json_schema/equality.h"
#include "registry/json_schema/evaluation.h"
#include "registry/json_schema/messages.h"
#include "registry/json_schema/text.h"

namespace millrace::registry::json_schema {

using json::Member;
using json::Value;

namespace {

constexpr std::size_t kHashBytesPerUnit = 16;  // source that is hashed in the time of one check

}  // namespace

bool Evaluation::check_array(const Site& site) {
  const ArrayRules& rules = *site.node.arrays;
  bool all = true;
  if (!rules.items.holds(site.value.size())) {
    if (!collecting()) return false;
    all = refuse(site, site.value.size() < rules.items.min ? "minItems" : "maxItems",
                 count_message(rules.items, site.value.size(), "element", "elements"));
  }
  if ((!rules.prefix.empty() || rules.rest != kNoNode) && !go_on(check_elements(site), all)) return false;
  if (rules.contains != kNoNode && !go_on(check_contains(site), all)) return false;
  if (rules.unique && spend(site.value.raw().size() / kHashBytesPerUnit)) {
    const EqualElements found = find_equal_elements(site.value);
    if (found.second != 0) {
      if (!collecting()) return false;
      all = refuse(site, "uniqueItems",
                   fmt::format("must not have equal elements; {} and {} are", found.first, found.second));
    }
  }
  return all;
}

bool Evaluation::check_elements(const Site& site) {
  const ArrayRules& rules = *site.node.arrays;
  bool all = true;
  std::size_t i = 0;
  for (const Value element : site.value.elements()) {
    const bool in_prefix = i < rules.prefix.size();
    const NodeId schema = in_prefix ? rules.prefix[i] : rules.rest;
    if (schema == kNoNode) break;
    if (!in_prefix && collecting() && program_.nodes[schema].never) {
      all = refuse_at(element, site, rules.rest_keyword, fmt::format("must have at most {} elements", i));
      break;
    }
    if (!go_on(check(schema, element, site.scope, nullptr), all)) return false;
    if (site.seen != nullptr) site.seen->mark(i);
    ++i;
  }
  if (site.seen != nullptr && rules.rest != kNoNode) site.seen->mark_all();
  return all;
}

bool Evaluation::check_contains(const Site& site) {
  const ArrayRules& rules = *site.node.arrays;
  std::uint64_t count = 0;
  std::size_t i = 0;
  for (const Value element : site.value.elements()) {
    if (check_as_written(rules.contains, element, site.scope, nullptr)) {
      ++count;
      if (site.seen != nullptr) site.seen->mark(i);
      // One more cannot change the answer, only what is evaluated.
      if (site.seen == nullptr && count >= rules.contains_count.min && rules.contains_count.max == kUnbounded)
        return true;
    }
    ++i;
  }
  if (rules.contains_count.holds(count)) return true;
  if (!collecting()) return false;
  const std::string_view keyword =
      count > rules.contains_count.max ? "maxContains" : (rules.contains_count.min == 1 ? "contains" : "minContains");
  return refuse(site, keyword,
                count_message(rules.contains_count, count, "element that fits the schema under contains",
                              "elements that fit the schema under contains"));
}

bool Evaluation::check_object(const Site& site) {
  const ObjectRules& rules = *site.node.objects;
  bool all = true;
  if (!rules.properties_count.holds(site.value.size())) {
    if (!collecting()) return false;
    all = refuse(site, site.value.size() < rules.properties_count.min ? "minProperties" : "maxProperties",
                 count_message(rules.properties_count, site.value.size(), "property", "properties"));
  }
  return go_on(check_members(site), all) && all;
}

bool Evaluation::check_members(const Site& site) {
  const ObjectRules& rules = *site.node.objects;
  bool all = true;
  std::size_t required_found = 0;
  std::size_t i = 0;
  for (const Member member : site.value.members()) {
    const Text key(member.key);
    const PropertyRule* rule = rules.properties.find(key.view());
    bool evaluated = false;
    if (!go_on(check_member(site, member, key.view(), rule, evaluated), all)) return false;
    if (evaluated && site.seen != nullptr) site.seen->mark(i);
    if (rule != nullptr) required_found += rule->required && !may_be_missing(*rule);
    ++i;
  }
  // Keys are unique, so a count tells whether all are there.
  const std::size_t asked = rules.required.size() - (defaults_stand_in_ ? rules.defaulted : 0);
  if (required_found != asked && !go_on(check_required(site, asked - required_found), all)) return false;
  return all;
}

bool Evaluation::check_member(const Site& site, const Member& member, std::string_view key, const PropertyRule* rule,
                              bool& evaluated) {
  const ObjectRules& rules = *site.node.objects;
  bool all = true;
  if (rule != nullptr && rule->schema != kNoNode) {
    evaluated = true;
    if (!go_on(check(rule->schema, member.value, site.scope, nullptr), all)) return false;
  }
  for (const auto& [pattern, schema] : rules.patterns) {
    if (!spend(1) || !pattern.found_in(key)) continue;
    evaluated = true;
    if (!go_on(check(schema, member.value, site.scope, nullptr), all)) return false;
  }
  if (!evaluated && rules.additional != kNoNode) {
    evaluated = true;
    if (collecting() && program_.nodes[rules.additional].never) {
      all = refuse_at(member.value, site, "additionalProperties",
                      fmt::format("the property {} is not allowed here", excerpt(member.key)));
    } else if (!go_on(check(rules.additional, member.value, site.scope, nullptr), all)) {
      return false;
    }
  }
  if (rules.names != kNoNode && !check_quietly(rules.names, member.key, site.scope, nullptr)) {
    if (!collecting()) return false;
    all = refuse_at(member.value, site, "propertyNames",
                    fmt::format("the name {} is not allowed here", excerpt(member.key)));
  }
  if (rule != nullptr) {
    for (const Dependency& dependency : rule->dependencies) {
      if (!go_on(check_dependency(site, key, dependency), all)) return false;
    }
  }
  return all;
}

bool Evaluation::check_required(const Site& site, std::size_t missing) {
  if (!collecting()) return false;
  const ObjectRules& rules = *site.node.objects;
  for (const std::string& name : rules.required) {
    if (missing == 0 || !collecting()) break;
    if (may_be_missing(*rules.properties.find(name)) || site.value.find(name)) continue;
    --missing;
    refuse(site, "required", fmt::format("must have the property {}", quoted(name)));
  }
  return false;
}

bool Evaluation::check_dependency(const Site& site, std::string_view key, const Dependency& dependency) {
  bool all = true;
  for (const std::string& name : dependency.required) {
    spend(site.value.size());
    if (exhausted_ || site.value.find(name)) continue;
    if (!collecting()) return false;
    all = refuse(site, dependency.keyword,
                 fmt::format("must have the property {} because it has {}", quoted(name), quoted(key)));
  }
  if (dependency.schema != kNoNode) go_on(check(dependency.schema, site.value, site.scope, site.seen), all);
  return all;
}

bool Evaluation::check_unevaluated_items(const Site& site) {
  bool all = true;
  std::size_t i = 0;
  const NodeId schema = site.node.unevaluated_items;
  for (const Value element : site.value.elements()) {
    if (!site.seen->has(i++)) {
      if (collecting() && program_.nodes[schema].never) {
        all = refuse_at(element, site, "unevaluatedItems", "no further element is allowed here");
      } else if (!go_on(check(schema, element, site.scope, nullptr), all)) {
        return false;
      }
    }
  }
  site.seen->mark_all();
  return all;
}

bool Evaluation::check_unevaluated_properties(const Site& site) {
  bool all = true;
  std::size_t i = 0;
  const NodeId schema = site.node.unevaluated_properties;
  for (const Member member : site.value.members()) {
    if (!site.seen->has(i++)) {
      if (collecting() && program_.nodes[schema].never) {
        all = refuse_at(member.value, site, "unevaluatedProperties",
                        fmt::format("the property {} is not allowed here", excerpt(member.key)));
      } else if (!go_on(check(schema, member.value, site.scope, nullptr), all)) {
        return false;
      }
    }
  }
  site.seen->mark_all();
  return all;
}

}  // namespace millrace::registry::json_schema
