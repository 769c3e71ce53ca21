#include "engine/body_cache.h"

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
  const auto found = part.by_key.find(Key(queue, id));
  if (found == part.by_key.end()) return nullptr;
  part.by_use.splice(part.by_use.begin(), part.by_use, found->second);
  return found->second->body;
}

void BodyCache::keep(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body) {
  Part& part = part_of(id);
  const std::size_t bytes = weight(*body);
  const std::lock_guard lock(part.mutex);
  if (bytes > bytes_max_ || part.by_key.contains(Key(queue, id))) return;
  part.by_use.push_front({Key(queue, id), std::move(body), bytes});
  part.by_key.emplace(Key(queue, id), part.by_use.begin());
  part.bytes += bytes;
  while (part.bytes > bytes_max_) {
    part.bytes -= part.by_use.back().bytes;
    part.by_key.erase(part.by_use.back().key);
    part.by_use.pop_back();
  }
}

}  // namespace millrace::engine
