#include "registry/constraint_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "registry/json_schema/number.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;
using Changes = std::vector<LocalChange>;
using Texts = std::set<std::string>;

constexpr std::size_t kShownBytesMax = 80;  // of a value in a message

std::string shown(std::string_view text) {
  return text.size() <= kShownBytesMax ? std::string(text) : fmt::format("{}…", text.substr(0, kShownBytesMax));
}

std::string shown_types(const std::vector<std::string>& types) {
  return types.empty() ? "of any type" : fmt::format("{}", fmt::join(types, " or "));
}

// The values of types that have few; nullopt where one has many.
std::optional<Texts> values_of_types(const std::vector<std::string>& types) {
  if (types.empty()) return std::nullopt;
  Texts texts;
  for (const std::string& type : types) {
    if (type == "boolean") {
      texts.insert({"true", "false"});
    } else if (type == "null") {
      texts.insert("null");
    } else {
      return std::nullopt;
    }
  }
  return texts;
}

// The values that const or enum allow; nullopt where neither is there.
std::optional<Texts> allowed_values(const FlatSchema& schema) {
  if (const auto constant = schema.find("const")) return Texts{canonical_text(*constant)};
  const auto values = schema.find("enum");
  if (!values || !values->is(Kind::array)) return std::nullopt;
  Texts texts;
  for (const Value value : values->elements()) texts.insert(canonical_text(value));
  return texts;
}

Texts without(const Texts& from, const Texts& what) {
  Texts rest;
  std::ranges::set_difference(from, what, std::inserter(rest, rest.end()));
  return rest;
}

struct Bound {
  std::string_view keyword;
  bool lower;
  std::optional<double> idle = {};  // the value that says nothing
};
constexpr Bound kBounds[] = {
    {"minimum", true},          {"exclusiveMinimum", true}, {"maximum", false},       {"exclusiveMaximum", false},
    {"minLength", true, 0},     {"maxLength", false},       {"minItems", true, 0},    {"maxItems", false},
    {"minProperties", true, 0}, {"maxProperties", false},   {"minContains", true, 1}, {"maxContains", false},
};

// The one that binds, where several parts have it.
std::optional<double> bound_of(const FlatSchema& schema, const Bound& bound) {
  std::optional<double> tightest;
  for (const Value value : schema.all(bound.keyword)) {
    const auto number = value.as_double();
    if (!number) continue;
    if (!tightest || (bound.lower ? *number > *tightest : *number < *tightest)) tightest = number;
  }
  return tightest == bound.idle ? std::nullopt : tightest;
}

std::string shown(std::optional<double> number) { return number ? fmt::format("{}", *number) : "not there"; }

std::optional<LocalChange> bound_change(const Bound& bound, std::optional<double> was, std::optional<double> is) {
  if (was == is) return std::nullopt;
  const bool looser = !is || (was && (bound.lower ? *is < *was : *is > *was));
  return LocalChange{std::string(bound.keyword), looser ? ChangeKind::loosened : ChangeKind::tightened, !looser,
                     fmt::format("has another {}: was {}, is {}", bound.keyword, shown(was), shown(is))};
}

using Divisor = json_schema::Divisor;

// Whether every multiple of `number` is one of `divisor`; exact, also for 0.1 and 0.01.
bool divides(const std::optional<Divisor>& divisor, const std::optional<Divisor>& number) {
  return !divisor || (number && divisor->divides(number->text()));
}

std::optional<LocalChange> multiple_change(const std::optional<Divisor>& was, const std::optional<Divisor>& is) {
  const bool looser = divides(is, was);
  if (looser && divides(was, is)) return std::nullopt;
  const auto text = [](const std::optional<Divisor>& divisor) { return divisor ? divisor->text() : "not there"; };
  return LocalChange{"multipleOf", looser ? ChangeKind::loosened : ChangeKind::tightened, !looser,
                     fmt::format("has another multipleOf: was {}, is {}", text(was), text(is))};
}

std::optional<Divisor> multiple_of(const FlatSchema& schema) {
  const auto value = schema.find("multipleOf");
  return value && value->is(Kind::number) ? Divisor::make(value->raw()) : std::nullopt;
}

bool wants_unique_items(const FlatSchema& schema) {
  const auto values = schema.all("uniqueItems");
  return std::ranges::any_of(values, [](Value value) { return value.is(Kind::boolean) && value.get_bool(); });
}

// Keywords of which the walk looks at the first part only.
constexpr std::string_view kFirstPartKeywords[] = {"type",
                                                   "enum",
                                                   "const",
                                                   "multipleOf",
                                                   "prefixItems",
                                                   "items",
                                                   "anyOf",
                                                   "oneOf",
                                                   "additionalProperties",
                                                   "additionalItems",
                                                   "patternProperties"};

// What the parts after the first say about a keyword, as one text.
std::string later_parts(const FlatSchema& schema, std::string_view keyword) {
  if (schema.all(keyword).size() < 2) return {};
  return schema.expanded_text(keyword);
}

constexpr std::string_view kTextKeywords[] = {
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
};

}  // namespace

Changes type_changes(const FlatSchema& old_schema, const FlatSchema& new_schema) {
  const auto was = old_schema.types();
  const auto is = new_schema.types();
  if (was == is) return {};
  return {{"type", ChangeKind::type_changed, true,
           fmt::format("has another type: was {}, is {}", shown_types(was), shown_types(is))}};
}

Changes value_changes(const FlatSchema& old_schema, const FlatSchema& new_schema) {
  auto was = allowed_values(old_schema);
  auto is = allowed_values(new_schema);
  const std::string keyword = new_schema.find("const") ? "const" : "enum";
  if (!was && !is) return {};
  if (!was) was = values_of_types(old_schema.types());
  if (!is) is = values_of_types(new_schema.types());
  if (!was) return {{keyword, ChangeKind::tightened, true, fmt::format("is now limited to {}", fmt::join(*is, ", "))}};
  if (!is) return {{keyword, ChangeKind::loosened, false, "is no longer limited to certain values"}};
  Changes changes;
  for (const std::string& gone : without(*was, *is)) {
    changes.push_back({keyword, ChangeKind::value_removed, true, fmt::format("no longer takes {}", shown(gone))});
  }
  for (const std::string& added : without(*is, *was)) {
    changes.push_back({keyword, ChangeKind::value_added, false, fmt::format("also takes {}", shown(added))});
  }
  return changes;
}

Changes bound_changes(const FlatSchema& old_schema, const FlatSchema& new_schema) {
  Changes changes;
  for (const Bound& bound : kBounds) {
    auto change = bound_change(bound, bound_of(old_schema, bound), bound_of(new_schema, bound));
    if (change) changes.push_back(std::move(*change));
  }
  if (auto change = multiple_change(multiple_of(old_schema), multiple_of(new_schema))) {
    changes.push_back(std::move(*change));
  }
  const bool unique = wants_unique_items(new_schema);
  if (unique != wants_unique_items(old_schema)) {
    changes.push_back({"uniqueItems", unique ? ChangeKind::tightened : ChangeKind::loosened, unique,
                       unique ? "no longer takes equal items" : "also takes equal items"});
  }
  return changes;
}

Changes text_changes(const FlatSchema& old_schema, const FlatSchema& new_schema) {
  Changes changes;
  for (const std::string_view keyword : kTextKeywords) {
    const std::string was = old_schema.expanded_text(keyword);
    const std::string is = new_schema.expanded_text(keyword);
    if (was == is) continue;
    if (is.empty()) {
      changes.push_back(
          {std::string(keyword), ChangeKind::loosened, false, fmt::format("has no {} any more", keyword)});
    } else if (was.empty()) {
      changes.push_back(
          {std::string(keyword), ChangeKind::tightened, true, fmt::format("has a new {}: {}", keyword, shown(is))});
    } else {
      changes.push_back({std::string(keyword), ChangeKind::unclear, true,
                         fmt::format("has another {}: was {}, is {}", keyword, shown(was), shown(is))});
    }
  }
  for (const std::string_view keyword : kFirstPartKeywords) {
    if (later_parts(old_schema, keyword) == later_parts(new_schema, keyword)) continue;
    changes.push_back({std::string(keyword), ChangeKind::unclear, true,
                       fmt::format("has several {} at once, and not the same as before", keyword)});
  }
  if (old_schema.unresolved() != new_schema.unresolved()) {
    changes.push_back({"$ref", ChangeKind::unclear, true,
                       fmt::format("refers elsewhere: was {}, is {}", fmt::join(old_schema.unresolved(), " and "),
                                   fmt::join(new_schema.unresolved(), " and "))});
  }
  return changes;
}

bool are_disjoint(Value root, Value a, Value b) {
  const auto flat_a = FlatSchema::of(root, a);
  const auto flat_b = FlatSchema::of(root, b);
  const auto overlap = [](const auto& left, const auto& right) {
    return std::ranges::any_of(left, [&](const auto& x) { return std::ranges::find(right, x) != right.end(); });
  };
  const auto types_a = flat_a.types();
  const auto types_b = flat_b.types();
  const auto is_number = [](const std::string& type) { return type == "integer" || type == "number"; };
  const bool both_numeric = std::ranges::any_of(types_a, is_number) && std::ranges::any_of(types_b, is_number);
  if (!types_a.empty() && !types_b.empty() && !both_numeric && !overlap(types_a, types_b)) return true;

  const auto required_b = flat_b.required();
  const auto properties_a = flat_a.properties();
  const auto properties_b = flat_b.properties();
  const auto values_of = [&](const auto& properties, const std::string& name) -> std::optional<Texts> {
    const auto found = std::ranges::find(properties, name, [](const auto& property) { return property.first; });
    return found == properties.end() ? std::nullopt : allowed_values(FlatSchema::of(root, found->second));
  };
  return std::ranges::any_of(flat_a.required(), [&](const std::string& name) {
    if (std::ranges::find(required_b, name) == required_b.end()) return false;
    const auto values_a = values_of(properties_a, name);
    const auto values_b = values_of(properties_b, name);
    return values_a && values_b && !overlap(*values_a, *values_b);
  });
}

}  // namespace millrace::registry
