// The time that the shards of this node live in. It never goes back, since what is stored is ordered by it, and it
// never stands still: where the clock was ahead once (it was set back, or another node's went before it), the shards
// stay ahead by that much and come down to it slowly, so that leases, waits and retries take about as long as they
// should.
//
// Not thread-safe.
#pragma once

#include "base/time.h"

namespace millrace::engine {

class ShardClock {
 public:
  explicit ShardClock(const Clock& wall) : wall_(wall) {}

  Time now();
  // Nothing before `stored` is given from here on: something in the store has that time.
  void resume_after(Time stored);
  // What now() will be when the clock shows `wall`, if that is still to come; else `wall`.
  Time at(Time wall) const;
  // How far now() was before the clock when it was last asked.
  Millis ahead() const { return ahead_; }

 private:
  // While ahead, time passes by a sixteenth slower: a minute is made up for in sixteen, a day in sixteen days.
  static constexpr int kSlower = 16;

  // More than this between two looks, which come every second at least, is a step of the clock.
  static constexpr Millis kStep = std::chrono::seconds(3);

  const Clock& wall_;
  Time last_wall_{};
  Time last_{};
  Millis ahead_{0};
  Time paid_until_{};  // by the wall: up to here the slower pace is in ahead_
};

}  // namespace millrace::engine
