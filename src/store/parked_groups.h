// Gathers, from a store's parked items, which ordered groups they belong to: ShardState::parked_groups.
// One thread; lives for the length of a load.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <utility>
#include <vector>

#include "queue/item.h"
#include "shard/batch.h"

namespace millrace::store {

class ParkedGroups {
 public:
  // In any order; items that keep no order in a group are passed over.
  void add(const queue::ItemRecord& record);
  // In the order in which they were first seen.
  std::vector<shard::ParkedGroup> take() { return std::move(groups_); }

 private:
  using Name = std::pair<queue::QueueKey, std::pair<std::string, queue::GroupMode>>;
  std::vector<shard::ParkedGroup> groups_;
  absl::flat_hash_map<Name, std::size_t> by_name_;
};

}  // namespace millrace::store
