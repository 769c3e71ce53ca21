// When a failed item is tried again.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace millrace::queue {

// The numbers are stored.
enum class Backoff : std::uint8_t { fixed = 0, exponential = 1 };

struct RetryPolicy {
  Backoff kind = Backoff::fixed;
  bool jitter = false;
  Millis base = std::chrono::minutes(5);
  Millis cap = std::chrono::hours(1);  // exponential only

  bool operator==(const RetryPolicy&) const = default;
};

// The wait after failed try number `tries` (from 1). fixed: base. exponential: base * 2^(tries-1), at
// most cap. With jitter the wait is spread evenly over [wait/2, wait] by `salt`, which the caller
// derives from the item, so that the same history gives the same wait.
Millis retry_delay(const RetryPolicy& policy, std::uint32_t tries, std::uint64_t salt);

}  // namespace millrace::queue
