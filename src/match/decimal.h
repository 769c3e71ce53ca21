// JSON numbers of any length, compared by their exact value: 100, 100.0 and 1e2 are one number, and
// 9007199254740993 is not 9007199254740992.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace millrace::match {

class Decimal {
 public:
  // REQUIRES: a number in JSON's syntax. Exponents beyond ±2^40 count as ±2^40.
  explicit Decimal(std::string_view number);

  std::strong_ordering operator<=>(const Decimal& other) const { return key_.compare(other.key_) <=> 0; }
  bool operator==(const Decimal&) const = default;

  // The nearest double, ±infinity beyond the largest. Order is kept: a < b never gives nearest(a) > nearest(b).
  static double nearest(std::string_view number);

 private:
  // Bytes that sort as the numbers do: sign, exponent, digits without zeros at either end.
  std::string key_;
};

}  // namespace millrace::match
