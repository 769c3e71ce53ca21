// Where the comparison of two JSON Schemas is. A value.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "registry/flat_schema.h"

namespace millrace::registry {

struct Place {
  std::string pointer;  // in the schema
  std::string field;    // in the event: "data.items[].id"
  int depth = 0;

  std::string name() const { return field.empty() ? "the event" : fmt::format("\"{}\"", field); }
  Place keyword(std::string_view word) const { return {pointer_to(pointer, word), field, depth}; }
  Place below(std::string_view word, std::string_view token) const {
    return {pointer_to(pointer_to(pointer, word), token), field, depth + 1};
  }
  Place property(std::string_view key) const {
    Place place = below("properties", key);
    place.field = field.empty() ? std::string(key) : fmt::format("{}.{}", field, key);
    return place;
  }
  Place items() const { return {pointer_to(pointer, "items"), field + "[]", depth + 1}; }
};

}  // namespace millrace::registry
