// The version of a type's schema: MAJOR.MINOR. A new MAJOR may break consumers, a new MINOR may not.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::registry {

struct SchemaVersion {
  std::uint32_t major = 1;
  std::uint32_t minor = 0;

  constexpr auto operator<=>(const SchemaVersion&) const = default;
};

// "1.0": two decimal numbers without leading zeros, at most six digits each, MAJOR from 1.
inline constexpr std::string_view kVersionForm =
    "MAJOR.MINOR, such as 1.0: MAJOR from 1 to 999999, MINOR from 0 to 999999";
std::optional<SchemaVersion> parse_schema_version(std::string_view text);

// As events name it: also "1" (the integer of S2, = 1.0) and "1.0.0" (S1's form; the patch says nothing about
// the schema).
std::optional<SchemaVersion> parse_event_schema_version(std::string_view text);

std::string to_text(SchemaVersion version);

}  // namespace millrace::registry
