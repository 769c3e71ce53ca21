#include "event/attribute_text.h"

#include <cstdint>

#include "json/utf8.h"

namespace millrace::event {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The character at the start of valid UTF-8, and how many bytes it takes.
struct Character {
  std::uint32_t code;
  std::size_t size;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xe0) return {(lead & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (lead < 0xf0) return {(lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f), 4};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code <= 0x9f); }
bool is_noncharacter(std::uint32_t code) { return (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe; }

// A quoted string is taken out of its quotes, anything else stays.
std::optional<std::string> unquote(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  std::string content;
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] == '"') return i + 1 == value.size() ? std::optional(content) : std::nullopt;
    if (value[i] == '\\' && ++i == value.size()) return std::nullopt;
    content.push_back(value[i]);
  }
  return std::nullopt;
}

}  // namespace

bool is_attribute_text(std::string_view text) {
  while (!text.empty()) {
    const Character c = first_character(text);
    if (is_control(c.code) || is_noncharacter(c.code)) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

std::optional<std::string> decode_header_value(std::string_view value) {
  const std::optional<std::string> content = unquote(value);
  if (!content) return std::nullopt;
  std::string text;
  text.reserve(content->size());
  for (std::size_t i = 0; i < content->size(); ++i) {
    const char c = (*content)[i];
    const bool encoded =
        c == '%' && i + 2 < content->size() && hex_digit((*content)[i + 1]) >= 0 && hex_digit((*content)[i + 2]) >= 0;
    if (!encoded) {
      // A percent sign that encodes nothing is left as it is: senders of before 1.0.2 did not encode it.
      text.push_back(c);
      continue;
    }
    text.push_back(static_cast<char>(hex_digit((*content)[i + 1]) * 16 + hex_digit((*content)[i + 2])));
    i += 2;
  }
  if (!json::is_valid_utf8(text)) return std::nullopt;
  return text;
}

std::string encode_header_value(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string value;
  value.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte > 0x20 && byte < 0x7f && c != '"' && c != '%') {
      value.push_back(c);
    } else {
      value.push_back('%');
      value.push_back(kHex[byte >> 4]);
      value.push_back(kHex[byte & 15]);
    }
  }
  return value;
}

}  // namespace millrace::event
