// Which items are in memory, as the writes of a shard tell it: the bound of docs/adr/0004, counted plainly. Leased ones
// outside the order of groups do not count.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "shard/facts.h"
#include "view.h"

namespace millrace::simulation {

// One that takes its turn in a group is parked by the rules of groups, not of lanes. One that failed under
// next_on_error goes on alone.
bool takes_turns(const queue::ItemRecord& record);

using GroupName = std::tuple<queue::QueueKey, std::string, queue::GroupMode>;
// REQUIRES: the record names a group.
GroupName group_of(const queue::ItemRecord& record);

class Residents {
 public:
  void clear() { *this = {}; }
  // As an item was written last.
  void note(const queue::ItemRecord& record);

  // Behind the first of their groups.
  std::size_t followers() const { return followers_; }
  // What of the bound is used: those behind the first of their groups have half of it.
  std::size_t used(std::size_t bound) const { return alone_ + std::min(followers_, bound / 2); }
  // Whether a member would be the first of its group in memory.
  bool would_be_first(const queue::ItemRecord& record) const;
  // Whether a member would come into memory before others of its group that are there.
  bool would_precede_others(const queue::ItemRecord& record) const;

 private:
  void forget(const shard::ItemRef& ref);

  std::map<shard::ItemRef, std::optional<GroupName>> items_;  // with the group in which they take their turn
  std::map<GroupName, std::set<ItemId>> members_;
  std::size_t alone_ = 0;
  std::size_t followers_ = 0;
};

}  // namespace millrace::simulation
