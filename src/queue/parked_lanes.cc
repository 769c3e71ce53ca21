#include "queue/parked_lanes.h"

#include <absl/hash/hash.h>

#include <algorithm>

namespace millrace::queue {

void ParkedLanes::note(const LaneKey& lane, Time due) {
  const std::uint64_t hash = absl::HashOf(lane);
  const auto found = lanes_.find(hash);
  if (found != lanes_.end()) {
    found->second = std::min(found->second, due);
  } else if (lanes_.size() < lanes_max_) {
    const auto others = others_.find(lane.queue);  // it may be one of them: the bound may have been lower
    lanes_.emplace(hash, others == others_.end() ? due : std::min(due, others->second));
  } else {
    Time& from = others_.try_emplace(lane.queue, kNever).first->second;
    from = std::min(from, due);
  }
}

Time ParkedLanes::from(const LaneKey& lane) const {
  const auto found = lanes_.find(absl::HashOf(lane));
  if (found != lanes_.end()) return found->second;
  const auto other = others_.find(lane.queue);
  return other != others_.end() ? other->second : kNever;
}

void ParkedLanes::clear() {
  lanes_.clear();
  others_.clear();
}

}  // namespace millrace::queue
