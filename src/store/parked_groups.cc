#include "store/parked_groups.h"

#include <algorithm>

#include "queue/groups.h"

namespace millrace::store {

void ParkedGroups::add(const queue::ItemRecord& record) {
  if (!queue::keeps_order(record)) return;
  const queue::QueueKey& queue = record.lane->queue;
  const auto [found, is_new] =
      by_name_.try_emplace(Name{queue, {record.group->name, record.group->mode}}, groups_.size());
  if (is_new) {
    groups_.push_back({queue, *record.group, record.id, record.id, record.parked_at});
    return;
  }
  shard::ParkedGroup& group = groups_[found->second];
  group.first = std::min(group.first, record.id);
  group.last = std::max(group.last, record.id);
  group.parked_at = std::min(group.parked_at, record.parked_at);
}

}  // namespace millrace::store
