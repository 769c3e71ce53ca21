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

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_escape(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' && hex_digit(text[1]) >= 0 && hex_digit(text[2]) >= 0;
}

// Spaces of every kind, which no URI has.
bool is_space(std::uint32_t code) {
  return code == 0x20 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

// The character at the start may stand in a URI-reference as it is.
bool fits_uri(std::string_view text, Character c) {
  return !is_control(c.code) && !is_space(c.code) && (c.code != '%' || is_escape(text));
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
}

}  // namespace

bool is_uri_reference(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (!fits_uri(text, c)) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon == 0 || !is_letter(text.front())) return false;
  for (const char c : text.substr(0, colon)) {
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return false;
  }
  return colon + 1 < text.size() && is_uri_reference(text);
}

std::string to_uri_reference(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    if (fits_uri(text, c)) {
      out += text.substr(0, c.size);
    } else {
      append_escaped(out, text.substr(0, c.size));
    }
    text.remove_prefix(c.size);
  }
  return out;
}

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
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c > 0x20 && c < 0x7f && c != '"' && c != '%') {
      value.push_back(c);
    } else {
      append_escaped(value, text.substr(i, 1));
    }
  }
  return value;
}

}  // namespace millrace::event
