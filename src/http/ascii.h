// The character classes of RFC 9110, independent of any locale.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace millrace::http {

namespace detail {

constexpr std::array<bool, 256> token_table() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}

inline constexpr auto kTokenTable = token_table();

}  // namespace detail

constexpr bool is_token_char(char c) { return detail::kTokenTable[static_cast<unsigned char>(c)]; }
constexpr bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_char); }
// What a field value may hold: tab, space, visible ASCII, and the bytes above it.
constexpr bool is_value_char(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u == '\t' || (u >= ' ' && u != 0x7f);
}
constexpr bool is_visible(char c) { return c > ' ' && c <= '~'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}
constexpr std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// -1 for anything but a hexadecimal digit.
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace millrace::http
