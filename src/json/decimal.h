// JSON numbers, which may have any number of digits, as the machine's numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace millrace::json {

// Exact, or nullopt: not an integer, or out of range. REQUIRES: a number in JSON's syntax.
std::optional<std::int64_t> decimal_to_int64(std::string_view number);

// The nearest, also 0 for the very small; nullopt beyond the largest double. REQUIRES: as above.
std::optional<double> decimal_to_double(std::string_view number);

}  // namespace millrace::json
