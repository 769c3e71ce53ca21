// ASCII classes and the small steps of readers of text. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace millrace::registry::json_schema {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Takes the longest prefix of such characters from the text.
template <class Predicate>
std::string_view take_while(std::string_view& text, Predicate predicate) {
  std::size_t length = 0;
  while (length < text.size() && predicate(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

inline bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Exactly `count` digits as a number, or -1. Takes nothing then.
inline int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (!is_digit(c)) return -1;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

}  // namespace millrace::registry::json_schema
