#include "registry/json_schema/keywords.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "registry/json_schema/uri.h"

namespace millrace::registry::json_schema {
namespace {

using json::Kind;
using json::Member;
using json::Value;

// Refuses another kind than the keyword needs.
bool expect(NodeBuilder& builder, std::string_view keyword, Value value, Kind kind) {
  if (value.is(kind)) return true;
  builder.refuse(keyword,
                 fmt::format("{} must be {}, this is {}", keyword, json::describe(kind), json::describe(value.kind())));
  return false;
}

std::optional<std::uint64_t> read_count(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (value.is(Kind::number) && is_integer(value.raw()) && !value.raw().starts_with('-')) {
    const auto count = value.as_int64();
    return count ? static_cast<std::uint64_t>(*count) : kUnbounded;
  }
  // -0 is 0.
  if (value.is(Kind::number) && read_decimal(value.raw()).is_zero()) return 0;
  builder.refuse(keyword, fmt::format("{} must be an integer of at least 0", keyword));
  return std::nullopt;
}

template <auto Pick, std::uint64_t Counts::* Side>
void count_bound(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (const auto count = read_count(builder, keyword, value)) Pick(builder).*Side = *count;
}
Counts& length(NodeBuilder& builder) { return builder.strings().length; }
Counts& items(NodeBuilder& builder) { return builder.arrays().items; }
Counts& properties_count(NodeBuilder& builder) { return builder.objects().properties_count; }
Counts& contains_count(NodeBuilder& builder) { return builder.arrays().contains_count; }

template <std::optional<Bound> NumberRules::* Member>
void number_bound(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (expect(builder, keyword, value, Kind::number)) builder.numbers().*Member = Bound(value.raw());
}

void multiple_of(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (!expect(builder, keyword, value, Kind::number)) return;
  const auto divisor = Divisor::make(value.raw());
  if (!divisor)
    return builder.refuse(keyword, "multipleOf must be greater than 0 and have at most 18 significant digits");
  builder.numbers().multiple_of = *divisor;
}

std::uint8_t type_named(Value name) {
  if (name.equals("integer")) return kIntegerType;
  if (name.equals("null")) return type_bit(Kind::null);
  if (name.equals("boolean")) return type_bit(Kind::boolean);
  if (name.equals("number")) return type_bit(Kind::number);
  if (name.equals("string")) return type_bit(Kind::string);
  if (name.equals("array")) return type_bit(Kind::array);
  if (name.equals("object")) return type_bit(Kind::object);
  return 0;
}

void type(NodeBuilder& builder, std::string_view keyword, Value value) {
  std::vector<Value> names;
  if (value.is(Kind::array)) {
    for (const Value name : value.elements()) names.push_back(name);
  } else {
    names.push_back(value);
  }
  std::uint8_t types = 0;
  for (const Value name : names) {
    const std::uint8_t bit = type_named(name);
    if (bit == 0) {
      return builder.refuse(keyword,
                            fmt::format("{} is no type; use null, boolean, integer, number, string, array or object",
                                        name.raw().substr(0, 100)));
    }
    types = static_cast<std::uint8_t>(types | bit);
  }
  builder.node().types = types;
}

void constant(NodeBuilder& builder, std::string_view, Value value) {
  ValueSet& set = builder.literals().constant.emplace();
  set.add(value);
  set.seal();
}

void enumeration(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (!expect(builder, keyword, value, Kind::array)) return;
  ValueSet& set = builder.literals().enumeration.emplace();
  for (const Value element : value.elements()) set.add(element);
  set.seal();
}

void pattern(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (expect(builder, keyword, value, Kind::string))
    builder.strings().pattern = builder.pattern(keyword, value.get_string());
}

void format(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (!expect(builder, keyword, value, Kind::string) || !builder.dialect().asserts_formats) return;
  if (const Format* known = find_format(value.get_string())) builder.strings().format = known;
}

void unique_items(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (expect(builder, keyword, value, Kind::boolean) && value.get_bool()) builder.arrays().unique = true;
}

std::vector<NodeId> schema_list(NodeBuilder& builder, std::string_view keyword, Value value) {
  std::vector<NodeId> nodes;
  if (!expect(builder, keyword, value, Kind::array)) return nodes;
  for (const Value element : value.elements()) {
    nodes.push_back(builder.schema(keyword, std::to_string(nodes.size()), element));
  }
  if (nodes.empty()) builder.refuse(keyword, fmt::format("{} needs at least one schema", keyword));
  return nodes;
}

void prefix_items(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.arrays().prefix = schema_list(builder, keyword, value);
  builder.arrays().prefix_keyword = "prefixItems";
}

void items_or_prefix(NodeBuilder& builder, std::string_view keyword, Value value) {
  ArrayRules& rules = builder.arrays();
  if (!value.is(Kind::array)) {
    rules.rest = builder.schema(keyword, value);
    rules.rest_keyword = "items";
    return;
  }
  rules.prefix_keyword = "items";
  if (value.size() > 0) rules.prefix = schema_list(builder, keyword, value);
  // Only beside a list of items does it mean anything.
  if (const auto additional = builder.position().value.find("additionalItems")) {
    rules.rest = builder.schema("additionalItems", *additional);
    rules.rest_keyword = "additionalItems";
  }
}

void rest_items(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.arrays().rest = builder.schema(keyword, value);
  builder.arrays().rest_keyword = "items";
}

void contains(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.arrays().contains = builder.schema(keyword, value);
}

template <class Visit>
void each_member(NodeBuilder& builder, std::string_view keyword, Value value, Visit visit) {
  if (!expect(builder, keyword, value, Kind::object)) return;
  for (const Member member : value.members()) visit(member.key.get_string(), member.value);
}

void properties(NodeBuilder& builder, std::string_view keyword, Value value) {
  each_member(builder, keyword, value, [&](const std::string& name, Value schema) {
    builder.objects().properties[name].schema = builder.schema(keyword, name, schema);
  });
}

void pattern_properties(NodeBuilder& builder, std::string_view keyword, Value value) {
  each_member(builder, keyword, value, [&](const std::string& source, Value schema) {
    auto compiled = builder.pattern(keyword, source);
    if (compiled)
      builder.objects().patterns.emplace_back(*std::move(compiled), builder.schema(keyword, source, schema));
  });
}

void additional_properties(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.objects().additional = builder.schema(keyword, value);
}

void property_names(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.objects().names = builder.schema(keyword, value);
}

std::vector<std::string> names_in(NodeBuilder& builder, std::string_view keyword, Value value) {
  std::vector<std::string> names;
  if (!expect(builder, keyword, value, Kind::array)) return names;
  for (const Value name : value.elements()) {
    if (!expect(builder, keyword, name, Kind::string)) return names;
    names.push_back(name.get_string());
  }
  return names;
}

void required(NodeBuilder& builder, std::string_view keyword, Value value) {
  ObjectRules& rules = builder.objects();
  for (std::string& name : names_in(builder, keyword, value)) {
    bool& is_required = rules.properties[name].required;
    if (!std::exchange(is_required, true)) rules.required.push_back(std::move(name));
  }
}

void add_dependency(NodeBuilder& builder, const std::string& name, Dependency dependency) {
  builder.objects().properties[name].dependencies.push_back(std::move(dependency));
}

void dependent_required(NodeBuilder& builder, std::string_view keyword, Value value) {
  each_member(builder, keyword, value, [&](const std::string& name, Value names) {
    add_dependency(builder, name, {std::string(keyword), names_in(builder, keyword, names), kNoNode});
  });
}

void dependent_schemas(NodeBuilder& builder, std::string_view keyword, Value value) {
  each_member(builder, keyword, value, [&](const std::string& name, Value schema) {
    add_dependency(builder, name, {std::string(keyword), {}, builder.schema(keyword, name, schema)});
  });
}

void dependencies(NodeBuilder& builder, std::string_view keyword, Value value) {
  each_member(builder, keyword, value, [&](const std::string& name, Value asked) {
    if (asked.is(Kind::array)) {
      add_dependency(builder, name, {std::string(keyword), names_in(builder, keyword, asked), kNoNode});
    } else {
      add_dependency(builder, name, {std::string(keyword), {}, builder.schema(keyword, name, asked)});
    }
  });
}

template <std::vector<NodeId> InPlace::* Member>
void branches(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.in_place().*Member = schema_list(builder, keyword, value);
}

template <NodeId InPlace::* Member>
void in_place(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.in_place().*Member = builder.schema(keyword, value);
}

template <NodeId Node::* Member>
void unevaluated(NodeBuilder& builder, std::string_view keyword, Value value) {
  builder.node().*Member = builder.schema(keyword, value);
}

enum class In : std::uint8_t { both, draft07, draft202012 };

struct Keyword {
  std::string_view name;
  CompileKeyword compile;
  Vocabulary vocabulary;
  In in = In::both;
};

// additionalItems is read beside items; definitions, $defs, $id and anchors by Resources.
constexpr auto kKeywords = std::to_array<Keyword>({
    {"$dynamicRef", compile_dynamic_ref, Vocabulary::core, In::draft202012},
    {"$ref", compile_ref, Vocabulary::core},
    {"additionalProperties", additional_properties, Vocabulary::applicator},
    {"allOf", branches<&InPlace::all_of>, Vocabulary::applicator},
    {"anyOf", branches<&InPlace::any_of>, Vocabulary::applicator},
    {"const", constant, Vocabulary::validation},
    {"contains", contains, Vocabulary::applicator},
    {"dependencies", dependencies, Vocabulary::applicator},
    {"dependentRequired", dependent_required, Vocabulary::validation, In::draft202012},
    {"dependentSchemas", dependent_schemas, Vocabulary::applicator, In::draft202012},
    {"else", in_place<&InPlace::alternative>, Vocabulary::applicator},
    {"enum", enumeration, Vocabulary::validation},
    {"exclusiveMaximum", number_bound<&NumberRules::exclusive_maximum>, Vocabulary::validation},
    {"exclusiveMinimum", number_bound<&NumberRules::exclusive_minimum>, Vocabulary::validation},
    {"format", format, Vocabulary::format},
    {"if", in_place<&InPlace::condition>, Vocabulary::applicator},
    {"items", items_or_prefix, Vocabulary::applicator, In::draft07},
    {"items", rest_items, Vocabulary::applicator, In::draft202012},
    {"maxContains", count_bound<contains_count, &Counts::max>, Vocabulary::validation, In::draft202012},
    {"maxItems", count_bound<items, &Counts::max>, Vocabulary::validation},
    {"maxLength", count_bound<length, &Counts::max>, Vocabulary::validation},
    {"maxProperties", count_bound<properties_count, &Counts::max>, Vocabulary::validation},
    {"maximum", number_bound<&NumberRules::maximum>, Vocabulary::validation},
    {"minContains", count_bound<contains_count, &Counts::min>, Vocabulary::validation, In::draft202012},
    {"minItems", count_bound<items, &Counts::min>, Vocabulary::validation},
    {"minLength", count_bound<length, &Counts::min>, Vocabulary::validation},
    {"minProperties", count_bound<properties_count, &Counts::min>, Vocabulary::validation},
    {"minimum", number_bound<&NumberRules::minimum>, Vocabulary::validation},
    {"multipleOf", multiple_of, Vocabulary::validation},
    {"not", in_place<&InPlace::negated>, Vocabulary::applicator},
    {"oneOf", branches<&InPlace::one_of>, Vocabulary::applicator},
    {"pattern", pattern, Vocabulary::validation},
    {"patternProperties", pattern_properties, Vocabulary::applicator},
    {"prefixItems", prefix_items, Vocabulary::applicator, In::draft202012},
    {"properties", properties, Vocabulary::applicator},
    {"propertyNames", property_names, Vocabulary::applicator},
    {"required", required, Vocabulary::validation},
    {"then", in_place<&InPlace::consequence>, Vocabulary::applicator},
    {"type", type, Vocabulary::validation},
    {"unevaluatedItems", unevaluated<&Node::unevaluated_items>, Vocabulary::unevaluated, In::draft202012},
    {"unevaluatedProperties", unevaluated<&Node::unevaluated_properties>, Vocabulary::unevaluated, In::draft202012},
    {"uniqueItems", unique_items, Vocabulary::validation},
});
static_assert(std::ranges::is_sorted(kKeywords, {}, &Keyword::name));

}  // namespace

CompileKeyword find_keyword(std::string_view name, const Dialect& dialect) {
  const In absent = dialect.draft == Draft::draft07 ? In::draft202012 : In::draft07;
  for (const Keyword& keyword : std::ranges::equal_range(kKeywords, name, {}, &Keyword::name)) {
    if (keyword.in != absent && dialect.has(keyword.vocabulary)) return keyword.compile;
  }
  return nullptr;
}

void compile_ref(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (!expect(builder, keyword, value, Kind::string)) return;
  const auto target = builder.source().resources().find(resolve_uri(builder.resource().uri, value.get_string()));
  if (!target) return builder.refuse(keyword, target.error().detail);
  builder.in_place().ref = builder.source().node_for(**target);
}

void compile_dynamic_ref(NodeBuilder& builder, std::string_view keyword, Value value) {
  if (!expect(builder, keyword, value, Kind::string)) return;
  const std::string uri = resolve_uri(builder.resource().uri, value.get_string());
  const auto target = builder.source().resources().find(uri);
  if (!target) return builder.refuse(keyword, target.error().detail);
  const NodeId node = builder.source().node_for(**target);
  const std::string_view name = split_fragment(uri).fragment;
  const auto anchor = (*target)->value.find("$dynamicAnchor");
  // Bound while it runs only if it names a $dynamicAnchor; otherwise it is a $ref.
  if (!name.empty() && anchor && anchor->equals(name)) {
    builder.in_place().dynamic = DynamicRef{builder.source().anchor_number(name), node};
  } else {
    builder.in_place().dynamic_target = node;
  }
}

}  // namespace millrace::registry::json_schema
