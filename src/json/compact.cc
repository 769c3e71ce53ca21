#include "json/compact.h"

namespace millrace::json {
namespace {

void append_spaced_object(std::string& out, Value object) {
  char before = '{';
  for (const Member member : object.members()) {
    out.push_back(before);
    out.append(member.key.raw());
    out.push_back(':');
    append_compact(out, member.value);
    before = ',';
  }
  out.append(object.size() == 0 ? "{}" : "}");
}

void append_spaced_array(std::string& out, Value array) {
  char before = '[';
  for (const Value element : array.elements()) {
    out.push_back(before);
    append_compact(out, element);
    before = ',';
  }
  out.append(array.size() == 0 ? "[]" : "]");
}

}  // namespace

// Recursion is bounded by the depth that the parser allowed.
void append_compact(std::string& out, Value value) {
  if (!value.spaced()) {
    out.append(value.raw());
  } else if (value.is(Kind::object)) {
    append_spaced_object(out, value);
  } else {
    append_spaced_array(out, value);
  }
}

std::size_t compact_size(Value value) {
  if (!value.spaced()) return value.raw().size();
  const std::size_t count = value.size();
  std::size_t bytes = 2 + (count == 0 ? 0 : count - 1);  // brackets and commas
  if (value.is(Kind::object)) {
    for (const Member member : value.members()) bytes += member.key.raw().size() + 1 + compact_size(member.value);
  } else {
    for (const Value element : value.elements()) bytes += compact_size(element);
  }
  return bytes;
}

}  // namespace millrace::json
