// Since when each lane has parked items: new items of it that are due later queue up behind them in the store. Bounded,
// however many lanes there are: lanes beyond the bound are known by their queue alone.
//
// Owned by a shard, used on its thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "queue/item.h"

namespace millrace::queue {

class ParkedLanes {
 public:
  // Knows up to `lanes_max` lanes apart, at 20 to 40 bytes each.
  explicit ParkedLanes(std::size_t lanes_max) : lanes_max_(lanes_max) {}
  // Another bound, from now on. What it knows it keeps.
  void set_lanes_max(std::size_t lanes_max) { lanes_max_ = lanes_max; }

  // An item of the lane that is due then was parked.
  void note(const LaneKey& lane, Time due);
  // No item of the lane that was noted is due earlier; kNever: none was. It may be earlier than any of them is due.
  Time from(const LaneKey& lane) const;
  // No parked items are left.
  void clear();
  // Lanes and queues that it remembers.
  std::size_t size() const { return lanes_.size() + others_.size(); }

 private:
  std::size_t lanes_max_;
  // By hash: two lanes that share one park more than they need to, in order all the same. Nothing leaves before
  // clear(), so what is not here may be among the others, and is nowhere if its queue has none.
  absl::flat_hash_map<std::uint64_t, Time> lanes_;
  absl::flat_hash_map<QueueKey, Time> others_;
};

}  // namespace millrace::queue
