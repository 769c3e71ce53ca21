#include "base/base64.h"

#include <array>
#include <cstdint>

namespace millrace {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<std::uint8_t>(kLetters[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

// The bytes of four letters, of which `letters` are there.
bool append_group(std::string& out, std::string_view group, std::size_t letters) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < letters; ++i) {
    const std::uint8_t value = kValues[static_cast<std::uint8_t>(group[i])];
    if (value == kNone) return false;
    bits |= static_cast<std::uint32_t>(value) << (18 - 6 * i);
  }
  const std::size_t bytes = letters - 1;
  if ((bits & ((1U << (24 - 8 * bytes)) - 1)) != 0) return false;
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xff));
  return true;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      bits |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(group[i])) << (16 - 8 * i);
    }
    for (std::size_t i = 0; i < 4; ++i) out.push_back(i <= group.size() ? kLetters[bits >> (18 - 6 * i) & 63] : '=');
  }
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::string_view group = text.substr(at, 4);
    const bool last = at + 4 == text.size();
    const std::size_t letters = last && group.ends_with("==") ? 2 : last && group.ends_with('=') ? 3 : 4;
    if (!append_group(out, group, letters)) return std::nullopt;
  }
  return out;
}

}  // namespace millrace
