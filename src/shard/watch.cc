#include "shard/watch.h"

#include "base/assert.h"

namespace millrace::shard {
namespace {

template <class Map, class Keys>
bool release(Map& map, const Keys& keys, std::uint64_t since) {
  bool unchanged = true;
  for (const auto& key : keys) {
    const auto found = map.find(key);
    MR_ASSERT(found != map.end(), "begin() counted each key as often as the need names it");
    if (found->second.last_change > since) unchanged = false;
    if (--found->second.readers == 0) map.erase(found);
  }
  return unchanged;
}

}  // namespace

void Watch::begin(RequestId request, const Need& need) {
  end(request);
  for (const ItemRef& item : need.items) ++items_[item].readers;
  for (const DedupKey& key : need.dedup) ++dedup_[key].readers;
  readings_.emplace(request, Reading{need, changes_});
}

std::optional<Need> Watch::end(RequestId request) {
  const auto found = readings_.find(request);
  if (found == readings_.end()) return std::nullopt;
  Reading reading = std::move(found->second);
  readings_.erase(found);
  const bool items_unchanged = release(items_, reading.need.items, reading.since);
  const bool dedup_unchanged = release(dedup_, reading.need.dedup, reading.since);
  if (!items_unchanged || !dedup_unchanged) return std::nullopt;
  return std::move(reading.need);
}

}  // namespace millrace::shard
