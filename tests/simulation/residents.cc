#include "residents.h"

namespace millrace::simulation {

bool takes_turns(const queue::ItemRecord& r) {
  if (!r.group || r.group->mode == queue::GroupMode::immediate) return false;
  return r.group->mode == queue::GroupMode::block_on_error || r.retry_count == 0;
}

GroupName group_of(const queue::ItemRecord& r) { return {r.lane->queue, r.group->name, r.group->mode}; }

void Residents::note(const queue::ItemRecord& record) {
  const shard::ItemRef ref{record.lane->queue, record.id};
  forget(ref);
  if (record.placement != queue::Placement::live) return;
  if (!takes_turns(record)) {
    if (record.status == queue::Status::processing) return;
    items_.emplace(ref, std::nullopt);
    ++alone_;
    return;
  }
  std::set<ItemId>& members = members_[group_of(record)];
  items_.emplace(ref, group_of(record));
  followers_ += !members.empty();
  members.insert(record.id);
}

void Residents::forget(const shard::ItemRef& ref) {
  const auto found = items_.find(ref);
  if (found == items_.end()) return;
  if (found->second) {
    std::set<ItemId>& members = members_[*found->second];
    members.erase(ref.id);
    followers_ -= !members.empty();
  } else {
    --alone_;
  }
  items_.erase(found);
}

bool Residents::would_be_first(const queue::ItemRecord& record) const {
  if (!takes_turns(record)) return false;
  const auto found = members_.find(group_of(record));
  return found == members_.end() || found->second.empty() || record.id <= *found->second.begin();
}

bool Residents::would_precede_others(const queue::ItemRecord& record) const {
  if (!takes_turns(record)) return false;
  const auto found = members_.find(group_of(record));
  return found != members_.end() && !found->second.empty() && record.id < *found->second.begin();
}

}  // namespace millrace::simulation
