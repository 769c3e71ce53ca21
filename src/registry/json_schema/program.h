// A compiled schema: nodes that refer to each other by number, each with the rules of its keywords, sorted by the
// kind of value they look at so that a check meets only what can fail. Immutable once compiled; owns everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "registry/json_schema/equality.h"
#include "registry/json_schema/format.h"
#include "registry/json_schema/library.h"
#include "registry/json_schema/number.h"
#include "registry/json_schema/pattern.h"
#include "registry/json_schema/text_map.h"

namespace millrace::registry::json_schema {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
inline constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

// Bits of Node::types: one for each json::Kind, and one for numbers without fraction.
inline constexpr std::uint8_t kIntegerType = 1u << 6;
inline constexpr std::uint8_t kEveryType = 0x3f;
constexpr std::uint8_t type_bit(json::Kind kind) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
}

struct Counts {
  std::uint64_t min = 0;
  std::uint64_t max = kUnbounded;
  bool holds(std::uint64_t count) const { return count >= min && count <= max; }
};

struct LiteralRules {
  std::optional<ValueSet> constant;
  std::optional<ValueSet> enumeration;
};

struct NumberRules {
  std::optional<Bound> minimum, maximum, exclusive_minimum, exclusive_maximum;
  std::optional<Divisor> multiple_of;
};

struct StringRules {
  Counts length;  // in characters
  std::optional<Pattern> pattern;
  const Format* format = nullptr;
};

struct ArrayRules {
  Counts items;
  bool unique = false;
  std::vector<NodeId> prefix;
  NodeId rest = kNoNode;  // for the elements after the prefix
  std::string_view prefix_keyword, rest_keyword;
  NodeId contains = kNoNode;
  Counts contains_count = {1, kUnbounded};
};

// What a property asks of the object that has it.
struct Dependency {
  std::string keyword;  // dependentRequired, dependentSchemas or dependencies
  std::vector<std::string> required;
  NodeId schema = kNoNode;
};

struct PropertyRule {
  NodeId schema = kNoNode;
  bool required = false;
  bool defaulted = false;  // required, but its default stands in where it is missing
  std::vector<Dependency> dependencies;
};

// Rules by the property's name. Most properties of an open schema are not named in it; their length tells.
class PropertyTable {
 public:
  PropertyRule& operator[](const std::string& name) {
    lengths_ |= length_bit(name);
    return rules_[name];
  }
  const PropertyRule* find(std::string_view name) const {
    if ((lengths_ & length_bit(name)) == 0) return nullptr;
    const auto found = rules_.find(name);
    return found == rules_.end() ? nullptr : &found->second;
  }
  const TextMap<PropertyRule>& all() const { return rules_; }

 private:
  static std::uint64_t length_bit(std::string_view name) {
    return std::uint64_t{1} << std::min<std::size_t>(name.size(), 63);
  }

  std::uint64_t lengths_ = 0;  // a bit for each length that occurs; the last for all that are longer
  TextMap<PropertyRule> rules_;
};

struct ObjectRules {
  Counts properties_count;
  PropertyTable properties;
  std::vector<std::string> required;  // each once
  std::size_t defaulted = 0;          // how many of them are PropertyRule::defaulted
  std::vector<std::pair<Pattern, NodeId>> patterns;
  NodeId additional = kNoNode;
  NodeId names = kNoNode;
};

struct DynamicRef {
  std::uint32_t anchor;  // number of its name
  NodeId fallback;       // where the anchor is first found
};

// Schemas that look at the same value.
struct InPlace {
  NodeId ref = kNoNode;
  NodeId dynamic_target = kNoNode;  // of a $dynamicRef that is bound where it is written
  std::optional<DynamicRef> dynamic;
  std::vector<NodeId> all_of, any_of, one_of;
  NodeId negated = kNoNode;
  NodeId condition = kNoNode, consequence = kNoNode, alternative = kNoNode;
};

struct Node {
  std::uint8_t types = kEveryType;
  bool never = false;    // the schema `false`
  bool trivial = false;  // accepts everything
  bool has_default = false;
  std::uint32_t resource = 0;
  std::unique_ptr<LiteralRules> literals;
  std::unique_ptr<NumberRules> numbers;
  std::unique_ptr<StringRules> strings;
  std::unique_ptr<ArrayRules> arrays;
  std::unique_ptr<ObjectRules> objects;
  std::unique_ptr<InPlace> in_place;
  NodeId unevaluated_items = kNoNode;
  NodeId unevaluated_properties = kNoNode;
  std::string place;  // as Resources::place()
};

struct Program {
  std::vector<Node> nodes;
  NodeId root = 0;
  bool defaults_stand_in = false;  // some property is `defaulted`
  // By resource: anchors that a $dynamicRef asks for, with the node they name there.
  std::vector<std::vector<std::pair<std::uint32_t, NodeId>>> dynamic_anchors;
  std::vector<SharedDocument> documents;  // what the nodes' views point into
};

}  // namespace millrace::registry::json_schema
