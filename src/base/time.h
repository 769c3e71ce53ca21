// Time as Millrace stores it: UTC milliseconds. Pure code takes `now` as an argument; only the edges
// ask a Clock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace millrace {

using Millis = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Millis>;

inline constexpr Time kNever = Time::max();

constexpr Time time_from_ms(std::int64_t ms) { return Time(Millis(ms)); }
constexpr std::int64_t to_ms(Time t) { return t.time_since_epoch().count(); }

// "2025-12-24T10:30:00.000Z". REQUIRES: year 0..9999.
std::string format_time(Time t);
void append_time(std::string& out, Time t);

// RFC 3339 with any offset and up to nine digits of fraction (cut to milliseconds); a date alone, a
// missing offset or a year outside 1970..9999 is nullopt.
std::optional<Time> parse_time(std::string_view text);

// "250ms", "30s", "5m", "2h", "30d", or plain seconds "90". Nullopt for anything else or on overflow.
std::optional<Millis> parse_duration(std::string_view text);
std::string format_duration(Millis d);

// Where `now` comes from. One per process; the manual one is for tests.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()); }
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start) : now_(start) {}
  Time now() const override { return now_; }
  void advance(Millis by) { now_ += by; }

 private:
  Time now_;
};

}  // namespace millrace
