// Equality of JSON values as JSON Schema defines it: numbers by value (1 == 1.0), strings by content, objects
// whatever the order of their members. Pure; any thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "json/value.h"

namespace millrace::registry::json_schema {

bool equal(json::Value a, json::Value b);

// Equal for equal values. Seeded anew in every program run, so that nobody can prepare collisions.
std::uint64_t hash_value(json::Value value);

// The later of two equal elements and the earlier one; a pair with no values if all differ. In
// O(n log n) of the elements' size. REQUIRES: kind array.
struct EqualElements {
  std::size_t first = 0;
  std::size_t second = 0;  // 0: none, since the second is never the first element
};
EqualElements find_equal_elements(json::Value array);

// Values to find others in by equality. Views: the Document they come from must outlive it.
class ValueSet {
 public:
  void add(json::Value value);
  // REQUIRES: after the last add(), before contains().
  void seal();
  bool contains(json::Value value) const;
  const std::vector<json::Value>& values() const { return values_; }
  // A bit for each kind that occurs.
  std::uint8_t kinds() const { return kinds_; }

 private:
  std::vector<json::Value> values_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_hash_;  // sorted: hash, index of the value
  std::uint8_t kinds_ = 0;
};

}  // namespace millrace::registry::json_schema
