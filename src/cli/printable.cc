#include "cli/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace millrace::cli {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks of combining marks and of two-column characters that titles are likely to hold; a terminal may
// know more, and then a column is off by one.
constexpr std::array kZeroWide = {Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                  Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF},
                                  Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D}, Range{0x20D0, 0x20FF},
                                  Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};
constexpr std::array kTwoWide = {Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
                                 Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
                                 Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
                                 Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
                                 Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
// What changes the direction of the text around it, and so what a line seems to say.
constexpr std::array kReordering = {Range{0x061C, 0x061C}, Range{0x200E, 0x200F}, Range{0x202A, 0x202E},
                                    Range{0x2066, 0x2069}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return range.first <= c && c <= range.last; });
}

struct Character {
  char32_t code;
  std::size_t bytes;
};

std::size_t sequence_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

// The first character; nullopt where the bytes are none.
std::optional<Character> first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = sequence_bytes(lead);
  if (bytes == 0 || bytes > text.size()) return std::nullopt;
  if (bytes == 1) return Character{lead, 1};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (next & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
  return Character{code, bytes};
}

bool is_dangerous(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || is_in(kReordering, c); }

std::size_t columns_of(char32_t c) {
  if (c < 0x300) return 1;
  if (is_in(kZeroWide, c)) return 0;
  return is_in(kTwoWide, c) ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::optional<Character> next = first_of(text);
    const std::size_t bytes = next ? next->bytes : 1;
    if (next && (next->code == '\n' || next->code == '\r' || next->code == '\t')) {
      out.push_back(' ');
    } else if (!next || is_dangerous(next->code)) {
      out.push_back('?');
    } else {
      out.append(text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::optional<Character> next = first_of(text);
    width += next ? columns_of(next->code) : 1;
    text.remove_prefix(next ? next->bytes : 1);
  }
  return width;
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t kept = 0;
  std::size_t columns = 0;
  while (kept < text.size()) {
    const std::optional<Character> next = first_of(text.substr(kept));
    const std::size_t more = next ? columns_of(next->code) : 1;
    if (columns + more > width - 1) break;
    columns += more;
    kept += next ? next->bytes : 1;
  }
  return std::string(text.substr(0, kept)) + "…";
}

}  // namespace millrace::cli
