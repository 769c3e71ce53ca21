// Writes JSON text at the end of a string that the caller owns; places commas, colons and quotes itself and
// allocates nothing beside that string. Wrong nesting is a bug and asserts. One thread.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "json/escape.h"
#include "json/value.h"

namespace millrace::json {

class Writer {
 public:
  // REQUIRES: `out` outlives the writer. What stands in it stays.
  explicit Writer(std::string& out) : out_(out) {}

  // At most 64 levels.
  void begin_object() { begin('{', 1); }
  void end_object() { end('}', 1); }
  void begin_array() { begin('[', 0); }
  void end_array() { end(']', 0); }

  // REQUIRES: directly in an object, and the last key has its value.
  void key(std::string_view key);

  // Each of these writes one value. In an object it REQUIRES a key() before it.
  void string(std::string_view text);  // invalid UTF-8 is mended, see append_string()
  template <std::integral T>
  void integer(T number);
  void number(double number);  // shortest text that reads back the same; null for infinities and NaN
  void boolean(bool truth);
  void null();
  void raw(std::string_view json);  // REQUIRES: one valid JSON value
  void compact(Value value);        // without the whitespace between its tokens
  void time(Time time);             // REQUIRES: year 0..9999

  // The value by its type: text, bool, integer, double, nullptr, Time, Value, ids by their number; an
  // empty optional is null.
  template <class T>
  void value(const T& value);
  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  void raw_member(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }
  // Nothing at all where the optional is empty.
  template <class T>
  void member_if(std::string_view name, const std::optional<T>& content) {
    if (content) member(name, *content);
  }

  // Whether everything begun has ended and one value stands there.
  bool complete() const { return depth_ == 0 && written_; }

 private:
  void begin(char bracket, unsigned is_object);
  void end(char bracket, unsigned is_object);
  // Everything that comes before a value: the comma, and the check that one may stand here.
  void separate();
  bool in_object() const { return depth_ > 0 && (objects_ & 1) != 0; }

  std::string& out_;
  std::uint64_t objects_ = 0;  // a bit a level, innermost lowest: 1 for an object
  int depth_ = 0;
  bool written_ = false;  // something stands before at this level: a comma is due
  bool keyed_ = false;    // a key waits for its value
};

template <std::integral T>
void Writer::integer(T number) {
  char digits[24];
  const auto [stop, error] = std::to_chars(digits, digits + sizeof digits, number);
  separate();
  out_.append(digits, stop);
}

namespace detail {
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_number = false;
template <class Tag>
inline constexpr bool is_number<Number<Tag>> = true;
}  // namespace detail

template <class T>
void Writer::value(const T& value) {
  if constexpr (detail::is_optional<T>) {
    value ? this->value(*value) : null();
  } else if constexpr (detail::is_number<T>) {
    integer(value.value);
  } else if constexpr (std::same_as<T, bool>) {
    boolean(value);
  } else if constexpr (std::integral<T>) {
    integer(value);
  } else if constexpr (std::floating_point<T>) {
    number(value);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    null();
  } else if constexpr (std::same_as<T, Time>) {
    time(value);
  } else if constexpr (std::same_as<T, Value>) {
    compact(value);
  } else {
    string(value);
  }
}

}  // namespace millrace::json
