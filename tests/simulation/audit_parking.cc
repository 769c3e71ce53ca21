// Parking must keep the order in which the items of a lane arrived (docs/adr/0004). What was parked before a
// reload does not count there: the shard knows of it only once a refill brought it back. In an ordered group it
// does: none of its members comes into memory before all parked ones with lower ids, whenever each is due.
// And what comes into memory is bounded.
#include "auditor.h"
#include "describe.h"
#include "violation.h"

namespace millrace::simulation {

void Auditor::check_group_parking(const shard::ItemWrite& write) {
  const queue::ItemRecord& r = write.record;
  if (!r.group) return;
  std::set<ItemId>& parked = parked_members_[group_of(r)];
  parked.erase(r.id);
  if (!takes_turns(r)) return;
  if (r.placement == queue::Placement::parked) {
    parked.insert(r.id);
    return;
  }
  if (parked.empty() || r.placement == queue::Placement::done) return;
  MR_REQUIRE(r.id < *parked.begin(), "{}: in memory, although #{} of its group is parked", describe(r),
             parked.begin()->value);
}

// Under which time an item is filed among the parked decides in which order they are read. A member keeps the time at
// which it was created, or a reset would move it behind later ones.
void Auditor::check_place(const shard::ItemWrite& write) const {
  const queue::ItemRecord& r = write.record;
  if (r.placement != queue::Placement::parked) {
    MR_REQUIRE(r.parked_at == Time{}, "{}: filed as parked, which it is not", describe(r));
    return;
  }
  const Time created = write.body ? write.body->created : applied_.find(r.lane->queue, r.id)->body->created;
  const Time expected = takes_turns(r) ? created : r.due;
  MR_REQUIRE(r.parked_at == expected, "{}: filed under another time than {}", describe(r), describe(expected));
}

// A member that is admitted must fit, unless it is the first of its group. What a reset brings back need not.
void Auditor::check_member_fits(const shard::ItemWrite& write) const {
  const queue::ItemRecord& r = write.record;
  const bool was_away = !write.prior || write.prior->placement == queue::Placement::parked;
  if (!takes_turns(r) || r.placement != queue::Placement::live || !was_away || residents_.would_be_first(r)) return;
  const std::size_t bound = options_.live_items_max;
  MR_REQUIRE(residents_.used(bound) < bound && residents_.followers() < bound / 2,
             "{}: in memory beyond the bound of {}, with {} behind the first of their groups", describe(r), bound,
             residents_.followers());
}

void Auditor::find_parked_members() {
  parked_members_.clear();
  residents_.clear();
  ever_parked_ = false;
  for (const auto& [queue, items] : applied_.queues) {
    for (const auto& [id, item] : items) {
      const queue::ItemRecord& r = item.record;
      residents_.note(r);
      ever_parked_ |= r.placement == queue::Placement::parked;
      if (r.placement != queue::Placement::parked || !takes_turns(r)) continue;
      parked_members_[group_of(r)].insert(id);
    }
  }
}

// What lies beyond the bound came there by a load or by what is allowed to exceed it; nothing else adds to it.
void Auditor::check_bound(std::size_t before, std::size_t allowed) const {
  const std::size_t bound = options_.live_items_max;
  const std::size_t used = residents_.used(bound);
  MR_REQUIRE(used <= std::max(bound, before + allowed), "{} items fill a memory of {}, {} before", used, bound, before);
}

// A reset brings its item back whatever memory holds, and so does the end of a lease; one that failed may leave the
// order of its group, and the first of a group comes back before others of it that are in memory.
bool Auditor::exceeds_rightly(const shard::ItemWrite& write) const {
  const queue::ItemRecord& r = write.record;
  const bool reset = named_queue_ == r.lane->queue && named_.contains(r.id);
  const bool was_live = write.prior && write.prior->placement == queue::Placement::live;
  const bool aside = was_live && r.group && !takes_turns(r);
  const bool given_back = was_live && write.prior->status == queue::Status::processing;
  return r.placement == queue::Placement::live && (reset || aside || given_back || residents_.would_precede_others(r));
}

void Auditor::check_parking(const Added& added) {
  const std::size_t used_before = residents_.used(options_.live_items_max);
  std::size_t allowed = 0;  // to exceed the bound
  // In the order of the writes: one that is displaced is parked before the new one takes its place.
  for (const shard::ItemWrite& write : added.items) {
    const queue::ItemRecord& r = write.record;
    const shard::ItemRef ref{r.lane->queue, r.id};
    check_group_parking(write);
    check_place(write);
    check_member_fits(write);
    allowed += exceeds_rightly(write);
    residents_.note(r);
    if (r.placement == queue::Placement::parked) {
      parked_.insert(ref);
      ever_parked_ = true;
      continue;
    }
    parked_.erase(ref);
    if (write.prior || takes_turns(r)) continue;
    for (const queue::ItemRecord* other : parked_in_lane_of(r)) {
      MR_REQUIRE(r.due < other->due, "{}: in memory, although {} of its lane is parked", describe(r), describe(*other));
    }
  }
  check_bound(used_before, allowed);
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
