#include "blob/file_name.h"

#include <fmt/format.h>

#include <charconv>

namespace millrace::blob {
namespace {

// File systems take 255 bytes; a longer name goes on below folders, whose names end with a sign that no file's does.
constexpr std::size_t kNameBytes = 200;
constexpr char kGoesOn = '+';

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::optional<char> hex_byte(std::string_view digits) {
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 2 || error != std::errc{} || stop != digits.data() + 2) return std::nullopt;
  return static_cast<char>(value);
}

}  // namespace

std::string path_of_key(std::string_view key) {
  std::string path;
  std::size_t name = 0;
  for (const char c : key) {
    // A dot may not begin a name: that is where "..", and our own unfinished files, begin.
    const std::string next = is_plain(c) || (c == '.' && name > 0)
                                 ? std::string(1, c)
                                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    if (name + next.size() > kNameBytes) {
      path += kGoesOn;
      path += '/';
      name = 0;
      path += c == '.' ? "%2E" : next;
      name += c == '.' ? 3 : next.size();
      continue;
    }
    path += next;
    name += next.size();
  }
  return path;
}

std::optional<std::string> key_of_path(std::string_view path) {
  std::string key;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (c == kGoesOn && path.substr(i + 1).starts_with('/')) {
      ++i;
    } else if (c == '%') {
      const auto byte = hex_byte(path.substr(i + 1, 2));
      if (!byte) return std::nullopt;
      key += *byte;
      i += 2;
    } else if (is_plain(c) || c == '.') {
      key += c;
    } else {
      return std::nullopt;
    }
  }
  if (key.empty() || path_of_key(key) != path) return std::nullopt;
  return key;
}

}  // namespace millrace::blob
