#include "match/decimal.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "json/decimal.h"

namespace millrace::match {
namespace {

constexpr std::int64_t kExponentMax = std::int64_t{1} << 40;
constexpr int kExponentBytes = 6;

constexpr char kNegative = 0;
constexpr char kZero = 1;
constexpr char kPositive = 2;

std::int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) exponent = std::min(exponent * 10 + (digit - '0'), kExponentMax);
  return negative ? -exponent : exponent;
}

// The power of ten p for which the number is 0.d1d2d3… * 10^p, d1 not zero.
std::int64_t power_of(std::string_view mantissa, std::size_t first, std::int64_t exponent) {
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto places = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return exponent + (first < point ? places(point - first) : 1 - places(first - point));
}

}  // namespace

Decimal::Decimal(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == mantissa.npos) {
    key_.push_back(kZero);
    return;
  }
  const std::int64_t exponent = e == number.npos ? 0 : read_exponent(number.substr(e + 1));
  // Twice the bound: lengths are far below it, so the sum stays positive.
  const auto biased = static_cast<std::uint64_t>(power_of(mantissa, first, exponent) + 2 * kExponentMax);
  key_.push_back(negative ? kNegative : kPositive);
  for (int i = kExponentBytes - 1; i >= 0; --i) key_.push_back(static_cast<char>(biased >> (8 * i)));
  const std::size_t last = mantissa.find_last_not_of("0.");
  for (const char c : mantissa.substr(first, last + 1 - first)) {
    if (c != '.') key_.push_back(c);
  }
  if (!negative) return;
  // The larger the magnitude, the smaller the number; the end must sort above every further digit.
  std::transform(key_.begin() + 1, key_.end(), key_.begin() + 1, [](char c) { return static_cast<char>(~c); });
  key_.push_back(static_cast<char>(0xff));
}

double Decimal::nearest(std::string_view number) {
  const auto nearest = json::decimal_to_double(number);
  if (nearest) return *nearest;
  const double infinity = std::numeric_limits<double>::infinity();
  return number.starts_with('-') ? -infinity : infinity;
}

}  // namespace millrace::match
