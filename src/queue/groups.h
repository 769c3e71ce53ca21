// Order within message groups (S3.15). A group lets one of its items out at a time: the lowest id that
// has not ended, unless a failed one blocks it. Items that failed once under next_on_error leave the
// order ("aside") and go on alone.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <memory>
#include <utility>
#include <vector>

#include "queue/item.h"
#include "queue/slots.h"

namespace millrace::queue {

struct Group {
  std::shared_ptr<const GroupKey> key;
  QueueKey queue;
  absl::btree_set<std::pair<std::uint64_t, SlotIndex>> members;  // in order; without those set aside
  SlotIndex out = kNoSlot;                                       // the member that is ready, on a timer or leased
  std::uint32_t items = 0;                                       // live items that name the group, aside ones too
};

constexpr bool is_ordered(GroupMode mode) { return mode != GroupMode::immediate; }

class Groups {
 public:
  // One more live item of this group; it appears with its first.
  GroupIndex join(const QueueKey& queue, const GroupKey& key);
  // One less; it disappears with its last.
  void leave(GroupIndex index);
  Group& operator[](GroupIndex index) { return *groups_[index]; }
  const Group& operator[](GroupIndex index) const { return *groups_[index]; }

 private:
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
  absl::flat_hash_map<Name, GroupIndex> by_name_;
};

}  // namespace millrace::queue
