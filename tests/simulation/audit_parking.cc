// Parking must keep the order in which the items of a lane arrived (docs/adr/0004). What was parked before a
// reload does not count: the shard knows of it only once a refill brought it back.
#include "auditor.h"
#include "describe.h"
#include "queue/groups.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

// Items of ordered groups are not, so they may be in memory beside whatever is.
bool may_be_parked(const queue::ItemRecord& r) { return !r.group || !queue::is_ordered(r.group->mode); }

}  // namespace

void Auditor::check_parking(const Added& added) {
  // In the order of the writes: one that is displaced is parked before the new one takes its place.
  for (const shard::ItemWrite& write : added.items) {
    const queue::ItemRecord& r = write.record;
    const shard::ItemRef ref{r.lane->queue, r.id};
    if (r.placement == queue::Placement::parked) {
      parked_.insert(ref);
      continue;
    }
    parked_.erase(ref);
    if (write.prior || !may_be_parked(r)) continue;
    for (const queue::ItemRecord* other : parked_in_lane_of(r)) {
      MR_REQUIRE(r.due < other->due, "{}: in memory, although {} of its lane is parked", describe(r), describe(*other));
    }
  }
}

std::vector<const queue::ItemRecord*> Auditor::parked_in_lane_of(const queue::ItemRecord& r) const {
  std::vector<const queue::ItemRecord*> found;
  for (const shard::ItemRef& ref : parked_) {
    const queue::ItemRecord& other = applied_.find(ref.queue, ref.id)->record;
    if (*other.lane == *r.lane) found.push_back(&other);
  }
  return found;
}

// A later arrival, due no earlier, must not overtake one that is parked. Not of one that was tried or reset: that
// moves an item back in its lane and leaves it in memory.
void Auditor::check_nothing_parked_before(const Item& item) const {
  const queue::ItemRecord& r = item.record;
  if (!item.log.empty() || !may_be_parked(r)) return;
  for (const queue::ItemRecord* other : parked_in_lane_of(r)) {
    const bool first = other->id < r.id && other->due <= r.due && other->priority >= r.priority;
    MR_REQUIRE(!first, "{}: leased before {}, which is parked", describe(r), describe(*other));
  }
}

}  // namespace millrace::simulation
