#include "queue/retry.h"

#include <algorithm>

#include "base/mix.h"

namespace millrace::queue {

Millis retry_delay(const RetryPolicy& policy, std::uint32_t tries, std::uint64_t salt) {
  std::int64_t wait = policy.base.count();
  if (policy.kind == Backoff::exponential) {
    const std::int64_t cap = policy.cap.count();
    for (std::uint32_t i = 1; i < tries && wait < cap; ++i) wait *= 2;
    wait = std::min(wait, cap);
  }
  if (policy.jitter && wait > 1) {
    const auto half = static_cast<std::uint64_t>(wait) / 2;
    wait -= static_cast<std::int64_t>(mix64(salt ^ tries) % (half + 1));
  }
  return Millis(wait);
}

}  // namespace millrace::queue
