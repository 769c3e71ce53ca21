#include "json/decimal.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace millrace::json {
namespace {

// Exponents are cut to this: farther from 0 than any text is long, and sums with lengths do not overflow.
constexpr std::int64_t kExponentMax = std::int64_t{1} << 40;

// (-1)^negative * 0.digits * 10^exponent, where `digits` may hold a point to be skipped and neither
// starts nor ends with a zero. Empty digits: zero.
struct Decimal {
  bool negative;
  std::string_view digits;
  std::int64_t digit_count;
  std::int64_t exponent;
};

std::int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) exponent = std::min(exponent * 10 + (digit - '0'), kExponentMax);
  return negative ? -exponent : exponent;
}

Decimal read_decimal(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  const std::int64_t exponent = e == number.npos ? 0 : read_exponent(number.substr(e + 1));
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == mantissa.npos) return {negative, {}, 0, 0};

  const std::size_t last = mantissa.find_last_not_of("0.");
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::string_view digits = mantissa.substr(first, last + 1 - first);
  const auto places = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  // Places between the point and the first digit; the point itself takes one when it stands before it.
  const std::int64_t scale = first < point ? places(point - first) : 1 - places(first - point);
  const std::int64_t count = places(digits.size()) - (first < point && point < last ? 1 : 0);
  return {negative, digits, count, exponent + scale};
}

}  // namespace

std::optional<std::int64_t> decimal_to_int64(std::string_view number) {
  constexpr std::int64_t kDigitsMax = std::numeric_limits<std::int64_t>::digits10 + 1;
  const Decimal decimal = read_decimal(number);
  if (decimal.digits.empty()) return 0;
  if (decimal.digit_count > decimal.exponent || decimal.exponent > kDigitsMax) return std::nullopt;

  std::uint64_t magnitude = 0;  // nineteen digits fit
  for (const char c : decimal.digits) {
    if (c != '.') magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0');
  }
  for (std::int64_t i = decimal.digit_count; i < decimal.exponent; ++i) magnitude *= 10;
  const std::uint64_t max = std::uint64_t{1} << 63;
  if (decimal.negative) return magnitude <= max ? std::optional(static_cast<std::int64_t>(-magnitude)) : std::nullopt;
  return magnitude < max ? std::optional(static_cast<std::int64_t>(magnitude)) : std::nullopt;
}

std::optional<double> decimal_to_double(std::string_view number) {
  double nearest = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), nearest);
  if (error == std::errc()) return nearest;
  // Out of range: from_chars does not say at which end.
  const Decimal decimal = read_decimal(number);
  if (decimal.exponent > 0) return std::nullopt;
  return decimal.negative ? -0.0 : 0.0;
}

}  // namespace millrace::json
