// For tests: the system's clock, moved ahead or back at will.
#pragma once

#include <atomic>

#include "base/time.h"

namespace millrace::engine {

class MovableClock final : public Clock {
 public:
  Time now() const override { return SystemClock().now() + Millis(moved_ms_.load()); }
  void advance(Millis by) { moved_ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> moved_ms_ = 0;
};

}  // namespace millrace::engine
