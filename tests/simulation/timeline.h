// Simulated time and what is to happen in it. What is due at the same moment happens in the order it was planned.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "base/time.h"

namespace millrace::simulation {

class Timeline {
 public:
  Millis now() const { return now_; }

  void after(Millis delay, std::move_only_function<void()> what) {
    planned_.emplace(std::pair(now_ + delay, ++sequence_), std::move(what));
  }

  // Lets everything happen up to and including `end`, also what is planned meanwhile.
  void run_until(Millis end) {
    while (!planned_.empty() && planned_.begin()->first.first <= end) {
      now_ = std::max(now_, planned_.begin()->first.first);
      auto what = std::move(planned_.begin()->second);
      planned_.erase(planned_.begin());
      what();
    }
    now_ = std::max(now_, end);
  }

 private:
  Millis now_{0};
  std::uint64_t sequence_ = 0;
  std::map<std::pair<Millis, std::uint64_t>, std::move_only_function<void()>> planned_;
};

}  // namespace millrace::simulation
