#include "registry/json_schema/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "json/escape.h"
#include "json/utf8.h"
#include "registry/json_schema/uri.h"

namespace millrace::registry::json_schema {
namespace {

using json::Kind;
using json::Member;
using json::Value;

constexpr std::size_t kExcerptBytes = 60;
constexpr std::size_t kEnumShown = 10;

constexpr auto kTypeNames = std::to_array<std::pair<std::uint8_t, std::string_view>>({
    {type_bit(Kind::null), "null"},
    {type_bit(Kind::boolean), "a boolean"},
    {kIntegerType, "an integer"},
    {type_bit(Kind::number), "a number"},
    {type_bit(Kind::string), "a string"},
    {type_bit(Kind::array), "an array"},
    {type_bit(Kind::object), "an object"},
});

bool is_inside(Value value, Value outer) {
  const std::string_view source = outer.raw();
  return value.raw().data() >= source.data() && value.raw().data() < source.data() + source.size();
}

}  // namespace

std::string pointer_to(Value value, Value root) {
  std::string pointer;
  Value at = root;
  for (bool found = true; found && at.raw().data() != value.raw().data();) {
    found = false;
    if (at.is(Kind::array)) {
      std::size_t i = 0;
      for (const Value element : at.elements()) {
        if (is_inside(value, element)) {
          append_pointer_token(pointer, std::to_string(i));
          at = element;
          found = true;
          break;
        }
        ++i;
      }
    } else if (at.is(Kind::object)) {
      for (const Member member : at.members()) {
        if (is_inside(value, member.value)) {
          append_pointer_token(pointer, member.key.get_string());
          at = member.value;
          found = true;
          break;
        }
      }
    }
  }
  return pointer;
}

std::string schema_place(std::string_view place, std::string_view keyword) {
  return keyword.empty() ? std::string(place) : pointer_with(place, keyword);
}

std::string excerpt(Value value) {
  const std::string_view source = value.raw();
  if (source.size() <= kExcerptBytes) return std::string(source);
  const std::string_view cut = source.substr(0, kExcerptBytes);
  return std::string(cut.substr(0, json::valid_utf8_prefix(cut))) + "…";
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string type_message(std::uint8_t types, Value value) {
  std::string message = "must be ";
  int named = 0;
  for (const auto& [bit, name] : kTypeNames) {
    if ((types & bit) == 0) continue;
    if (named++ > 0) message += " or ";
    message += name;
  }
  if (named == 0) message += "of no type";
  const bool fraction = value.is(Kind::number) && (types & kIntegerType) != 0;
  return message + ", is " + (fraction ? excerpt(value) : std::string(json::describe(value.kind())));
}

std::string enum_message(const std::vector<Value>& allowed, Value value) {
  std::string message = "must be one of ";
  for (std::size_t i = 0; i < std::min(allowed.size(), kEnumShown); ++i) {
    if (i > 0) message += ", ";
    message += excerpt(allowed[i]);
  }
  if (allowed.size() > kEnumShown) message += fmt::format(" and {} more", allowed.size() - kEnumShown);
  return message + ", is " + excerpt(value);
}

std::string count_message(const Counts& counts, std::uint64_t count, std::string_view one, std::string_view many) {
  const bool few = count < counts.min;
  const std::uint64_t bound = few ? counts.min : counts.max;
  return fmt::format("must have {} {} {}, has {}", few ? "at least" : "at most", bound, bound == 1 ? one : many, count);
}

}  // namespace millrace::registry::json_schema
