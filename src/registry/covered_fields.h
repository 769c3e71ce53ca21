// What an object's schema says of fields that it does not name: patternProperties, additionalProperties and
// unevaluatedProperties. A view of the document that the FlatSchema is of.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "registry/flat_schema.h"
#include "registry/json_schema/pattern.h"

namespace millrace::registry {

class CoveredFields {
 public:
  explicit CoveredFields(const FlatSchema& schema);

  // Whether so many names can be looked up in reasonable time.
  bool can_match(std::size_t names) const;
  // The schemas of the patterns that the name matches.
  std::vector<json::Value> by_pattern(std::string_view name) const;
  // The schema of what matches none; nullopt where everything is allowed, or nothing.
  std::optional<json::Value> rest() const { return rest_; }

 private:
  std::vector<std::pair<json_schema::Pattern, json::Value>> patterns_;
  std::optional<json::Value> rest_;
};

}  // namespace millrace::registry
