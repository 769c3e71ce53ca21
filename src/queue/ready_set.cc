#include "queue/ready_set.h"

#include <algorithm>

#include "base/assert.h"

namespace millrace::queue {

struct ReadySet::Head {
  ReadyEntry entry;
  LaneIndex lane;
  friend bool operator<(const Head& a, const Head& b) { return a.entry < b.entry; }
};

struct Tag {
  explicit Tag(std::pair<QueueKey, std::string> name) : key(std::move(name)) {}

  absl::btree_set<ReadySet::Head> heads;
  std::uint32_t lanes = 0;
  std::pair<QueueKey, std::string> key;
};

ReadySet::ReadySet() = default;
ReadySet::~ReadySet() = default;

std::shared_ptr<const LaneKey> ReadySet::shared_key(LaneKey key) const {
  const auto found = by_key_.find(key);
  return found != by_key_.end() ? lanes_[found->second]->key : std::make_shared<const LaneKey>(std::move(key));
}

LaneIndex ReadySet::join(const std::shared_ptr<const LaneKey>& key) {
  const auto found = by_key_.find(*key);
  const LaneIndex index = found != by_key_.end() ? found->second : place(key);
  ++lanes_[index]->items;
  return index;
}

LaneIndex ReadySet::place(std::shared_ptr<const LaneKey> key) {
  auto lane = std::make_unique<Lane>();
  lane->paused = is_paused(key->queue, key->bus);
  for (const std::string& tag : key->tags) lane->tags.push_back(intern_tag(key->queue, tag));
  lane->key = std::move(key);

  LaneIndex index = static_cast<LaneIndex>(lanes_.size());
  if (free_.empty()) {
    lanes_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  by_key_.emplace(*lane->key, index);
  lanes_[index] = std::move(lane);
  return index;
}

Tag* ReadySet::intern_tag(const QueueKey& queue, const std::string& tag) {
  auto& slot = tags_[TagKey(queue, tag)];
  if (!slot) slot = std::make_unique<Tag>(TagKey(queue, tag));
  ++slot->lanes;
  return slot.get();
}

void ReadySet::leave(LaneIndex index) {
  Lane& lane = *lanes_[index];
  MR_ASSERT(lane.items > 0, "an item leaves the lane it joined");
  if (--lane.items == 0) drop(index);
}

std::size_t ReadySet::ready_items(const LaneKey& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? 0 : lanes_[found->second]->ready.size();
}

void ReadySet::drop(LaneIndex index) {
  Lane& lane = *lanes_[index];
  MR_ASSERT(lane.ready.empty(), "an item leaves the ready set before its lane");
  for (Tag* tag : lane.tags) {
    if (--tag->lanes > 0) continue;
    const TagKey key = tag->key;  // erasing destroys the tag
    tags_.erase(key);
  }
  by_key_.erase(*lane.key);
  lanes_[index].reset();
  free_.push_back(index);
}

void ReadySet::withdraw_head(LaneIndex index) {
  const Lane& lane = *lanes_[index];
  if (lane.paused || lane.ready.empty()) return;
  for (Tag* tag : lane.tags) tag->heads.erase(Head{*lane.ready.begin(), index});
}

void ReadySet::publish_head(LaneIndex index) {
  const Lane& lane = *lanes_[index];
  if (lane.paused || lane.ready.empty()) return;
  for (Tag* tag : lane.tags) tag->heads.insert(Head{*lane.ready.begin(), index});
}

void ReadySet::add(LaneIndex index, const ReadyEntry& entry) {
  auto& ready = lanes_[index]->ready;
  if (!ready.empty() && *ready.begin() < entry) {  // the head stays; mostly the newest goes last
    ready.insert(ready.end(), entry);
    return;
  }
  withdraw_head(index);
  ready.insert(entry);
  publish_head(index);
}

void ReadySet::remove(LaneIndex index, const ReadyEntry& entry) {
  auto& ready = lanes_[index]->ready;
  const auto found = ready.find(entry);
  MR_ASSERT(found != ready.end(), "a ready item is in its lane");
  if (found != ready.begin()) {
    ready.erase(found);
    return;
  }
  withdraw_head(index);
  ready.erase(ready.begin());
  publish_head(index);
}

std::optional<ReadyEntry> ReadySet::best(const QueueKey& queue, std::span<const std::string> tags) const {
  std::optional<ReadyEntry> best;
  for (const std::string& tag : tags) {
    const auto found = tags_.find(TagKey(queue, tag));
    if (found == tags_.end() || found->second->heads.empty()) continue;
    const ReadyEntry& head = found->second->heads.begin()->entry;
    if (!best || head < *best) best = head;
  }
  return best;
}

std::vector<LaneIndex> ReadySet::set_paused(const QueueKey& queue, const std::string& bus, bool paused) {
  if (paused) {
    paused_.insert(RouteKey(queue, bus));
  } else {
    paused_.erase(RouteKey(queue, bus));
  }
  std::vector<LaneIndex> changed;
  for (LaneIndex i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i] || lanes_[i]->key->queue != queue || lanes_[i]->key->bus != bus) continue;
    if (lanes_[i]->paused == paused) continue;
    withdraw_head(i);
    lanes_[i]->paused = paused;
    publish_head(i);
    changed.push_back(i);
  }
  return changed;
}

bool ReadySet::is_paused(const QueueKey& queue, const std::string& bus) const {
  return !paused_.empty() && paused_.contains(RouteKey(queue, bus));
}

std::optional<LaneIndex> ReadySet::fattest() {
  constexpr unsigned kUsesBeforeLookingAgain = 1024;  // a look costs one pass over the lanes
  constexpr std::size_t kFew = 16;                    // a lane this short is not worth a look
  const std::size_t size = fattest_ && lanes_[*fattest_] ? lanes_[*fattest_]->movable() : 0;
  if (fattest_uses_left_ > 0 && 2 * size + kFew > fattest_size_) {
    --fattest_uses_left_;
    return size > 0 ? fattest_ : std::nullopt;
  }
  fattest_uses_left_ = kUsesBeforeLookingAgain;
  fattest_.reset();
  fattest_size_ = 0;
  for (LaneIndex i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i] || lanes_[i]->movable() <= fattest_size_) continue;
    fattest_ = i;
    fattest_size_ = lanes_[i]->movable();
  }
  return fattest_;
}

std::optional<LaneIndex> ReadySet::next_other(const LaneKey& than, std::size_t least) {
  constexpr std::size_t kLook = 256;
  const std::size_t look = std::min(kLook, lanes_.size());
  for (std::size_t looked = 0; looked < look; ++looked) {
    last_other_ = last_other_ + 1 < lanes_.size() ? last_other_ + 1 : 0;
    const auto& lane = lanes_[last_other_];
    if (lane && lane->movable() >= least && *lane->key != than) return last_other_;
  }
  return std::nullopt;
}

}  // namespace millrace::queue
