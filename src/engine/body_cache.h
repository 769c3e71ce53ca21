// Bodies of items created or read lately, so that a claim soon after a create reads nothing. Bounded
// by bytes; the least recently used go first. Any thread.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <array>
#include <list>
#include <memory>
#include <mutex>

#include "queue/item.h"

namespace millrace::engine {

class BodyCache {
 public:
  explicit BodyCache(std::size_t bytes_max) : bytes_max_(bytes_max / kParts) {}
  std::shared_ptr<const queue::Body> find(const queue::QueueKey& queue, ItemId id);
  void keep(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body);

 private:
  struct Entry {
    queue::QueueKey queue;
    ItemId id;
    std::shared_ptr<const queue::Body> body;
    std::size_t bytes;
  };
  using Place = std::list<Entry>::iterator;
  // What an entry is found by, without a copy of its names.
  struct Key {
    const queue::QueueKey& queue;
    ItemId id;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const { return absl::HashOf(key.queue, key.id); }
    std::size_t operator()(Place place) const { return absl::HashOf(place->queue, place->id); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(Place a, Place b) const { return a == b; }
    bool operator()(Place a, const Key& b) const { return a->id == b.id && a->queue == b.queue; }
    bool operator()(const Key& a, Place b) const { return (*this)(b, a); }
  };
  // Parts have locks of their own, so that threads seldom meet.
  struct Part {
    std::mutex mutex;
    std::list<Entry> by_use;  // latest first
    absl::flat_hash_set<Place, Hash, Equal> by_key;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kParts = 8;

  Part& part_of(ItemId id) { return parts_[id.value % kParts]; }

  std::size_t bytes_max_;
  std::array<Part, kParts> parts_;
};

}  // namespace millrace::engine
