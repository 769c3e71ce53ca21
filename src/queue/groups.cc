#include "queue/groups.h"

#include "base/assert.h"

namespace millrace::queue {

GroupIndex Groups::place(const QueueKey& queue, const GroupKey& key) {
  const auto [found, is_new] = by_name_.try_emplace(Name{queue, key.name, key.mode}, kNoGroup);
  if (!is_new) return found->second;
  auto group = std::make_unique<Group>(Group{.key = std::make_shared<const GroupKey>(key), .queue = queue});
  if (free_.empty()) {
    found->second = static_cast<GroupIndex>(groups_.size());
    groups_.push_back(std::move(group));
  } else {
    found->second = free_.back();
    free_.pop_back();
    groups_[found->second] = std::move(group);
  }
  return found->second;
}

GroupIndex Groups::join(const QueueKey& queue, const GroupKey& key) {
  const GroupIndex index = place(queue, key);
  ++groups_[index]->items;
  return index;
}

void Groups::leave(GroupIndex index) {
  Group& group = *groups_[index];
  MR_ASSERT(group.items > 0, "an item leaves the group it joined");
  --group.items;
  drop_unused(index);
}

GroupIndex Groups::find(const QueueKey& queue, const GroupKey& key) const {
  const auto found = by_name_.find(Name{queue, key.name, key.mode});
  return found == by_name_.end() ? kNoGroup : found->second;
}

GroupIndex Groups::load_parked(const QueueKey& queue, const GroupKey& key, ItemId first, ItemId last, Time since) {
  const GroupIndex index = place(queue, key);
  begin_parked(index, first, since);
  groups_[index]->parked_last = last.value;
  return index;
}

void Groups::begin_parked(GroupIndex index, ItemId first, Time since) {
  Group& group = *groups_[index];
  if (!group.has_parked()) ++parked_;
  group.parked_from = first.value;
  group.parked_at = since;
}

void Groups::end_parked(GroupIndex index) {
  Group& group = *groups_[index];
  if (group.has_parked()) --parked_;
  group.parked_from = kNoneParked;
  group.parked_last = 0;
}

void Groups::drop_unused(GroupIndex index) {
  const Group& group = *groups_[index];
  if (group.items == 0 && !group.has_parked()) drop(index);
}

void Groups::drop(GroupIndex index) {
  const Group& group = *groups_[index];
  MR_ASSERT(group.members.empty(), "a member leaves the order before its group");
  MR_ASSERT(!group.hungry, "a group leaves the list of the hungry before it goes");
  by_name_.erase(Name{group.queue, group.key->name, group.key->mode});
  groups_[index].reset();
  free_.push_back(index);
}

}  // namespace millrace::queue
