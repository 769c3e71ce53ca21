#include "json/value.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "json/decimal.h"
#include "json/escape.h"

namespace millrace::json {

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "nothing";
}

bool Value::get_bool() const {
  MR_ASSERT(is(Kind::boolean), "get_bool() of another kind");
  return raw().front() == 't';
}

std::string Value::get_string() const {
  std::string content;
  append_content(content);
  return content;
}

void Value::append_content(std::string& out) const {
  MR_ASSERT(is(Kind::string), "content of another kind than string");
  if (escaped()) {
    append_unescaped(out, content());
  } else {
    out.append(content());
  }
}

std::optional<std::string_view> Value::plain_string() const {
  MR_ASSERT(is(Kind::string), "plain_string() of another kind");
  if (escaped()) return std::nullopt;
  return content();
}

bool Value::equals(std::string_view wanted) const {
  if (!is(Kind::string)) return false;
  return escaped() ? get_string() == wanted : content() == wanted;
}

std::optional<std::int64_t> Value::as_int64() const {
  if (!is(Kind::number)) return std::nullopt;
  const std::string_view text = raw();
  if (text.find_first_of(".eE") != text.npos) return decimal_to_int64(text);
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<double> Value::as_double() const {
  if (!is(Kind::number)) return std::nullopt;
  return decimal_to_double(raw());
}

std::size_t Value::size() const {
  MR_ASSERT(is(Kind::array) || is(Kind::object), "size() of a scalar");
  return node_->bits >> Node::kCountShift;
}

Members Value::members() const {
  MR_ASSERT(is(Kind::object), "members() of another kind");
  return Members(*this);
}

Elements Value::elements() const {
  MR_ASSERT(is(Kind::array), "elements() of another kind");
  return Elements(*this);
}

std::optional<Value> Value::find(std::string_view key) const {
  if (!is(Kind::object)) return std::nullopt;
  for (const Member member : members()) {
    const Node& name = *member.key.node_;
    // Most names differ in length already: with its quotes a plain one is two bytes longer than its content.
    const bool escaped = (name.bits & Node::kEscaped) != 0;
    if (!escaped && name.length != key.size() + 2) continue;
    if (member.key.equals(key)) return member.value;
  }
  return std::nullopt;
}

Value Document::root() const {
  MR_ASSERT(!nodes_.empty(), "root() of a Document that holds nothing");
  return {nodes_.data(), text_.data()};
}

}  // namespace millrace::json
