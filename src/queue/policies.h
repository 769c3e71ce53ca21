// The retry policies that live items have, each kept once for as long as an item has it: an item in memory names its
// policy by a number.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "queue/retry.h"

namespace millrace::queue {

class Policies {
 public:
  // The policy's number, for one more item.
  std::uint32_t join(const RetryPolicy& policy);
  // One item less; the number goes with its last.
  void leave(std::uint32_t number);
  // REQUIRES: an item has it.
  const RetryPolicy& operator[](std::uint32_t number) const { return kept_[number].policy; }
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Kept {
    RetryPolicy policy;
    std::uint32_t items = 0;
  };
  struct Hash {
    std::size_t operator()(const RetryPolicy& p) const {
      return absl::HashOf(p.kind, p.jitter, p.base.count(), p.cap.count());
    }
  };

  std::vector<Kept> kept_;
  std::vector<std::uint32_t> free_;
  absl::flat_hash_map<RetryPolicy, std::uint32_t, Hash> numbers_;
};

}  // namespace millrace::queue
