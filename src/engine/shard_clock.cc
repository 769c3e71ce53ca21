#include "engine/shard_clock.h"

#include <algorithm>
#include <utility>

namespace millrace::engine {

Time ShardClock::now() {
  const Time wall = wall_.now();
  const Millis passed = wall - std::exchange(last_wall_, wall);
  if (passed > kStep) {  // the clock was put right, or nobody asked for long: no reason to run ahead of it again
    ahead_ -= std::min(ahead_, passed);
    paid_until_ = wall;
  }
  if (ahead_ > Millis(0) && wall > paid_until_) {
    const Millis paid = std::min(ahead_, (wall - paid_until_) / kSlower);
    ahead_ -= paid;
    paid_until_ += paid * kSlower;
  }
  if (wall + ahead_ < last_) {
    ahead_ = last_ - wall;
    paid_until_ = wall;
  }
  return last_ = wall + ahead_;
}

Time ShardClock::at(Time wall) const {
  const Millis to_come = wall + ahead_ - last_;
  if (to_come <= Millis(0)) return wall;
  return wall + std::max(Millis(0), ahead_ - to_come / kSlower);
}

void ShardClock::resume_after(Time stored) { last_ = std::max(last_, stored); }

}  // namespace millrace::engine
