// Bodies of items created or read lately, so that a claim soon after a create reads nothing. An item has one place,
// which the next one that falls on it takes: keeping a body asks for no memory and looks at none but that place's. Ids
// that rise go round the places of a queue, so the oldest go first, most of the time. Bounded by bytes too. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "queue/item.h"

namespace millrace::engine {

class BodyCache {
 public:
  explicit BodyCache(std::size_t bytes_max);
  // Null: it is not there.
  std::shared_ptr<const queue::Body> find(const queue::QueueKey& queue, ItemId id);
  // Does nothing for an item that is there, or a body that is larger than a part may be.
  void keep(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body);

 private:
  struct Place {
    queue::QueueKey queue{TenantId::default_tenant(), {}};
    ItemId id{};
    std::shared_ptr<const queue::Body> body;  // null: nothing is kept here
    std::size_t bytes = 0;

    bool has(const queue::QueueKey& other_queue, ItemId other_id) const {
      return body != nullptr && id == other_id && queue == other_queue;
    }
  };
  // Parts have locks of their own, so that threads seldom meet.
  struct alignas(64) Part {
    std::mutex mutex;
    std::vector<Place> places;  // a power of two of them
    std::size_t bytes = 0;
    std::size_t hand = 0;  // the place that is emptied next where bytes are too many
  };
  static constexpr std::size_t kParts = 8;

  Part& part_of(ItemId id) { return parts_[id.value % kParts]; }
  static Place& place_of(Part& part, const queue::QueueKey& queue, ItemId id);
  void make_room(Part& part, const Place& kept, std::vector<std::shared_ptr<const queue::Body>>& gone) const;

  std::size_t part_bytes_max_;
  std::array<Part, kParts> parts_;
};

}  // namespace millrace::engine
