// JSON numbers of any length, compared and divided exactly by their decimal digits. Views into the caller's
// text, no allocation. Any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace millrace::registry::json_schema {

// (-1)^negative * 0.DIGITS * 10^exponent. `digits` may hold a point, which is skipped, and neither starts nor
// ends with a zero; empty digits are zero. Exponents beyond 10^12 are cut to that.
struct Decimal {
  bool negative = false;
  std::string_view digits;
  std::int64_t digit_count = 0;
  std::int64_t exponent = 0;

  bool is_zero() const { return digits.empty(); }
};

// REQUIRES: a number in JSON's syntax, which outlives the result.
Decimal read_decimal(std::string_view number);

std::strong_ordering compare(const Decimal& a, const Decimal& b);

// Whether the number has no fraction: 1, 1.0 and 1e3 alike. REQUIRES: a number in JSON's syntax.
bool is_integer(std::string_view number);

// Equal for numbers of equal value, however they are written.
std::uint64_t hash_decimal(const Decimal& number);

// A number to compare many others with: the usual integers without reading digits.
class Bound {
 public:
  // REQUIRES: as read_decimal().
  explicit Bound(std::string_view number);
  // How `number` stands to the bound. REQUIRES: a number in JSON's syntax.
  std::strong_ordering order(std::string_view number) const;
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  Decimal decimal_;
  std::optional<std::int64_t> integer_;
};

// A divisor of at most 18 significant digits, so that remainders fit the machine's words.
class Divisor {
 public:
  // nullopt for zero, negative numbers and more digits. REQUIRES: as read_decimal().
  static std::optional<Divisor> make(std::string_view number);
  // Exact for every number. REQUIRES: a number in JSON's syntax.
  bool divides(std::string_view number) const;
  std::string_view text() const { return text_; }

 private:
  Divisor(std::string_view text, std::uint64_t digits, std::int64_t exponent)
      : text_(text), digits_(digits), exponent_(exponent) {}

  std::string_view text_;
  std::uint64_t digits_;  // the divisor is digits_ * 10^exponent_
  std::int64_t exponent_;
};

}  // namespace millrace::registry::json_schema
