// The items in memory, each in the one place where it belongs: ready, on a timer, behind its group, or
// leased. Knows nothing of commands, batches or answers.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time.h"
#include "queue/groups.h"
#include "queue/item.h"
#include "queue/leases.h"
#include "queue/policies.h"
#include "queue/ready_set.h"
#include "queue/slots.h"

namespace millrace::shard {

using queue::kNoSlot;
using queue::Slot;
using queue::SlotIndex;

// A group wants its parked members back when it has this few others left: enough to go on while they are read.
inline constexpr std::size_t kGroupLow = 16;

class LiveItems {
 public:
  LiveItems() = default;
  LiveItems(const LiveItems&) = delete;
  LiveItems& operator=(const LiveItems&) = delete;

  // Makes room for so many items at once, which is quicker than growing to it.
  void expect(std::size_t count) { by_id_.reserve(count); }
  // Takes a live item into memory and puts it where it belongs.
  SlotIndex admit(const queue::ItemRecord& record, Time now);
  // The item leaves memory. REQUIRES: not leased.
  void retire(SlotIndex slot, Time now);

  SlotIndex find(const queue::QueueKey& queue, ItemId id) const;
  Slot& operator[](SlotIndex slot) { return slots_[slot]; }
  const Slot& operator[](SlotIndex slot) const { return slots_[slot]; }
  const queue::LaneKey& lane_key(SlotIndex slot) const { return *ready_.lane(slots_[slot].lane).key; }
  // How the item's group orders it; immediate where it has none, or left the order.
  queue::GroupMode order_mode(SlotIndex slot) const;
  // All that the store keeps of the item, but for `updated`.
  queue::ItemRecord record(SlotIndex slot) const;

  // The best ready item with any of the tags; kNoSlot if there is none.
  SlotIndex best(const queue::QueueKey& queue, std::span<const std::string> tags) const;
  // ready -> leased
  void lease(SlotIndex slot, queue::Lease lease);
  // leased -> nowhere; the caller then settles what becomes of it.
  void end_lease(SlotIndex slot);
  // Puts an item that is nowhere, or whose due time or group order changed, where it belongs now.
  void reschedule(SlotIndex slot, Time now);
  // Changes the due time of a waiting item.
  void set_due(SlotIndex slot, Time due, Time now);
  // A failed item leaves its group's order (next_on_error), so that the next can go.
  void set_aside(SlotIndex slot, Time now);

  // Makes ready what is due; next_due() is when there is more to do.
  void promote(Time now);
  Time next_due() const { return timers_.empty() ? kNever : time_from_ms(timers_.begin()->first); }

  // Resumed lanes count as touched.
  void set_paused(const queue::QueueKey& queue, const std::string& bus, bool paused);
  Time next_lease_end() const { return leases_.next_end(); }

  // Lanes in which items became ready since the last call; their waiters may be served.
  std::vector<queue::LaneIndex> take_touched();

  // A waiting item outside the order of groups whose place in memory is worth less than that of a new item of `lane`
  // due at `due_ms`: due later, or at the end of a far longer lane. kNoSlot if there is none.
  SlotIndex least_needed(const queue::LaneKey& lane, std::int64_t due_ms);
  // The same for one that somebody asks for: due later, or at the end of a lane more than twice as long, or else of any
  // other while its own has fewer than `share` ready.
  SlotIndex least_needed(const queue::LaneKey& lane, std::int64_t due_ms, std::size_t share);
  // The item outside the order of groups that waits longest for its time, if that is after `due_ms`.
  SlotIndex last_scheduled(std::int64_t due_ms) const;

  std::size_t size() const { return slots_.used(); }
  // Those outside the order of groups that nobody holds.
  std::size_t unordered() const { return unordered_; }
  // Members of ordered groups beyond the first of each.
  std::size_t followers() const { return followers_; }

  // A new member of the group is parked, behind all others.
  void note_parked(queue::GroupIndex group, ItemId id, Time now);
  // The group's parked members are now those from `id` on, parked no earlier than `since`.
  void set_parked_from(queue::GroupIndex group, std::uint64_t id, Time since, Time now);
  // It has none any more.
  void clear_parked(queue::GroupIndex group, Time now);
  // Groups with parked members that had few others left when one went; the longest waiting first.
  std::deque<queue::GroupIndex>& hungry() { return hungry_; }
  void note_hunger(queue::GroupIndex group);
  // Groups whose next member is parked: nothing of them is in memory that could go. How many began to starve so far;
  // and whether one of the first `began` of the queue still does.
  std::uint64_t starved() const { return starved_; }
  bool starves(const queue::QueueKey& queue, std::uint64_t began) const;
  queue::ReadySet& ready() { return ready_; }
  queue::Leases& leases() { return leases_; }
  const queue::Leases& leases() const { return leases_; }
  queue::Groups& groups() { return groups_; }

 private:
  struct IdKey {
    std::uint32_t tenant;
    std::uint64_t id;
  };
  struct IdHash {
    using is_transparent = void;
    const LiveItems* items;
    std::size_t operator()(const IdKey& key) const { return absl::HashOf(key.tenant, key.id); }
    std::size_t operator()(SlotIndex slot) const { return (*this)(items->id_key(slot)); }
  };
  struct IdEqual {
    using is_transparent = void;
    const LiveItems* items;
    bool operator()(SlotIndex a, SlotIndex b) const { return a == b; }
    bool operator()(SlotIndex a, const IdKey& b) const { return equal(items->id_key(a), b); }
    bool operator()(const IdKey& a, SlotIndex b) const { return equal(a, items->id_key(b)); }
    static bool equal(const IdKey& a, const IdKey& b) { return a.id == b.id && a.tenant == b.tenant; }
  };

  IdKey id_key(SlotIndex slot) const { return {tenant_of_lane_[slots_[slot].lane], slots_[slot].id}; }
  std::uint32_t tenant_number(const TenantId& tenant);
  bool in_order(const Slot& slot) const;
  void join_order(SlotIndex slot);
  void leave_order(SlotIndex slot);
  void put(SlotIndex slot, Time now);
  void take_out(SlotIndex slot);
  void release_next(queue::GroupIndex group, Time now);
  void count_starving(queue::GroupIndex group);
  void take_turn(SlotIndex slot);
  SlotIndex last_unordered(queue::LaneIndex index) const;
  SlotIndex last_of_longer(const queue::LaneKey& lane, std::size_t longer, std::size_t least);

  std::size_t unordered_ = 0;
  std::size_t followers_ = 0;
  std::deque<queue::GroupIndex> hungry_;
  std::uint64_t starved_ = 0;
  absl::flat_hash_map<queue::QueueKey, absl::btree_set<std::uint64_t>> starving_;  // by the number of each
  queue::Slots slots_;
  queue::ReadySet ready_;
  queue::Groups groups_;
  queue::Leases leases_;
  absl::btree_set<std::pair<std::int64_t, SlotIndex>> timers_;
  absl::flat_hash_set<SlotIndex, IdHash, IdEqual> by_id_{0, IdHash{this}, IdEqual{this}};
  absl::flat_hash_map<TenantId, std::uint32_t> tenants_;
  std::vector<std::uint32_t> tenant_of_lane_;  // by lane index, so that hashing an id stays cheap
  queue::Policies policies_;
  std::vector<queue::LaneIndex> touched_;
};

}  // namespace millrace::shard
