#include "base/time.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace millrace {
namespace {

void put_digits(char* at, unsigned value, int width) {
  for (int i = width - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

// Reads exactly `width` digits at `pos`, moving it on; false where there are fewer.
bool take_digits(std::string_view text, std::size_t& pos, int width, unsigned& value) {
  value = 0;
  for (int i = 0; i < width; ++i, ++pos) {
    if (pos >= text.size() || text[pos] < '0' || text[pos] > '9') return false;
    value = value * 10 + static_cast<unsigned>(text[pos] - '0');
  }
  return true;
}

bool take(std::string_view text, std::size_t& pos, char wanted) {
  if (pos >= text.size() || text[pos] != wanted) return false;
  ++pos;
  return true;
}

struct Fraction {
  bool ok;
  unsigned ms;
};

Fraction take_fraction(std::string_view text, std::size_t& pos) {
  if (pos >= text.size() || text[pos] != '.') return {true, 0};
  ++pos;
  unsigned ms = 0;
  int digits = 0;
  for (; pos < text.size() && text[pos] >= '0' && text[pos] <= '9'; ++pos, ++digits) {
    if (digits < 3) ms = ms * 10 + static_cast<unsigned>(text[pos] - '0');
  }
  if (digits == 0 || digits > 9) return {false, 0};
  for (int i = digits; i < 3; ++i) ms *= 10;
  return {true, ms};
}

// "Z" or "+hh:mm"; the offset in minutes.
std::optional<int> take_offset(std::string_view text, std::size_t& pos) {
  if (pos >= text.size()) return std::nullopt;
  const char sign = text[pos++];
  if (sign == 'Z' || sign == 'z') return 0;
  unsigned hours = 0;
  unsigned minutes = 0;
  if (sign != '+' && sign != '-') return std::nullopt;
  if (!take_digits(text, pos, 2, hours) || !take(text, pos, ':') || !take_digits(text, pos, 2, minutes)) {
    return std::nullopt;
  }
  if (hours > 23 || minutes > 59) return std::nullopt;
  const int total = static_cast<int>(hours * 60 + minutes);
  return sign == '-' ? -total : total;
}

struct Unit {
  std::string_view name;
  std::int64_t ms;
};
constexpr Unit kUnits[] = {{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

}  // namespace

void append_time(std::string& out, Time t) {
  const auto days = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date(days);
  const auto ms = static_cast<unsigned>((t - days).count());
  char text[] = "0000-00-00T00:00:00.000Z";
  put_digits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  put_digits(text + 5, static_cast<unsigned>(date.month()), 2);
  put_digits(text + 8, static_cast<unsigned>(date.day()), 2);
  put_digits(text + 11, ms / 3'600'000, 2);
  put_digits(text + 14, ms / 60'000 % 60, 2);
  put_digits(text + 17, ms / 1000 % 60, 2);
  put_digits(text + 20, ms % 1000, 3);
  out.append(text, sizeof text - 1);
}

std::string format_time(Time t) {
  std::string out;
  append_time(out, t);
  return out;
}

std::optional<Time> parse_time(std::string_view text) {
  std::size_t pos = 0;
  unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool date_ok = take_digits(text, pos, 4, year) && take(text, pos, '-') && take_digits(text, pos, 2, month) &&
                       take(text, pos, '-') && take_digits(text, pos, 2, day);
  if (!date_ok || !(take(text, pos, 'T') || take(text, pos, 't') || take(text, pos, ' '))) return std::nullopt;
  const bool time_ok = take_digits(text, pos, 2, hour) && take(text, pos, ':') && take_digits(text, pos, 2, minute) &&
                       take(text, pos, ':') && take_digits(text, pos, 2, second);
  if (!time_ok) return std::nullopt;
  const Fraction fraction = take_fraction(text, pos);
  const auto offset = take_offset(text, pos);
  if (!fraction.ok || !offset || pos != text.size()) return std::nullopt;

  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(day));
  if (!date.ok() || year < 1970 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const Time result = std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                      std::chrono::seconds(second) + Millis(fraction.ms) - std::chrono::minutes(*offset);
  if (to_ms(result) < 0) return std::nullopt;
  return result;
}

std::optional<Millis> parse_duration(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    std::int64_t ms = 0;
    if (__builtin_mul_overflow(value, known.ms, &ms)) return std::nullopt;
    return Millis(ms);
  }
  return std::nullopt;
}

std::string format_duration(Millis d) {
  const std::int64_t ms = d.count();
  if (ms % 86'400'000 == 0 && ms != 0) return fmt::format("{}d", ms / 86'400'000);
  if (ms % 3'600'000 == 0 && ms != 0) return fmt::format("{}h", ms / 3'600'000);
  if (ms % 60'000 == 0 && ms != 0) return fmt::format("{}m", ms / 60'000);
  if (ms % 1000 == 0) return fmt::format("{}s", ms / 1000);
  return fmt::format("{}ms", ms);
}

}  // namespace millrace
