// Parking of ordered groups. At least one member of a group is in memory; of the others some, and the rest is
// parked, whenever it is due. Once one is, so are all later ones, under the time at which they were created: a walk
// over the parked items meets a group's members in their order. See docs/adr/0004.
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "shard/impl.h"

namespace millrace::shard {

using queue::Group;
using queue::GroupIndex;

namespace {

// Members of one group in memory, beyond which they are parked: it lets out one at a time, so more gain nothing.
constexpr std::size_t kGroupWindow = 64;
constexpr std::size_t kPageFirst = 256;  // rows; a walk that does not find what it wants takes longer strides
constexpr std::size_t kPageMax = 10'000;

}  // namespace

bool Shard::Impl::must_park_member(const queue::ItemRecord& record) {
  const GroupIndex index = items.groups().find(record.lane->queue, *record.group);
  if (index == queue::kNoGroup) return false;
  const Group& group = items.groups()[index];
  const bool fits = group.members.empty() || (group.members.size() < kGroupWindow && follower_room() > 0);
  if (!group.has_parked() && fits) return false;
  items.note_parked(index, record.id, now);
  return true;
}

// What of the bound is used. The first member of each group stays whatever comes. The others have half of the bound,
// so that groups that stand still leave room for everything else; more of them (of a load, by resets) take none of it.
std::size_t Shard::Impl::counted() const { return items.unordered() + std::min(items.followers(), followers_max()); }

std::size_t Shard::Impl::follower_room() const {
  const std::size_t used = std::min(options.live_items_max, counted());
  return std::min(followers_max() - std::min(followers_max(), items.followers()), options.live_items_max - used);
}

bool Shard::Impl::wants_members(const Group& group) const {
  if (!group.has_parked()) return false;
  return group.starves() || (group.members.size() <= kGroupLow && follower_room() > 0);
}

bool Shard::Impl::wish_members(Effects& effects) {
  auto& hungry = items.hungry();
  while (!hungry.empty() && !wants_members(items.groups()[hungry.front()])) {
    items.groups()[hungry.front()].hungry = false;
    hungry.pop_front();
  }
  if (hungry.empty()) {
    pass.active = false;
    return false;
  }
  if (!pass.active) {
    Time from = kNever;
    for (const GroupIndex index : hungry) from = std::min(from, items.groups()[index].parked_at);
    pass = {.active = true,
            .number = pass.number + 1,
            .from = from,
            .next = from,
            .asked = now,
            .rows = std::clamp<std::size_t>(options.live_items_max, 1, kPageFirst)};
  }
  for (const GroupIndex index : hungry) items.groups()[index].parked_since = false;
  pass.asked = now;
  effects.refill = RefillWish{pass.next, pass.rows};
  return true;
}

void Shard::Impl::take_members(Refill& command, Effects& effects) {
  refill_from = std::min(refill_from, parked_from);  // what was parked meanwhile
  const Time next = command.rows.empty() ? pass.next : command.rows.back().parked_at;
  for (queue::ItemRecord& row : command.rows) {
    if (queue::keeps_order(row)) take_member(std::move(row), effects);
  }
  // A page within one moment would be read again and again, so it grows past kPageMax: to twice the rows that are filed
  // under one millisecond at most.
  pass.rows = next == pass.next ? 2 * pass.rows : std::min(2 * pass.rows, kPageMax);
  pass.next = next;
  // Beyond the moment it was asked for a page holds no member, but for some that were parked since. To go on from
  // there would miss others of them.
  end_page(command.complete || next > pass.asked);
}

// The first of its group that the walk meets is the group's next, if the walk began early enough to meet them all.
void Shard::Impl::take_member(queue::ItemRecord row, Effects& effects) {
  const bool changed = watch_parked.contains({row.lane->queue, row.id});
  const GroupIndex index = items.groups().find(row.lane->queue, *row.group);
  if (index == queue::kNoGroup) {
    MR_ASSERT(changed, "a group knows that it has parked members");
    return;
  }
  Group& group = items.groups()[index];
  if (pass.from > group.parked_at || group.passed_in == pass.number) return;
  const bool first = group.members.empty() || group.members.begin()->first > row.id.value;
  const bool fits = first || (group.members.size() < kGroupWindow && follower_room() > 0);
  if (changed || !fits) {
    group.passed_in = pass.number;
    items.set_parked_from(index, row.id.value, row.parked_at, now);
    return;
  }
  const bool last = row.id.value == group.parked_last;
  items.set_parked_from(index, row.id.value + 1, row.parked_at, now);
  bring_back(std::move(row), effects);
  if (last) items.clear_parked(index, now);
}

// Who is still hungry, and whether going on with this walk helps.
void Shard::Impl::end_page(bool complete) {
  bool helps = false;
  auto hungry = std::exchange(items.hungry(), {});
  for (const GroupIndex index : hungry) {
    Group& group = items.groups()[index];
    const bool met_all = pass.from <= group.parked_at && group.passed_in != pass.number;
    group.hungry = false;
    if (complete && met_all && group.has_parked() && !group.parked_since) {
      items.clear_parked(index, now);  // the last ones were cancelled
    } else if (wants_members(group)) {
      group.hungry = true;
      items.hungry().push_back(index);
      helps = helps || met_all;
    }
  }
  pass.active = helps && !complete;
}

}  // namespace millrace::shard
