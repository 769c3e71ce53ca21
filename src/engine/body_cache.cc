#include "engine/body_cache.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace millrace::engine {
namespace {

// As large as most items are with their overhead: about as many places as bodies that the bytes allow.
constexpr std::size_t kBytesPerPlace = 1024;

std::size_t weight(const queue::Body& body) {
  constexpr std::size_t kOverhead = 300;  // place, strings' own heads, what the allocator adds
  return kOverhead + body.title.size() + (body.description ? body.description->size() : 0) + body.tags.size() +
         body.payload.size();
}

}  // namespace

BodyCache::BodyCache(std::size_t bytes_max) : part_bytes_max_(bytes_max / kParts) {
  const std::size_t places = std::bit_floor(std::max(part_bytes_max_ / kBytesPerPlace, std::size_t{1}));
  for (Part& part : parts_) part.places.resize(places);
}

// Neighbours of a queue lie side by side.
BodyCache::Place& BodyCache::place_of(Part& part, const queue::QueueKey& queue, ItemId id) {
  return part.places[(absl::HashOf(queue) + id.value / kParts) & (part.places.size() - 1)];
}

std::shared_ptr<const queue::Body> BodyCache::find(const queue::QueueKey& queue, ItemId id) {
  Part& part = part_of(id);
  const std::lock_guard lock(part.mutex);
  const Place& place = place_of(part, queue, id);
  return place.has(queue, id) ? place.body : nullptr;
}

void BodyCache::keep(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body) {
  const std::size_t bytes = weight(*body);
  if (bytes > part_bytes_max_) return;
  // Let go of after the lock.
  std::vector<std::shared_ptr<const queue::Body>> gone;
  Part& part = part_of(id);
  const std::lock_guard lock(part.mutex);
  Place& place = place_of(part, queue, id);
  if (place.has(queue, id)) return;
  place.queue = queue;
  place.id = id;
  place.body.swap(body);  // what was there goes with the parameter
  part.bytes += bytes - std::exchange(place.bytes, bytes);
  if (part.bytes > part_bytes_max_) make_room(part, place, gone);
}

// The hand goes on where it stopped, so it stays behind the oldest and passes few empty places.
void BodyCache::make_room(Part& part, const Place& kept, std::vector<std::shared_ptr<const queue::Body>>& gone) const {
  while (part.bytes > part_bytes_max_) {
    Place& place = part.places[part.hand++ & (part.places.size() - 1)];
    if (&place == &kept || place.body == nullptr) continue;
    gone.push_back(std::move(place.body));
    part.bytes -= std::exchange(place.bytes, 0);
  }
}

}  // namespace millrace::engine
