#include "registry/json_schema/equality.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/mix.h"
#include "registry/json_schema/number.h"
#include "registry/json_schema/text.h"
#include "registry/json_schema/text_map.h"

namespace millrace::registry::json_schema {
namespace {

using json::Kind;
using json::Member;
using json::Value;

bool equal_strings(Value a, Value b) {
  const auto plain = b.plain_string();
  return plain ? a.equals(*plain) : a.equals(b.get_string());
}

bool equal_arrays(Value a, Value b) {
  if (a.size() != b.size()) return false;
  auto other = b.elements().begin();
  for (const Value element : a.elements()) {
    if (!equal(element, *other)) return false;
    ++other;
  }
  return true;
}

// Members in the order of their keys, so that objects of any size are compared in O(n log n).
std::vector<std::pair<std::string, Value>> sorted_members(Value object) {
  std::vector<std::pair<std::string, Value>> members;
  members.reserve(object.size());
  for (const Member member : object.members()) members.emplace_back(member.key.get_string(), member.value);
  std::ranges::sort(members, {}, [](const auto& member) -> const std::string& { return member.first; });
  return members;
}

bool equal_objects(Value a, Value b) {
  if (a.size() != b.size()) return false;
  const auto left = sorted_members(a);
  const auto right = sorted_members(b);
  return std::ranges::equal(
      left, right, [](const auto& l, const auto& r) { return l.first == r.first && equal(l.second, r.second); });
}

std::uint64_t seed(std::uint64_t salt) {
  static const std::uint64_t seed = mix64(hash_text("equality of JSON values"));
  return mix64(seed + salt);
}

struct HashedElement {
  std::uint64_t hash;
  std::uint32_t index;
  Value value;
};

EqualElements find_in_sorted(std::span<const HashedElement> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = i + 1; j < elements.size() && elements[j].hash == elements[i].hash; ++j) {
      if (equal(elements[i].value, elements[j].value)) return {elements[i].index, elements[j].index};
    }
  }
  return {};
}

}  // namespace

bool equal(Value a, Value b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.get_bool() == b.get_bool();
    case Kind::number:
      return a.raw() == b.raw() || compare(read_decimal(a.raw()), read_decimal(b.raw())) == 0;
    case Kind::string:
      return equal_strings(a, b);
    case Kind::array:
      return equal_arrays(a, b);
    case Kind::object:
      return equal_objects(a, b);
  }
  return false;
}

std::uint64_t hash_value(Value value) {
  switch (value.kind()) {
    case Kind::null:
      return seed(1);
    case Kind::boolean:
      return seed(value.get_bool() ? 2 : 3);
    case Kind::number:
      return mix64(seed(4) ^ hash_decimal(read_decimal(value.raw())));
    case Kind::string:
      return hash_text(Text(value).view());
    case Kind::array: {
      std::uint64_t hash = seed(5);
      for (const Value element : value.elements()) hash = mix64(hash ^ hash_value(element));
      return hash;
    }
    case Kind::object: {
      std::uint64_t hash = seed(6);
      // A sum, because the order of members does not count.
      for (const Member member : value.members()) {
        hash += mix64(hash_text(Text(member.key).view()) + mix64(hash_value(member.value)));
      }
      return mix64(hash);
    }
  }
  return 0;
}

EqualElements find_equal_elements(Value array) {
  const std::size_t count = array.size();
  if (count < 2) return {};
  std::vector<HashedElement> elements;
  elements.reserve(count);
  for (const Value element : array.elements()) {
    elements.push_back({hash_value(element), static_cast<std::uint32_t>(elements.size()), element});
  }
  std::ranges::sort(elements, {}, [](const HashedElement& e) { return std::pair(e.hash, e.index); });
  return find_in_sorted(elements);
}

void ValueSet::add(Value value) {
  kinds_ = static_cast<std::uint8_t>(kinds_ | (1u << static_cast<unsigned>(value.kind())));
  by_hash_.emplace_back(hash_value(value), static_cast<std::uint32_t>(values_.size()));
  values_.push_back(value);
}

void ValueSet::seal() { std::ranges::sort(by_hash_); }

bool ValueSet::contains(Value value) const {
  if ((kinds_ >> static_cast<unsigned>(value.kind()) & 1u) == 0) return false;
  if (values_.size() == 1) return equal(value, values_.front());
  const std::uint64_t hash = hash_value(value);
  auto found = std::ranges::lower_bound(by_hash_, hash, {}, [](const auto& entry) { return entry.first; });
  for (; found != by_hash_.end() && found->first == hash; ++found) {
    if (equal(value, values_[found->second])) return true;
  }
  return false;
}

}  // namespace millrace::registry::json_schema
