#include "json/utf8.h"

#include <simdjson.h>

namespace millrace::json {
namespace {

// Below this, a look for high bits is cheaper than simdjson's dispatch.
constexpr std::size_t kShortBytes = 64;

bool is_ascii(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  return bits < 0x80;
}

struct Lead {
  std::size_t length;  // of the sequence; 0: no sequence starts with this byte
  unsigned char second_min;
  unsigned char second_max;
};

Lead classify(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first >= 0xc2 && first <= 0xdf) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first >= 0xf1 && first <= 0xf3) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

// Length of the character at the start of `text`, 0 if it is not one.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Lead lead = classify(byte(0));
  if (lead.length <= 1) return lead.length;
  if (text.size() < lead.length || byte(1) < lead.second_min || byte(1) > lead.second_max) return 0;
  for (std::size_t i = 2; i < lead.length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return lead.length;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  if (text.size() < kShortBytes && is_ascii(text)) return true;
  return simdjson::validate_utf8(text.data(), text.size());
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t length = character_length(text.substr(offset));
    if (length == 0) break;
    offset += length;
  }
  return offset;
}

}  // namespace millrace::json
