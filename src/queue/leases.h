// Who holds which item until when, and when each worker was last heard of.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "queue/item.h"
#include "queue/slots.h"

namespace millrace::queue {

// A worker as its calls show it; nobody registers one.
struct Worker {
  std::shared_ptr<const std::string> name;
  Time last_seen{};
  Time last_written{};  // the last_seen that the store has
  std::uint32_t held = 0;
  std::uint32_t waits = 0;  // claims that wait for an item
};

class Workers {
 public:
  // Ordered, so that listings do not depend on hashing; nodes stay where they are.
  using Map = std::map<std::pair<QueueKey, std::string>, Worker>;

  Worker& seen(const QueueKey& queue, const std::string& name, Time now);
  // The same for a call that may be anybody's: nobody becomes a worker by asking for what is not his.
  void seen_if_known(const QueueKey& queue, const std::string& name, Time now);
  // Between the two a worker is there without calling. Its claim may wait for longer than a lease.
  void begin_wait(const QueueKey& queue, const std::string& name, Time now);
  void end_wait(const QueueKey& queue, const std::string& name, Time now);
  // As stored.
  void load(const QueueKey& queue, const std::string& name, Time last_seen);
  Worker* find(const QueueKey& queue, const std::string& name);
  // Those whose last sign of life moved on since the store got it, enough to be worth a write.
  std::vector<std::pair<QueueKey, Worker*>> take_unwritten();
  // Forgets those that hold nothing, do not wait and were not seen since, a bounded number a call, and returns them:
  // the store may have them too. Looks at all of them once a minute.
  std::vector<std::pair<QueueKey, std::string>> forget_before(Time limit);
  const Map& all() const { return workers_; }

 private:
  // What an entry is found by, without a copy of its names.
  struct Key {
    const QueueKey& queue;
    const std::string& name;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const { return absl::HashOf(key.queue, key.name); }
    std::size_t operator()(const Map::value_type* entry) const {
      return (*this)(Key{entry->first.first, entry->first.second});
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Map::value_type* a, const Map::value_type* b) const { return a == b; }
    bool operator()(const Map::value_type* a, const Key& b) const {
      return a->first.second == b.name && a->first.first == b.queue;
    }
    bool operator()(const Key& a, const Map::value_type* b) const { return (*this)(b, a); }
  };

  Map::value_type& entry_of(const QueueKey& queue, const std::string& name);
  void note(Map::value_type& entry, Time now);

  Map workers_;
  absl::flat_hash_set<Map::value_type*, Hash, Equal> by_key_;  // all of them: every call looks its worker up
  std::vector<Map::value_type*> unwritten_;
  Time last_forget_{};
};

struct HeldLease {
  Lease lease;
  bool started = false;  // STARTED was written for this attempt
  bool loaded = false;   // from the store, which does not say whether it was started: look at the log
};

class Leases {
 public:
  void add(SlotIndex slot, Lease lease);
  void remove(SlotIndex slot);
  // REQUIRES: the slot is leased.
  HeldLease& operator[](SlotIndex slot);
  const HeldLease& at(SlotIndex slot) const;
  void extend(SlotIndex slot, Time until);

  Time next_end() const { return by_end_.empty() ? kNever : by_end_.begin()->first; }
  // The lease that ends first, if it has ended at `now`.
  std::optional<SlotIndex> ended(Time now) const;
  std::size_t size() const { return by_slot_.size(); }
  // By end time; for listings.
  const absl::btree_set<std::pair<Time, SlotIndex>>& by_end() const { return by_end_; }

 private:
  absl::flat_hash_map<SlotIndex, HeldLease> by_slot_;
  absl::btree_set<std::pair<Time, SlotIndex>> by_end_;
};

}  // namespace millrace::queue
