// Bodies of items created or read lately, so that a claim soon after a create reads nothing. Bounded
// by bytes; the least recently used go first. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "queue/item.h"

namespace millrace::engine {

class BodyCache {
 public:
  explicit BodyCache(std::size_t bytes_max) : bytes_max_(bytes_max / kParts) {}
  std::shared_ptr<const queue::Body> find(const queue::QueueKey& queue, ItemId id);
  void keep(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body);

 private:
  using Key = std::pair<queue::QueueKey, ItemId>;
  struct Entry {
    Key key;
    std::shared_ptr<const queue::Body> body;
    std::size_t bytes;
  };
  // Parts have locks of their own, so that threads seldom meet.
  struct Part {
    std::mutex mutex;
    std::list<Entry> by_use;  // latest first
    absl::flat_hash_map<Key, std::list<Entry>::iterator> by_key;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kParts = 8;

  Part& part_of(ItemId id) { return parts_[id.value % kParts]; }

  std::size_t bytes_max_;
  std::array<Part, kParts> parts_;
};

}  // namespace millrace::engine
