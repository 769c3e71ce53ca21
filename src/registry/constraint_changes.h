// The changes of what a schema says about a single value: types, enum, bounds, patterns. Where the value stands
// is the caller's to know.
#pragma once

#include <string>
#include <vector>

#include "registry/compatibility.h"
#include "registry/flat_schema.h"

namespace millrace::registry {

// What changed about one keyword at one place; the comparison adds the place.
struct LocalChange {
  std::string keyword;
  ChangeKind kind;
  bool breaking = false;
  std::string what;  // follows the name of the field: "was string, is integer"
};

std::vector<LocalChange> type_changes(const FlatSchema& old_schema, const FlatSchema& new_schema);
std::vector<LocalChange> value_changes(const FlatSchema& old_schema, const FlatSchema& new_schema);
std::vector<LocalChange> bound_changes(const FlatSchema& old_schema, const FlatSchema& new_schema);
// Keywords that are compared by their text: pattern, format, not, if and the like, references elsewhere, and what
// a second part (of allOf, or behind a reference) says about a keyword that the first has too.
std::vector<LocalChange> text_changes(const FlatSchema& old_schema, const FlatSchema& new_schema);

// Whether no value can satisfy both: other types, or a property that both require with other values. True only
// where that is certain.
bool are_disjoint(json::Value root, json::Value a, json::Value b);

}  // namespace millrace::registry
