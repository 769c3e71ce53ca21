#include "json/escape.h"

#include <algorithm>
#include <cstring>

#include "json/scan.h"
#include "json/utf8.h"

namespace millrace::json {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

std::int32_t hex1(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&out](std::uint32_t bits) { out.push_back(static_cast<char>(0x80 | (bits & 0x3f))); };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0 | (code >> 6)));
    tail(code);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | (code >> 12)));
    tail(code >> 6);
    tail(code);
  } else {
    out.push_back(static_cast<char>(0xf0 | (code >> 18)));
    tail(code >> 12);
    tail(code >> 6);
    tail(code);
  }
}

// Appends what the escape at p (the backslash) says; returns the byte after it.
const char* append_escape(std::string& out, const char* p) {
  switch (p[1]) {
    case 'b':
      out.push_back('\b');
      return p + 2;
    case 'f':
      out.push_back('\f');
      return p + 2;
    case 'n':
      out.push_back('\n');
      return p + 2;
    case 'r':
      out.push_back('\r');
      return p + 2;
    case 't':
      out.push_back('\t');
      return p + 2;
    case 'u':
      break;
    default:
      out.push_back(p[1]);
      return p + 2;  // quote, backslash, slash
  }
  const std::int32_t unit = hex4(p + 2);
  if (!is_high_surrogate(unit)) {
    append_utf8(out, static_cast<std::uint32_t>(unit));
    return p + 6;
  }
  const std::int32_t low = hex4(p + 8);
  append_utf8(out, static_cast<std::uint32_t>(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
  return p + 12;
}

void append_escaped_byte(std::string& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  out.push_back('\\');
  switch (c) {
    case '"':
    case '\\':
      out.push_back(c);
      break;
    case '\b':
      out.push_back('b');
      break;
    case '\f':
      out.push_back('f');
      break;
    case '\n':
      out.push_back('n');
      break;
    case '\r':
      out.push_back('r');
      break;
    case '\t':
      out.push_back('t');
      break;
    default:
      out.append("u00");
      out.push_back(kHex[c >> 4]);
      out.push_back(kHex[c & 15]);
  }
}

// REQUIRES: valid UTF-8.
void append_content(std::string& out, std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* const stop = plain_end(p, end);
    out.append(p, stop);
    if (stop == end) return;
    append_escaped_byte(out, *stop);
    p = stop + 1;
  }
}

// Each byte outside valid UTF-8 becomes U+FFFD.
void append_mended(std::string& out, std::string_view text) {
  for (;;) {
    const std::size_t valid = valid_utf8_prefix(text);
    append_content(out, text.substr(0, valid));
    if (valid == text.size()) return;
    out.append(kReplacement);
    text.remove_prefix(valid + 1);
  }
}

}  // namespace

std::int32_t hex4(const char* p) {
  std::int32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const std::int32_t digit = hex1(p[i]);
    if (digit < 0) return -1;
    value = value << 4 | digit;
  }
  return value;
}

void append_unescaped(std::string& out, std::string_view content) {
  const char* p = content.data();
  const char* const end = p + content.size();
  while (p != end) {
    const char* const stop = std::find(p, end, '\\');
    out.append(p, stop);
    if (stop == end) return;
    p = append_escape(out, stop);
  }
}

void append_string(std::string& out, std::string_view text) {
  if (is_plain_ascii(text)) {
    const std::size_t before = out.size();
    const std::size_t after = before + text.size() + 2;
    // The size that it passes may be the room it has, which is more.
    out.resize_and_overwrite(after, [&](char* data, std::size_t /*room*/) {
      data[before] = '"';
      text.copy(data + before + 1, text.size());
      data[after - 1] = '"';
      return after;
    });
    return;
  }
  out.push_back('"');
  if (is_valid_utf8(text)) {
    append_content(out, text);
  } else {
    append_mended(out, text);
  }
  out.push_back('"');
}

}  // namespace millrace::json
