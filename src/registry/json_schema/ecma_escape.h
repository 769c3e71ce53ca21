// The parts of an ECMA-262 regular expression that stand for characters: escapes and sets of them. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::registry::json_schema {

struct PatternProblem {
  std::string text;
  bool unsupported = false;  // well-formed, but RE2 has nothing like it
};

struct Repeat {
  std::uint32_t min = 0;
  std::optional<std::uint32_t> max;  // absent: any number
};

// What is left of a pattern. REQUIRES: valid UTF-8; take() and peek() only before the end.
class PatternInput {
 public:
  explicit PatternInput(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.front(); }
  bool starts_with(std::string_view text) const { return rest_.starts_with(text); }
  bool starts_with(char c) const { return rest_.starts_with(c); }
  char take();
  char32_t take_character();
  bool skip(std::string_view text);
  // "name" and its end; false if there is none.
  bool skip_name(char end);
  // After '{': whether, or which, numbers and '}' follow. Numbers beyond 10^6 are cut to that.
  bool peek_repeat() const;
  std::optional<Repeat> take_repeat();
  // Exactly `digits` hexadecimal digits.
  std::optional<std::uint32_t> take_hex(int digits);
  // What stands before `end`, which is taken too.
  std::optional<std::string_view> take_until(char end);

 private:
  std::string_view rest_;
};

// What an escape stands for: one character, or the inside of a class for RE2.
struct ClassEscape {
  char32_t character = 0;
  std::string set;
  bool is_set() const { return !set.empty(); }
};

// After the backslash; in a class and outside alike. REQUIRES: not at the end.
std::expected<ClassEscape, PatternProblem> read_class_escape(PatternInput& input);

// Appends the character so that RE2 takes it for nothing else, in a class and outside.
void append_character(std::string& out, char32_t character);

}  // namespace millrace::registry::json_schema
