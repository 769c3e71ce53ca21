// One client as a state machine: the loop asks what to send, and tells what came back. A script lives on
// the loop's thread and belongs to one connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::load {

using Clock = std::chrono::steady_clock;
using Instant = Clock::time_point;

struct Turn {
  enum class Kind { send, pause, done };
  Kind kind = Kind::send;
  std::string_view step = {};         // send: what the request is called in the report; a literal
  std::chrono::nanoseconds pause{0};  // pause: when to ask again

  static Turn send(std::string_view step) { return {Kind::send, step, {}}; }
  static Turn wait(std::chrono::nanoseconds time) { return {Kind::pause, {}, time}; }
  static Turn done() { return {Kind::done, {}, {}}; }
};

struct Verdict {
  std::uint64_t items = 0;  // finished by this answer, in the scenario's own measure
  bool expected = true;     // false: counted as an error, with the answer's first bytes
  Instant began{};          // if set, the step's latency counts from here instead of the request's start
};

class Script {
 public:
  virtual ~Script() = default;
  // Appends the next request to `out`, unless it pauses or is done. Refused requests (429, 503) are sent
  // again by the loop and never seen here.
  virtual Turn next(Instant now, std::string& out) = 0;
  virtual Verdict answered(Instant now, int status, std::string_view body) = 0;
};

}  // namespace millrace::load
