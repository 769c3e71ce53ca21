#include "queue/groups.h"

#include "base/assert.h"

namespace millrace::queue {

GroupIndex Groups::join(const QueueKey& queue, const GroupKey& key) {
  const auto [found, is_new] = by_name_.try_emplace(Name{queue, key.name, key.mode}, kNoGroup);
  if (is_new) {
    auto group = std::make_unique<Group>(Group{.key = std::make_shared<const GroupKey>(key), .queue = queue});
    if (free_.empty()) {
      found->second = static_cast<GroupIndex>(groups_.size());
      groups_.push_back(std::move(group));
    } else {
      found->second = free_.back();
      free_.pop_back();
      groups_[found->second] = std::move(group);
    }
  }
  ++groups_[found->second]->items;
  return found->second;
}

void Groups::leave(GroupIndex index) {
  Group& group = *groups_[index];
  MR_ASSERT(group.items > 0, "an item leaves the group it joined");
  if (--group.items > 0) return;
  MR_ASSERT(group.members.empty(), "a member leaves the order before its group");
  by_name_.erase(Name{group.queue, group.key->name, group.key->mode});
  groups_[index].reset();
  free_.push_back(index);
}

}  // namespace millrace::queue
