// The one source of chance of a simulated history: the same seed draws the same numbers everywhere.
#pragma once

#include <cstdint>
#include <span>

#include "base/mix.h"
#include "base/time.h"

namespace millrace::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix64(seed ^ 0x6d696c6c72616365ull)) {}

  std::uint64_t next() { return mix64(state_++); }
  // 0 .. bound-1. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  Millis millis(std::int64_t low, std::int64_t high) { return Millis(between(low, high)); }
  // True in `per_mille` of a thousand draws.
  bool chance(std::uint32_t per_mille) { return below(1000) < per_mille; }

  template <class Container>
  auto& pick(Container& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace millrace::simulation
