#include "shard/live_items.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace millrace::shard {

using queue::GroupMode;
using queue::kNoGroup;
using queue::Where;

namespace {

queue::ReadyEntry ready_entry(const Slot& slot, SlotIndex index) {
  return {.due_ms = slot.due_ms, .id = slot.id, .rank = -slot.priority, .slot = index};
}

bool starts_aside(const queue::ItemRecord& record) {
  return record.group && queue::is_ordered(record.group->mode) && !queue::keeps_order(record);
}

}  // namespace

SlotIndex LiveItems::admit(const queue::ItemRecord& record, Time now) {
  const queue::LaneIndex lane = ready_.join(record.lane);
  if (lane >= tenant_of_lane_.size()) tenant_of_lane_.resize(lane + 1);
  tenant_of_lane_[lane] = tenant_number(record.lane->queue.tenant);

  const SlotIndex index = slots_.take();
  Slot& slot = slots_[index];
  slot.id = record.id.value;
  slot.due_ms = to_ms(record.due);
  slot.lane = lane;
  slot.priority = record.priority;
  slot.policy = policies_.join(record.retry);
  slot.attempt = record.attempt;
  slot.retry_count = static_cast<std::uint16_t>(record.retry_count);
  slot.max_retries = static_cast<std::uint16_t>(record.max_retries);
  slot.status = record.status;
  slot.retry_wait = record.retry_wait;
  slot.aside = starts_aside(record);
  const bool is_new = by_id_.insert(index).second;
  MR_ASSERT(is_new, "an item is in memory once");

  if (record.group) slot.group = groups_.join(record.lane->queue, *record.group);
  const bool leased = record.lease.token.value != 0;
  if (in_order(slot)) {
    join_order(index);
  } else if (!leased) {
    ++unordered_;
  }
  if (leased) {
    slot.where = Where::leased;
    leases_.add(index, record.lease);
    leases_[index].loaded = true;
    if (in_order(slot)) take_turn(index);
  } else {
    reschedule(index, now);
  }
  return index;
}

void LiveItems::retire(SlotIndex index, Time now) {
  Slot& slot = slots_[index];
  MR_ASSERT(slot.where != Where::leased, "a leased item stays in memory");
  take_out(index);
  by_id_.erase(index);
  if (in_order(slot)) {
    leave_order(index);
    release_next(slot.group, now);
  } else {
    --unordered_;
  }
  if (slot.group != kNoGroup) groups_.leave(slot.group);
  ready_.leave(slot.lane);
  policies_.leave(slot.policy);
  slots_.give_back(index);
}

SlotIndex LiveItems::find(const queue::QueueKey& queue, ItemId id) const {
  const auto tenant = tenants_.find(queue.tenant);
  if (tenant == tenants_.end()) return kNoSlot;
  const auto found = by_id_.find(IdKey{tenant->second, id.value});
  if (found == by_id_.end() || lane_key(*found).queue.name != queue.name) return kNoSlot;
  return *found;
}

GroupMode LiveItems::order_mode(SlotIndex slot) const {
  return in_order(slots_[slot]) ? groups_[slots_[slot].group].key->mode : GroupMode::immediate;
}

queue::ItemRecord LiveItems::record(SlotIndex index) const {
  const Slot& slot = slots_[index];
  queue::ItemRecord record;
  record.lane = ready_.lane(slot.lane).key;
  if (slot.group != kNoGroup) record.group = groups_[slot.group].key;
  record.id = ItemId{slot.id};
  record.retry = policies_[slot.policy];
  record.priority = slot.priority;
  record.max_retries = slot.max_retries;
  record.status = slot.status;
  record.retry_wait = slot.retry_wait;
  record.retry_count = slot.retry_count;
  record.attempt = slot.attempt;
  record.due = time_from_ms(slot.due_ms);
  if (slot.where == Where::leased) record.lease = leases_.at(index).lease;
  return record;
}

SlotIndex LiveItems::best(const queue::QueueKey& queue, std::span<const std::string> tags) const {
  const auto entry = ready_.best(queue, tags);
  return entry ? entry->slot : kNoSlot;
}

void LiveItems::lease(SlotIndex index, queue::Lease lease) {
  MR_ASSERT(slots_[index].where == Where::ready, "only a ready item is leased");
  take_out(index);
  slots_[index].where = Where::leased;
  leases_.add(index, std::move(lease));
  if (in_order(slots_[index])) {
    take_turn(index);
  } else {
    --unordered_;
  }
}

void LiveItems::end_lease(SlotIndex index) {
  Slot& slot = slots_[index];
  leases_.remove(index);
  slot.where = Where::nowhere;
  if (!in_order(slot)) {
    ++unordered_;
  } else if (groups_[slot.group].out == index) {
    groups_[slot.group].out = kNoSlot;
  }
}

void LiveItems::reschedule(SlotIndex index, Time now) {
  if (in_order(slots_[index])) {
    take_out(index);
    release_next(slots_[index].group, now);
    if (slots_[index].where == Where::nowhere && slots_[index].status == queue::Status::pending) {
      slots_[index].where = Where::grouped;
    }
    return;
  }
  take_out(index);
  put(index, now);
}

void LiveItems::set_due(SlotIndex index, Time due, Time now) {
  take_out(index);  // by the old due time
  slots_[index].due_ms = to_ms(due);
  reschedule(index, now);
}

void LiveItems::set_aside(SlotIndex index, Time now) {
  Slot& slot = slots_[index];
  MR_ASSERT(in_order(slot) && slot.where == Where::nowhere, "an item is set aside when its lease ends");
  leave_order(index);
  slot.aside = true;
  ++unordered_;
  release_next(slot.group, now);
}

void LiveItems::promote(Time now) {
  while (!timers_.empty() && timers_.begin()->first <= to_ms(now)) {
    const SlotIndex index = timers_.begin()->second;
    timers_.erase(timers_.begin());
    slots_[index].where = Where::nowhere;
    put(index, now);
  }
}

void LiveItems::set_paused(const queue::QueueKey& queue, const std::string& bus, bool paused) {
  for (const queue::LaneIndex lane : ready_.set_paused(queue, bus, paused)) touched_.push_back(lane);
}

std::vector<queue::LaneIndex> LiveItems::take_touched() { return std::exchange(touched_, {}); }

void LiveItems::join_order(SlotIndex index) {
  auto& members = groups_[slots_[index].group].members;
  if (!members.empty()) ++followers_;
  members.emplace(slots_[index].id, index);
  count_starving(slots_[index].group);
}

void LiveItems::leave_order(SlotIndex index) {
  auto& members = groups_[slots_[index].group].members;
  members.erase(std::pair(slots_[index].id, index));
  if (!members.empty()) --followers_;
  note_hunger(slots_[index].group);
}

void LiveItems::note_hunger(queue::GroupIndex index) {
  count_starving(index);
  queue::Group& group = groups_[index];
  if (group.hungry || !group.has_parked()) return;
  if (!group.starves() && group.members.size() > kGroupLow) return;
  group.hungry = true;
  hungry_.push_back(index);
}

void LiveItems::note_parked(queue::GroupIndex index, ItemId id, Time now) {
  queue::Group& group = groups_[index];
  MR_ASSERT(id.value > group.parked_last, "a member is parked behind those that are");
  if (!group.has_parked()) groups_.begin_parked(index, id, now);
  group.parked_last = id.value;
  group.parked_since = true;
}

void LiveItems::set_parked_from(queue::GroupIndex index, std::uint64_t id, Time since, Time now) {
  groups_[index].parked_from = id;
  groups_[index].parked_at = since;
  count_starving(index);
  release_next(index, now);
}

void LiveItems::clear_parked(queue::GroupIndex index, Time now) {
  groups_.end_parked(index);
  count_starving(index);
  release_next(index, now);
  groups_.drop_unused(index);
}

void LiveItems::count_starving(queue::GroupIndex index) {
  queue::Group& group = groups_[index];
  if (group.starves() == (group.starving != 0)) return;
  if (group.starving == 0) {
    group.starving = ++starved_;
    starving_[group.queue].insert(group.starving);
    return;
  }
  const auto found = starving_.find(group.queue);
  found->second.erase(std::exchange(group.starving, 0));
  if (found->second.empty()) starving_.erase(found);
}

bool LiveItems::starves(const queue::QueueKey& queue, std::uint64_t began) const {
  if (starving_.empty()) return false;
  const auto found = starving_.find(queue);
  return found != starving_.end() && *found->second.begin() <= began;
}

SlotIndex LiveItems::last_scheduled(std::int64_t due_ms) const {
  constexpr int kLook = 64;  // past those in the order of a group, which stay
  SlotIndex last = kNoSlot;
  auto next = timers_.rbegin();
  for (int i = 0; i < kLook && next != timers_.rend() && next->first > due_ms; ++i, ++next) {
    const Slot& slot = slots_[next->second];
    if (in_order(slot)) continue;
    // Of one moment the latest arrival, or those before it would be overtaken.
    if (last != kNoSlot && slots_[last].due_ms != slot.due_ms) break;
    if (last == kNoSlot || slot.id > slots_[last].id) last = next->second;
  }
  return last;
}

SlotIndex LiveItems::least_needed(const queue::LaneKey& lane, std::int64_t due_ms) {
  const SlotIndex scheduled = last_scheduled(due_ms);
  if (scheduled != kNoSlot) return scheduled;
  constexpr std::size_t kFarLonger = 16;  // keeps two lanes of like length, or one, from displacing each other
  const std::size_t far_longer = 2 * ready_.ready_items(lane) + kFarLonger;
  const auto fattest = ready_.fattest();
  if (!fattest || ready_.lane(*fattest).movable() < far_longer) return kNoSlot;
  return last_of_longer(lane, far_longer, far_longer);
}

SlotIndex LiveItems::least_needed(const queue::LaneKey& lane, std::int64_t due_ms, std::size_t share) {
  const SlotIndex scheduled = last_scheduled(due_ms);
  if (scheduled != kNoSlot) return scheduled;
  const std::size_t own = ready_.ready_items(lane);
  const std::size_t longer = 2 * own + 2;
  return last_of_longer(lane, longer, own < share ? 1 : longer);
}

// Of a lane with `longer` items that can give way, the fattest first, or else of one with `least`.
SlotIndex LiveItems::last_of_longer(const queue::LaneKey& lane, std::size_t longer, std::size_t least) {
  constexpr int kTries = 4;  // of lanes that may end with many in the order of groups
  const auto last_of = [this](std::optional<queue::LaneIndex> index) {
    return index ? last_unordered(*index) : kNoSlot;
  };
  auto fattest = ready_.fattest();
  if (fattest && ready_.lane(*fattest).movable() < longer) fattest.reset();
  SlotIndex last = last_of(fattest);
  if (last == kNoSlot) last = last_of(ready_.next_other(lane, longer));
  for (int tries = 0; last == kNoSlot && tries < kTries; ++tries) last = last_of(ready_.next_other(lane, least));
  return last;
}

SlotIndex LiveItems::last_unordered(queue::LaneIndex index) const {
  constexpr int kLook = 64;  // past those in the order of a group, which stay
  const auto& ready = ready_.lane(index).ready;
  auto next = ready.rbegin();
  for (int i = 0; i < kLook && next != ready.rend(); ++i, ++next) {
    if (!in_order(slots_[next->slot])) return next->slot;
  }
  return kNoSlot;
}

std::uint32_t LiveItems::tenant_number(const TenantId& tenant) {
  return tenants_.try_emplace(tenant, static_cast<std::uint32_t>(tenants_.size())).first->second;
}

bool LiveItems::in_order(const Slot& slot) const {
  return slot.group != kNoGroup && !slot.aside && queue::is_ordered(groups_[slot.group].key->mode);
}

// ready or timer, by due time.
void LiveItems::put(SlotIndex index, Time now) {
  Slot& slot = slots_[index];
  MR_ASSERT(slot.where == Where::nowhere, "an item is in one place");
  if (slot.status != queue::Status::pending) return;
  if (slot.due_ms > to_ms(now)) {
    slot.where = Where::timer;
    timers_.emplace(slot.due_ms, index);
    return;
  }
  slot.where = Where::ready;
  ready_.add(slot.lane, ready_entry(slot, index));
  if (in_order(slot)) ++ready_.lane(slot.lane).staying;
  if (touched_.empty() || touched_.back() != slot.lane) touched_.push_back(slot.lane);
}

void LiveItems::take_out(SlotIndex index) {
  Slot& slot = slots_[index];
  if (slot.where == Where::ready) {
    ready_.remove(slot.lane, ready_entry(slot, index));
    if (in_order(slot)) --ready_.lane(slot.lane).staying;
  }
  if (slot.where == Where::timer) timers_.erase(std::pair(slot.due_ms, index));
  if (slot.where != Where::leased) slot.where = Where::nowhere;
  if (in_order(slot) && groups_[slot.group].out == index && slot.where == Where::nowhere) {
    groups_[slot.group].out = kNoSlot;
  }
}

// A leased member is the one that its group has out. Where it was loaded, one before it, reset while it was held, may
// have been let out a moment ago: that one waits until it is back.
void LiveItems::take_turn(SlotIndex index) {
  queue::Group& group = groups_[slots_[index].group];
  const SlotIndex other = std::exchange(group.out, index);
  if (other == kNoSlot || slots_[other].where == Where::leased) return;
  take_out(other);
  slots_[other].where = Where::grouped;
}

// Lets the group's first item out, and nothing else; a failed one at the front blocks, and so do parked ones
// before it.
void LiveItems::release_next(queue::GroupIndex index, Time now) {
  queue::Group& group = groups_[index];
  if (group.out != kNoSlot && slots_[group.out].where == Where::leased) return;
  const bool none = group.members.empty() || group.starves();
  const SlotIndex first = none ? kNoSlot : group.members.begin()->second;
  if (group.out == first && first != kNoSlot && slots_[first].where != Where::nowhere) return;
  if (group.out != kNoSlot && group.out != first) {
    const SlotIndex overtaken = group.out;
    take_out(overtaken);
    slots_[overtaken].where = Where::grouped;
  }
  group.out = kNoSlot;
  if (first == kNoSlot || slots_[first].status != queue::Status::pending) return;
  take_out(first);
  group.out = first;
  put(first, now);
}

}  // namespace millrace::shard
