#include "registry/json_schema/format_time.h"

#include <chrono>

#include "registry/json_schema/characters.h"

namespace millrace::registry::json_schema {
namespace {

constexpr std::size_t kDateLength = 10;
constexpr int kMinutesPerDay = 24 * 60;

// Minutes east of UTC of "Z" or "+hh:mm"; false for anything else.
bool take_offset(std::string_view& text, int& minutes_east) {
  minutes_east = 0;
  if (take(text, 'Z') || take(text, 'z')) return true;
  const bool west = text.starts_with('-');
  if (!west && !text.starts_with('+')) return false;
  text.remove_prefix(1);
  const int hours = take_digits(text, 2);
  if (hours < 0 || hours > 23 || !take(text, ':')) return false;
  const int minutes = take_digits(text, 2);
  if (minutes < 0 || minutes > 59) return false;
  minutes_east = (west ? -1 : 1) * (hours * 60 + minutes);
  return true;
}

// Numbers with their units in this order. After the first one none is left out: "1H2S" is not allowed.
bool take_elements(std::string_view& text, std::string_view units) {
  bool any = false;
  while (!text.empty() && is_digit(text.front())) {
    take_while(text, is_digit);
    if (text.empty()) return false;
    const auto unit = units.find(text.front());
    if (unit == units.npos || (any && unit != 0)) return false;
    units.remove_prefix(unit + 1);
    text.remove_prefix(1);
    any = true;
  }
  return any;
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != kDateLength) return false;
  const int year = take_digits(text, 4);
  if (year < 0 || !take(text, '-')) return false;
  const int month = take_digits(text, 2);
  if (month < 0 || !take(text, '-')) return false;
  const int day = take_digits(text, 2);
  if (day < 0) return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

bool is_time(std::string_view text) {
  const int hour = take_digits(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_digits(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return false;
  const int second = take_digits(text, 2);
  if (second < 0 || second > 60) return false;
  if (take(text, '.') && take_while(text, is_digit).empty()) return false;
  int minutes_east = 0;
  if (!take_offset(text, minutes_east) || !text.empty()) return false;
  // Leap seconds end a day of UTC.
  const int utc = (hour * 60 + minute - minutes_east + kMinutesPerDay) % kMinutesPerDay;
  return second < 60 || utc == kMinutesPerDay - 1;
}

bool is_date_time(std::string_view text) {
  if (text.size() <= kDateLength || !is_date(text.substr(0, kDateLength))) return false;
  const char between = text[kDateLength];
  return (between == 'T' || between == 't') && is_time(text.substr(kDateLength + 1));
}

bool is_duration(std::string_view text) {
  if (!take(text, 'P') || text.empty()) return false;
  if (text.ends_with('W')) return take_elements(text, "W") && text.empty();
  if (!text.starts_with('T') && !take_elements(text, "YMD")) return false;
  if (text.empty()) return true;
  return take(text, 'T') && take_elements(text, "HMS") && text.empty();
}

}  // namespace millrace::registry::json_schema
