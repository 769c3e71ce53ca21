#include "registry/schema_version.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace millrace::registry {
namespace {

std::optional<std::uint32_t> parse_number(std::string_view digits) {
  constexpr std::size_t kDigitsMax = 6;
  if (digits.empty() || digits.size() > kDigitsMax) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  std::uint32_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The numbers between the dots; empty if one of them is none.
std::vector<std::uint32_t> parse_numbers(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  while (true) {
    const std::size_t dot = text.find('.');
    const auto number = parse_number(text.substr(0, dot));
    if (!number) return {};
    numbers.push_back(*number);
    if (dot == text.npos) return numbers;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

std::optional<SchemaVersion> parse_schema_version(std::string_view text) {
  const auto numbers = parse_numbers(text);
  if (numbers.size() != 2 || numbers[0] == 0) return std::nullopt;
  return SchemaVersion{numbers[0], numbers[1]};
}

std::optional<SchemaVersion> parse_event_schema_version(std::string_view text) {
  const auto numbers = parse_numbers(text);
  if (numbers.empty() || numbers.size() > 3 || numbers[0] == 0) return std::nullopt;
  return SchemaVersion{numbers[0], numbers.size() > 1 ? numbers[1] : 0};
}

std::string to_text(SchemaVersion version) { return fmt::format("{}.{}", version.major, version.minor); }

}  // namespace millrace::registry
