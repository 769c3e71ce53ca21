// Parking must keep the order in which the items of a lane arrived (docs/adr/0004). What was parked before a
// reload does not count there: the shard knows of it only once a refill brought it back. In an ordered group it
// does: none of its members comes into memory before all parked ones with lower ids.
#include "auditor.h"
#include "describe.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

// One that takes its turn in a group is parked by the rules of groups, not of lanes. One that failed under
// next_on_error goes on alone.
bool takes_turns(const queue::ItemRecord& r) {
  if (!r.group || r.group->mode == queue::GroupMode::immediate) return false;
  return r.group->mode == queue::GroupMode::block_on_error || r.retry_count == 0;
}

}  // namespace

void Auditor::check_group_parking(const shard::ItemWrite& write) {
  const queue::ItemRecord& r = write.record;
  if (!r.group) return;
  const std::tuple group(r.lane->queue, r.group->name, r.group->mode);
  std::set<ItemId>& parked = parked_members_[group];
  if (parked.erase(r.id) > 0 && r.placement == queue::Placement::done) ended_parked_.insert(group);
  if (!takes_turns(r)) return;
  if (r.placement == queue::Placement::parked) {
    parked.insert(r.id);
    return;
  }
  const bool scheduled = !write.prior && r.due != now_;
  if (scheduled && ended_parked_.contains(group)) behind_parked_.insert({r.lane->queue, r.id});
  if (parked.empty() || r.placement == queue::Placement::done) return;
  const bool comes_back = write.prior && write.prior->placement == queue::Placement::parked;
  MR_REQUIRE(!comes_back || r.id < *parked.begin(), "{}: back in memory before #{} of its group", describe(r),
             parked.begin()->value);
  // One that is scheduled for another time may wait in memory.
  MR_REQUIRE(write.prior || scheduled, "{}: in memory, although #{} of its group is parked", describe(r),
             parked.begin()->value);
  if (r.id > *parked.begin()) behind_parked_.insert({r.lane->queue, r.id});
}

void Auditor::find_parked_members() {
  parked_members_.clear();
  ended_parked_.clear();
  behind_parked_.clear();
  for (const auto& [queue, items] : applied_.queues) {
    for (const auto& [id, item] : items) {
      const queue::ItemRecord& r = item.record;
      if (r.placement != queue::Placement::parked || !takes_turns(r)) continue;
      parked_members_[{queue, r.group->name, r.group->mode}].insert(id);
    }
    for (const auto& [id, item] : items) {
      const queue::ItemRecord& r = item.record;
      if (r.placement != queue::Placement::live || !takes_turns(r)) continue;
      const auto parked = parked_members_.find({queue, r.group->name, r.group->mode});
      if (parked != parked_members_.end() && id > *parked->second.begin()) behind_parked_.insert({queue, id});
    }
  }
}

void Auditor::check_parking(const Added& added) {
  // In the order of the writes: one that is displaced is parked before the new one takes its place.
  for (const shard::ItemWrite& write : added.items) {
    const queue::ItemRecord& r = write.record;
    const shard::ItemRef ref{r.lane->queue, r.id};
    check_group_parking(write);
    if (r.placement == queue::Placement::parked) {
      parked_.insert(ref);
      continue;
    }
    parked_.erase(ref);
    if (write.prior || takes_turns(r)) continue;
    for (const queue::ItemRecord* other : parked_in_lane_of(r)) {
      MR_REQUIRE(r.due < other->due, "{}: in memory, although {} of its lane is parked", describe(r), describe(*other));
    }
  }
}

std::vector<const queue::ItemRecord*> Auditor::parked_in_lane_of(const queue::ItemRecord& r) const {
  std::vector<const queue::ItemRecord*> found;
  for (const shard::ItemRef& ref : parked_) {
    const queue::ItemRecord& other = applied_.find(ref.queue, ref.id)->record;
    if (*other.lane == *r.lane && !takes_turns(other)) found.push_back(&other);
  }
  return found;
}

// A later arrival, due no earlier, must not overtake one that is parked. Not of one that was tried or reset: that
// moves an item back in its lane and leaves it in memory.
void Auditor::check_nothing_parked_before(const Item& item) const {
  const queue::ItemRecord& r = item.record;
  if (!item.log.empty() || takes_turns(r)) return;
  for (const queue::ItemRecord* other : parked_in_lane_of(r)) {
    const bool first = other->id < r.id && other->due <= r.due && other->priority >= r.priority;
    MR_REQUIRE(!first, "{}: leased before {}, which is parked", describe(r), describe(*other));
  }
}

}  // namespace millrace::simulation
