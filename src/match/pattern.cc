#include "match/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/compact.h"
#include "json/object_reader.h"
#include "match/compile_condition.h"
#include "match/limits.h"

namespace millrace::match {
namespace {

constexpr std::string_view kOr = "$or";
constexpr std::string_view kAnd = "$and";
constexpr std::string_view kNot = "$not";

// How many ways a part can be satisfied, and how many fields these have together. Saturated above the limits.
struct Expansion {
  std::size_t ways = 1;
  std::size_t fields = 0;

  static std::size_t saturated(std::size_t n) { return std::min(n, kAlternativeFieldsMax * 1000); }
  void multiply(const Expansion& other) {
    fields = saturated(fields * other.ways + other.fields * ways);
    ways = saturated(ways * other.ways);
  }
  void add(const Expansion& other) {
    fields = saturated(fields + other.fields);
    ways = saturated(ways + other.ways);
  }
  bool too_much() const { return ways > kAlternativesMax || fields > kAlternativeFieldsMax; }
};

bool is_absent(const Condition& condition) { return std::holds_alternative<Absent>(condition.test); }

// Whether the field may have a value or be missing: two ways, since being missing depends on the other fields.
bool is_either(const Node& field) {
  return std::ranges::any_of(field.any_of, is_absent) && !std::ranges::all_of(field.any_of, is_absent);
}

// `path` is where an object stands in the event, nullptr for its root; `where` is its place in the pattern.
class Compiler {
 public:
  explicit Compiler(Dialect dialect) : dialect_(dialect) {}

  Result<Node> object(json::Value value, const std::string* path, const std::string& where);
  // What is multiplied out inside $not is counted apart.
  static Expansion expansion(const Node& node);

 private:
  Result<Node> member(std::string_view key, json::Value value, const std::string* path, const std::string& where);
  Result<Node> field(json::Value values, std::string path, const std::string& where);
  Result<Node> alternatives(json::Value values, const std::string* path, const std::string& where);
  Result<Node> conjunction(json::Value values, const std::string* path, const std::string& where);
  Result<Node> negation(json::Value value, const std::string* path, const std::string& where);
  bool extended() const { return dialect_ == Dialect::extended; }

  Dialect dialect_;
};

Error misplaced(json::Value value, const std::string& where, std::string_view wanted) {
  return {Errc::invalid, fmt::format("must be {}, not {}", wanted, describe(value.kind())), where};
}

Result<Node> Compiler::object(json::Value value, const std::string* path, const std::string& where) {
  if (value.size() == 0) return fail(Errc::invalid, "an empty object matches nothing; name a field in it", where);
  Node all{.kind = Node::Kind::all};
  all.children.reserve(value.size());
  for (const json::Member entry : value.members()) {
    const std::string key = entry.key.get_string();
    auto child = member(key, entry.value, path, inside(where, key));
    if (!child) return child;
    all.children.push_back(std::move(*child));
  }
  if (all.children.size() > 1) return all;
  return std::move(all.children.front());
}

Result<Node> Compiler::member(std::string_view key, json::Value value, const std::string* path,
                              const std::string& where) {
  if (key == kOr) return alternatives(value, path, where);
  if (extended() && key == kAnd) return conjunction(value, path, where);
  if (extended() && key == kNot) return negation(value, path, where);
  if (!extended() && (key == kAnd || key == kNot)) {
    return fail(Errc::invalid, fmt::format("{} belongs to the extended dialect", key), where);
  }
  std::string here = path == nullptr ? std::string(key) : fmt::format("{}.{}", *path, key);
  if (value.is(json::Kind::object)) return object(value, &here, where);
  if (value.is(json::Kind::array)) return field(value, std::move(here), where);
  return fail(Errc::invalid,
              fmt::format("must be an array of values or an object of fields, not {}; write [{}]",
                          describe(value.kind()), value.raw().size() <= 40 ? value.raw() : "…"),
              where);
}

Result<Node> Compiler::field(json::Value values, std::string path, const std::string& where) {
  if (values.size() == 0) return fail(Errc::invalid, "an empty array matches nothing; give at least one value", where);
  Node field{.kind = Node::Kind::field, .path = std::move(path)};
  field.any_of.reserve(values.size());
  for (const json::Value value : values.elements()) {
    auto condition = compile_condition(value, json::element_path(where, field.any_of.size()), dialect_);
    if (!condition) return std::unexpected(std::move(condition.error()));
    field.any_of.push_back(std::move(*condition));
  }
  return field;
}

Result<Node> Compiler::alternatives(json::Value values, const std::string* path, const std::string& where) {
  if (!values.is(json::Kind::array)) return std::unexpected(misplaced(values, where, "an array of objects"));
  if (values.size() < 2) return fail(Errc::invalid, "needs at least two objects to choose from", where);
  Node any{.kind = Node::Kind::any};
  for (const json::Value value : values.elements()) {
    const std::string place = json::element_path(where, any.children.size());
    if (!value.is(json::Kind::object)) return std::unexpected(misplaced(value, place, "an object of fields"));
    for (const json::Member entry : value.members()) {
      if (!extended() && is_operator(entry.key.get_string())) {
        return fail(Errc::invalid, "is an operator, which needs a field around it: {\"field\": [{\"prefix\": …}]}",
                    inside(place, entry.key.get_string()));
      }
    }
    auto child = object(value, path, place);
    if (!child) return child;
    any.children.push_back(std::move(*child));
  }
  return any;
}

Result<Node> Compiler::conjunction(json::Value values, const std::string* path, const std::string& where) {
  if (!values.is(json::Kind::array)) return std::unexpected(misplaced(values, where, "an array of objects"));
  if (values.size() == 0) return fail(Errc::invalid, "an empty array matches nothing; give at least one object", where);
  Node all{.kind = Node::Kind::all};
  for (const json::Value value : values.elements()) {
    const std::string place = json::element_path(where, all.children.size());
    if (!value.is(json::Kind::object)) return std::unexpected(misplaced(value, place, "an object of fields"));
    auto child = object(value, path, place);
    if (!child) return child;
    all.children.push_back(std::move(*child));
  }
  return all;
}

Result<Node> Compiler::negation(json::Value value, const std::string* path, const std::string& where) {
  if (!value.is(json::Kind::object)) return std::unexpected(misplaced(value, where, "an object of fields"));
  auto child = object(value, path, where);
  if (!child) return child;
  if (expansion(*child).too_much()) {
    return fail(Errc::invalid, fmt::format("has more than {} alternatives", kAlternativesMax), where);
  }
  Node none{.kind = Node::Kind::none, .path = where};
  none.children.push_back(std::move(*child));
  return none;
}

Expansion Compiler::expansion(const Node& node) {
  Expansion total;
  switch (node.kind) {
    case Node::Kind::field:
      return is_either(node) ? Expansion{2, 2} : Expansion{1, 1};
    case Node::Kind::none:
      return {1, 1};
    case Node::Kind::all:
      for (const Node& child : node.children) total.multiply(expansion(child));
      return total;
    case Node::Kind::any:
      total.ways = 0;
      for (const Node& child : node.children) total.add(expansion(child));
      return total;
  }
  return total;
}

}  // namespace

Result<Pattern> Pattern::compile(json::Value pattern, Dialect dialect) {
  if (!pattern.is(json::Kind::object)) {
    return fail(Errc::invalid, fmt::format("a pattern is an object of fields, not {}", json::describe(pattern.kind())));
  }
  if (json::compact_size(pattern) > kPatternBytesMax) {
    return fail(Errc::invalid, fmt::format("the pattern is longer than {} bytes", kPatternBytesMax));
  }
  auto root = Compiler(dialect).object(pattern, nullptr, {});
  if (!root) return std::unexpected(std::move(root.error()));
  if (Compiler::expansion(*root).too_much()) {
    return fail(
        Errc::invalid,
        fmt::format("the pattern has more than {} alternatives, or {} fields in all of them; every $or, and every "
                    "field that may have a value or be missing, multiplies them: make several rules of it",
                    kAlternativesMax, kAlternativeFieldsMax));
  }
  return Pattern(std::move(*root));
}

}  // namespace millrace::match
