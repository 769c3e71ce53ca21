#include "registry/json_schema/number.h"

#include <algorithm>
#include <charconv>

#include "base/mix.h"

namespace millrace::registry::json_schema {
namespace {

// Farther from 0 than any text is long, and sums with lengths do not overflow.
constexpr std::int64_t kExponentMax = 1'000'000'000'000;
constexpr std::int64_t kDivisorDigitsMax = 18;

std::int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) exponent = std::min(exponent * 10 + (digit - '0'), kExponentMax);
  return negative ? -exponent : exponent;
}

// The digits of a decimal, one after the other, then zeros without end.
class Digits {
 public:
  explicit Digits(std::string_view digits) : rest_(digits) {}
  bool done() const { return rest_.empty(); }
  char next() {
    if (rest_.starts_with('.')) rest_.remove_prefix(1);
    if (rest_.empty()) return '0';
    const char digit = rest_.front();
    rest_.remove_prefix(1);
    return digit;
  }

 private:
  std::string_view rest_;
};

std::strong_ordering compare_magnitude(const Decimal& a, const Decimal& b) {
  if (a.exponent != b.exponent) return a.exponent <=> b.exponent;
  Digits left(a.digits);
  Digits right(b.digits);
  while (!left.done() || !right.done()) {
    const char l = left.next();
    const char r = right.next();
    if (l != r) return l <=> r;
  }
  return std::strong_ordering::equal;
}

std::optional<std::int64_t> plain_int64(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

std::uint64_t power_of_ten_modulo(std::int64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  std::uint64_t square = 10 % modulus;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply_modulo(result, square, modulus);
    square = multiply_modulo(square, square, modulus);
  }
  return result;
}

}  // namespace

Decimal read_decimal(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  const std::int64_t exponent = e == number.npos ? 0 : read_exponent(number.substr(e + 1));
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == mantissa.npos) return {};

  const std::size_t last = mantissa.find_last_not_of("0.");
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto places = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  // Places between the point and the first digit; the point itself takes one when it stands before it.
  const std::int64_t scale = first < point ? places(point - first) : 1 - places(first - point);
  const std::int64_t count = places(last + 1 - first) - (first < point && point < last ? 1 : 0);
  return {negative, mantissa.substr(first, last + 1 - first), count, exponent + scale};
}

std::strong_ordering compare(const Decimal& a, const Decimal& b) {
  const int sign_a = a.is_zero() ? 0 : (a.negative ? -1 : 1);
  const int sign_b = b.is_zero() ? 0 : (b.negative ? -1 : 1);
  if (sign_a != sign_b || sign_a == 0) return sign_a <=> sign_b;
  return sign_a > 0 ? compare_magnitude(a, b) : compare_magnitude(b, a);
}

bool is_integer(std::string_view number) {
  if (number.find_first_of(".eE") == number.npos) return true;
  const Decimal decimal = read_decimal(number);
  return decimal.exponent >= decimal.digit_count;
}

std::uint64_t hash_decimal(const Decimal& number) {
  std::uint64_t hash = mix64(static_cast<std::uint64_t>(number.exponent) * 2 + (number.negative ? 1 : 0));
  for (const char c : number.digits) {
    if (c != '.') hash = hash * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(c);
  }
  return mix64(hash);
}

Bound::Bound(std::string_view number) : text_(number), decimal_(read_decimal(number)), integer_(plain_int64(number)) {}

std::strong_ordering Bound::order(std::string_view number) const {
  if (integer_) {
    if (const auto integer = plain_int64(number)) return *integer <=> *integer_;
  }
  return compare(read_decimal(number), decimal_);
}

std::optional<Divisor> Divisor::make(std::string_view number) {
  const Decimal decimal = read_decimal(number);
  if (decimal.is_zero() || decimal.negative || decimal.digit_count > kDivisorDigitsMax) return std::nullopt;
  std::uint64_t digits = 0;
  for (const char c : decimal.digits) {
    if (c != '.') digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return Divisor(number, digits, decimal.exponent - decimal.digit_count);
}

bool Divisor::divides(std::string_view number) const {
  const Decimal decimal = read_decimal(number);
  if (decimal.is_zero()) return true;
  const std::int64_t exponent = decimal.exponent - decimal.digit_count;
  // The digits end in no zero, so a coarser divisor never fits.
  if (exponent < exponent_) return false;
  std::uint64_t remainder = 0;
  for (const char c : decimal.digits) {
    if (c == '.') continue;
    remainder = (multiply_modulo(remainder, 10, digits_) + static_cast<std::uint64_t>(c - '0')) % digits_;
  }
  return multiply_modulo(remainder, power_of_ten_modulo(exponent - exponent_, digits_), digits_) == 0;
}

}  // namespace millrace::registry::json_schema
