// Which item a claim gets. Items that a claim can't tell apart share a lane (queue, bus, set of tags),
// ordered by priority, due time and id. Each tag knows the heads of the lanes that carry it, in the same
// order, so a claim by ANY of k tags looks at k heads: its cost does not depend on how many items
// wait or which other tags they carry.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "queue/item.h"
#include "queue/slots.h"

namespace millrace::queue {

struct ReadyEntry {
  std::int64_t due_ms;
  std::uint64_t id;
  std::int32_t rank;  // -priority
  SlotIndex slot;

  friend bool operator<(const ReadyEntry& a, const ReadyEntry& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.due_ms != b.due_ms) return a.due_ms < b.due_ms;
    return a.id < b.id;
  }
};

struct Tag;

struct Lane {
  std::shared_ptr<const LaneKey> key;
  absl::btree_set<ReadyEntry> ready;
  std::vector<Tag*> tags;     // empty only for items without tags
  std::uint32_t items = 0;    // live items of the lane, ready or not
  std::uint32_t staying = 0;  // of the ready ones, those that must stay in memory; whoever adds them counts them
  bool paused = false;

  // Ready items that can give way to others.
  std::size_t movable() const { return ready.size() - staying; }
};

class ReadySet {
 public:
  ReadySet();
  ~ReadySet();

  // The one shared copy of a key that a lane has, or a new one.
  std::shared_ptr<const LaneKey> shared_key(LaneKey key) const;
  // One more live item of this lane; the lane appears with its first.
  LaneIndex join(const std::shared_ptr<const LaneKey>& key);
  // One less; the lane disappears with its last.
  void leave(LaneIndex lane);
  // Items of the lane that are ready; 0 where no item of it is live.
  std::size_t ready_items(const LaneKey& key) const;
  // Lanes with live items.
  std::size_t size() const { return by_key_.size(); }

  bool has(LaneIndex index) const { return index < lanes_.size() && lanes_[index]; }
  Lane& lane(LaneIndex index) { return *lanes_[index]; }
  const Lane& lane(LaneIndex index) const { return *lanes_[index]; }

  void add(LaneIndex lane, const ReadyEntry& entry);
  void remove(LaneIndex lane, const ReadyEntry& entry);
  // The best entry of an unpaused lane of this queue that has any of the tags.
  std::optional<ReadyEntry> best(const QueueKey& queue, std::span<const std::string> tags) const;

  // The lanes that this changed.
  std::vector<LaneIndex> set_paused(const QueueKey& queue, const std::string& bus, bool paused);
  bool is_paused(const QueueKey& queue, const std::string& bus) const;

  // A lane that holds about the most ready items that can give way, where parking frees memory best. Where none has
  // many it may be any, or none.
  std::optional<LaneIndex> fattest();
  // Some other lane with `least` or more of them, each in its turn; looks at some lanes only.
  std::optional<LaneIndex> next_other(const LaneKey& than, std::size_t least);

 private:
  struct Head;
  friend struct Tag;
  using TagKey = std::pair<QueueKey, std::string>;
  using RouteKey = std::pair<QueueKey, std::string>;

  LaneIndex place(std::shared_ptr<const LaneKey> key);
  void drop(LaneIndex index);
  Tag* intern_tag(const QueueKey& queue, const std::string& tag);
  void publish_head(LaneIndex index);   // lane's first entry into its tags
  void withdraw_head(LaneIndex index);  // and out of them, before it changes

  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<LaneIndex> free_;
  absl::flat_hash_map<LaneKey, LaneIndex> by_key_;
  absl::flat_hash_map<TagKey, std::unique_ptr<Tag>> tags_;
  absl::btree_set<RouteKey> paused_;
  std::optional<LaneIndex> fattest_;
  std::size_t fattest_size_ = 0;    // when it was looked for
  unsigned fattest_uses_left_ = 0;  // before it is looked for again
  LaneIndex last_other_ = 0;
};

}  // namespace millrace::queue
