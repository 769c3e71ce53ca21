// Order within message groups (S3.15). A group lets one of its items out at a time: the lowest id that
// has not ended, unless a failed one blocks it. Items that failed once under next_on_error leave the
// order ("aside") and go on alone. A group remembers that it has parked members, which no later one passes.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <memory>
#include <utility>
#include <vector>

#include "queue/item.h"
#include "queue/slots.h"

namespace millrace::queue {

inline constexpr std::uint64_t kNoneParked = ~std::uint64_t{0};

struct Group {
  std::shared_ptr<const GroupKey> key;
  QueueKey queue;
  absl::btree_set<std::pair<std::uint64_t, SlotIndex>> members;  // in order; without those set aside
  SlotIndex out = kNoSlot;                                       // the member that is ready, on a timer or leased
  std::uint32_t items = 0;                                       // live items that name the group, aside ones too

  // Its parked members. Among them ItemRecord::parked_at rises with the ids: see docs/adr/0004.
  std::uint64_t parked_from = kNoneParked;  // none has a lower id; kNoneParked: there are none
  std::uint64_t parked_last = 0;            // the highest id
  Time parked_at{};                         // none was parked earlier
  std::uint32_t passed_in = 0;              // the latest pass over the store that left one of them there
  bool parked_since = false;                // one was parked since the store was last asked
  bool hungry = false;                      // listed as one that wants its parked members back
  std::uint64_t starving = 0;               // its number among those that starve; 0: it does not

  bool has_parked() const { return parked_from != kNoneParked; }
  // Nothing in memory may go before the parked ones came back.
  bool starves() const { return has_parked() && (members.empty() || members.begin()->first >= parked_from); }
};

constexpr bool is_ordered(GroupMode mode) { return mode != GroupMode::immediate; }

// Whether the item takes its turn in a group. One that failed under next_on_error does not: it was set aside.
inline bool keeps_order(const ItemRecord& record) {
  if (!record.group || !is_ordered(record.group->mode)) return false;
  return record.group->mode != GroupMode::next_on_error || record.retry_count == 0;
}

class Groups {
 public:
  // One more live item of this group; it appears with its first.
  GroupIndex join(const QueueKey& queue, const GroupKey& key);
  // One less; it disappears with its last, unless it has parked members.
  void leave(GroupIndex index);
  // kNoGroup where it has neither live items nor parked members.
  GroupIndex find(const QueueKey& queue, const GroupKey& key) const;
  // As a load found it: with parked members of these ids, the first of them parked at `since`.
  GroupIndex load_parked(const QueueKey& queue, const GroupKey& key, ItemId first, ItemId last, Time since);
  // It has a first parked member, or a first one again.
  void begin_parked(GroupIndex index, ItemId first, Time since);
  // It has no parked members any more; drop_unused() is to follow.
  void end_parked(GroupIndex index);
  // It disappears if it has neither live items nor parked members.
  void drop_unused(GroupIndex index);
  // How many have some.
  std::size_t parked() const { return parked_; }
  Group& operator[](GroupIndex index) { return *groups_[index]; }
  const Group& operator[](GroupIndex index) const { return *groups_[index]; }

 private:
  GroupIndex place(const QueueKey& queue, const GroupKey& key);
  void drop(GroupIndex index);

  struct Name {
    QueueKey queue;
    std::string name;
    GroupMode mode;
    bool operator==(const Name&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Name& n) {
      return H::combine(std::move(h), n.queue, n.name, n.mode);
    }
  };
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<GroupIndex> free_;
  std::size_t parked_ = 0;
  absl::flat_hash_map<Name, GroupIndex> by_name_;
};

}  // namespace millrace::queue
