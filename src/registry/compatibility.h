// What changed between two versions of a schema, and whether consumers and producers of the old one still get
// along (S2.5). Additive changes pass; what removes, renames, retypes, newly requires or narrows does not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "json/writer.h"

namespace millrace::registry {

enum class ChangeKind {
  field_added,
  field_removed,
  field_renamed,
  type_changed,
  required_added,
  required_dropped,
  value_added,  // of an enum, or an alternative of anyOf and oneOf
  value_removed,
  tightened,  // a bound, a pattern, a format, a closed object
  loosened,
  default_changed,
  number_changed,  // protobuf
  label_changed,   // protobuf: singular, repeated, map
  schema_removed,  // the version as a whole
  unclear,         // changed in a way that cannot be judged: taken for breaking
};
// "field-added", "type-changed" and so on.
std::string_view to_text(ChangeKind kind);

struct Change {
  std::string pointer;  // JSON Pointer into the schema; into the old one for what is gone
  ChangeKind kind;
  bool breaking = false;
  std::string message;

  bool operator==(const Change&) const = default;
};

struct Comparison {
  std::vector<Change> changes;  // in the order of the schema

  bool compatible() const;
};

// {"compatible": …, "changes": [{pointer, kind, breaking, message}]}
void write(json::Writer& out, const Comparison& comparison);

// A comparison ends with an `unclear` change beyond so many pairs of subschemas: recursive references can make
// the pairs as many as the product of both sizes.
inline constexpr std::size_t kComparedPairsMax = 20'000;
// More changes than anyone reads; what follows is left out.
inline constexpr std::size_t kChangesMax = 500;

// Compares JSON Schemas (draft-07 and 2020-12). Follows local references and allOf; references elsewhere are
// compared by their text.
Comparison compare_json_schemas(json::Value old_schema, json::Value new_schema);

}  // namespace millrace::registry
