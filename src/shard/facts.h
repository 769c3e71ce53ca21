// What a command needs from the store before it can be decided, and the store's answer. The shard
// names the needs, whoever runs it reads them once everything applied so far is durable, and the
// shard notices if they changed in between.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "queue/item.h"
#include "shard/batch.h"

namespace millrace::shard {

struct ItemRef {
  queue::QueueKey queue;
  ItemId id;

  auto operator<=>(const ItemRef&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const ItemRef& r) {
    return H::combine(std::move(h), r.queue, r.id);
  }
};

struct Need {
  std::vector<ItemRef> items;
  std::vector<DedupKey> dedup;
  bool logs = true;  // of the items; without, a store may leave them out
  bool empty() const { return items.empty() && dedup.empty(); }
};

struct ItemHistory {
  queue::ItemRecord record;
  std::vector<queue::LogEntry> log;  // oldest first; the newest kHistoryMax
};
inline constexpr std::size_t kHistoryMax = 4096;

// In the order of the Need.
struct Facts {
  std::vector<std::optional<ItemHistory>> items;
  std::vector<std::optional<DedupRecord>> dedup;
};

}  // namespace millrace::shard
