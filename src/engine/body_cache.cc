#include "engine/body_cache.h"

#include <iterator>
#include <utility>

namespace millrace::engine {
namespace {

std::size_t weight(const queue::Body& body) {
  constexpr std::size_t kOverhead = 300;  // entry, list node, hash slot, strings' own heads
  return kOverhead + body.title.size() + (body.description ? body.description->size() : 0) + body.tags.size() +
         body.payload.size();
}

}  // namespace

std::shared_ptr<const queue::Body> BodyCache::find(const queue::QueueKey& queue, ItemId id) {
  Part& part = part_of(id);
  const std::lock_guard lock(part.mutex);
  const auto found = part.by_key.find(Key{queue, id});
  if (found == part.by_key.end()) return nullptr;
  part.by_use.splice(part.by_use.begin(), part.by_use, *found);
  return (*found)->body;
}

void BodyCache::keep(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body) {
  Part& part = part_of(id);
  const std::size_t bytes = weight(*body);
  const std::lock_guard lock(part.mutex);
  if (bytes > bytes_max_) return;
  bool is_new = false;
  part.by_key.lazy_emplace(Key{queue, id}, [&](const auto& make) {
    part.by_use.emplace_front(queue, id, std::move(body), bytes);
    make(part.by_use.begin());
    is_new = true;
  });
  if (!is_new) return;
  part.bytes += bytes;
  while (part.bytes > bytes_max_) {
    part.bytes -= part.by_use.back().bytes;
    part.by_key.erase(std::prev(part.by_use.end()));
    part.by_use.pop_back();
  }
}

}  // namespace millrace::engine
