#include "queue/hunger.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <utility>

namespace millrace::queue {
namespace {

std::uint64_t hash_of(const QueueKey& queue, const std::string& tag) { return absl::HashOf(queue, tag); }

}  // namespace

void Hunger::note(const QueueKey& queue, std::span<const std::string> tags) {
  for (const std::string& tag : tags) {
    const std::uint64_t hash = hash_of(queue, tag);
    if (!barren_.contains(hash) && tags_.size() < kTagsMax) tags_.insert(hash);
  }
}

bool Hunger::may_find(const QueueKey& queue, std::span<const std::string> tags) const {
  return !std::ranges::all_of(tags, [&](const std::string& tag) { return barren_.contains(hash_of(queue, tag)); });
}

void Hunger::parked(const LaneKey& lane, Time due, Time now, bool waited_for) {
  if (walking_) park_behind(lane, due, now);
  if (due > now) return parked_until(due);
  for (const std::string& tag : lane.tags) {
    const std::uint64_t hash = hash_of(lane.queue, tag);
    barren_.erase(hash);
    if (walked_.contains(hash)) next_ = std::min(next_, due);
  }
  if (waited_for) note(lane.queue, lane.tags);
}

// The walk may have been where the item belongs.
void Hunger::park_behind(const LaneKey& lane, Time due, Time now) {
  if (is_asked(lane)) {
    left_.note(lane, due);
    keep(lane, due, Stays::behind);
  } else if (due <= now) {  // later ones: come_due()
    pass_over(lane);
  }
}

void Hunger::leave(const LaneKey& lane, Time due) {
  left_.note(lane, due);
  keep(lane, due, Stays::no_room);
}

bool Hunger::has_left_all() const {
  return std::ranges::all_of(asked_, [](const auto& tag) { return tag.second.stays == Stays::no_room; });
}

void Hunger::come_due() {
  barren_.clear();
  const Time due = std::exchange(due_, kNever);
  next_ = std::min(next_, due);
  left_from_ = std::min(left_from_, due);
}

void Hunger::restart() {
  barren_.clear();
  next_ = {};
  walking_ = false;
}

Time Hunger::begin_page() {
  if (walking_) return position_;
  const auto is_walked = [this](std::uint64_t tag) { return walked_.contains(tag); };
  if (!std::ranges::all_of(tags_, is_walked)) {
    if (walked_.size() + tags_.size() > kTagsMax) walked_.clear();
    walked_.insert(tags_.begin(), tags_.end());
    next_ = {};
  }
  walking_ = true;
  position_ = next_;
  asked_.clear();
  for (const std::uint64_t tag : tags_) asked_.try_emplace(tag);
  left_.clear();
  left_from_ = kNever;
  return position_;
}

bool Hunger::wants(const LaneKey& lane, Time due) {
  if (!walking_) return false;
  if (!is_asked(lane)) {
    pass_over(lane);
    return false;
  }
  if (due < left_.from(lane)) return true;
  keep(lane, due, Stays::behind);
  return false;
}

bool Hunger::is_asked(const LaneKey& lane) const {
  return std::ranges::any_of(lane.tags,
                             [&](const std::string& tag) { return asked_.contains(hash_of(lane.queue, tag)); });
}

// It stays parked, and the walk may go on past it.
void Hunger::pass_over(const LaneKey& lane) {
  for (const std::string& tag : lane.tags) walked_.erase(hash_of(lane.queue, tag));
}

void Hunger::keep(const LaneKey& lane, Time due, Stays why) {
  left_from_ = std::min(left_from_, due);
  for (const std::string& tag : lane.tags) {
    const auto found = asked_.find(hash_of(lane.queue, tag));
    if (found == asked_.end()) continue;
    found->second.stays = std::max(found->second.stays, why);
    found->second.from = std::min(found->second.from, due);
  }
}

void Hunger::end_page(Time next, Page page, Time now) {
  if (!walking_) return;
  position_ = next;
  if (page == Page::goes_on) return;
  walking_ = false;
  next_ = std::min(next, left_from_);
  if (page == Page::complete) {
    if (barren_.size() + asked_.size() > kTagsMax) barren_.clear();
    for (const auto& [tag, left] : asked_) {
      if (left.from <= now) continue;
      barren_.insert(tag);
      parked_until(left.from);
    }
  }
  absl::erase_if(tags_, [this](std::uint64_t tag) { return asked_.contains(tag); });
}

}  // namespace millrace::queue
