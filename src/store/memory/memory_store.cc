#include "store/memory/memory_store.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <tuple>

#include "base/assert.h"
#include "store/memory/memory_apply.h"
#include "store/parked_groups.h"

namespace millrace::store {
namespace {

const MemoryShard& find_shard(const MemoryDisk& disk, ShardId shard) {
  static const MemoryShard none;
  const auto found = disk.shards.find(shard);
  return found == disk.shards.end() ? none : found->second;
}

const MemoryShard::Queue& find_queue(const MemoryShard& shard, const queue::QueueKey& queue) {
  static const MemoryShard::Queue none;
  const auto found = shard.queues.find(queue);
  return found == shard.queues.end() ? none : found->second;
}

std::vector<queue::LogEntry> newest_entries(const MemoryShard& shard, const shard::ItemRef& item, std::size_t limit) {
  const auto found = shard.logs.find(item);
  if (found == shard.logs.end()) return {};
  const auto& entries = found->second;
  std::vector<queue::LogEntry> out;
  const auto skipped = entries.size() - std::min(limit, entries.size());
  for (auto at = std::next(entries.begin(), static_cast<std::ptrdiff_t>(skipped)); at != entries.end(); ++at) {
    out.push_back(at->second);
  }
  return out;
}

bool matches(const queue::ItemRecord& record, const ItemQuery& query) {
  if (query.status && record.status != *query.status) return false;
  if (query.any_tags.empty()) return true;
  return std::ranges::any_of(query.any_tags,
                             [&](const auto& tag) { return std::ranges::binary_search(record.lane->tags, tag); });
}

// The records that `keep` accepts, ordered by the time that `time_of` gives, at most `limit`.
template <class Keep, class TimeOf>
std::vector<queue::ItemRecord> by_time(const MemoryShard& shard, std::size_t limit, Keep keep, TimeOf time_of) {
  std::vector<queue::ItemRecord> out;
  for (const auto& [key, queue] : shard.queues) {
    for (const auto& [id, stored] : queue) {
      if (keep(stored.record)) out.push_back(stored.record);
    }
  }
  std::ranges::sort(out, {}, [&](const auto& record) {
    return std::tie(std::invoke(time_of, record), record.lane->queue, record.id);
  });
  if (out.size() > limit) out.resize(limit);
  return out;
}

}  // namespace

void MemoryStore::fail_next_commit(Fate fate, Outcome outcome) {
  MR_ASSERT(outcome == Outcome::lost || fate == Fate::unknown, "only a commit of unknown fate can have happened");
  const std::scoped_lock lock(disk_->mutex);
  faults_.push_back({fate, outcome});
}

std::optional<MemoryStore::Fault> MemoryStore::next_fault() {
  if (broken_) return Fault{Fate::broken, Outcome::lost};
  if (faults_.empty()) return std::nullopt;
  const Fault fault = faults_.front();
  faults_.pop_front();
  broken_ = fault.fate == Fate::broken;
  return fault;
}

std::optional<Epoch> MemoryStore::acquire(std::stop_token stop) {
  if (stop.stop_requested()) return std::nullopt;
  const std::scoped_lock lock(disk_->mutex);
  owned_ = Epoch{++disk_->epoch.value};
  return owned_;
}

void MemoryStore::release() {
  const std::scoped_lock lock(disk_->mutex);
  owned_ = {};
}

void MemoryStore::commit(Epoch epoch, std::span<const shard::Batch> group) {
  const std::scoped_lock lock(disk_->mutex);
  ++commits_;
  const auto fault = next_fault();
  if (fault && fault->outcome == Outcome::lost) throw StoreError(fault->fate, "told to fail");
  if (owned_.value == 0 || epoch != owned_ || epoch != disk_->epoch) {
    throw StoreError(Fate::fenced, "the shards have another owner");
  }
  for (const auto& batch : group) {
    if (!batch.empty()) store::apply(disk_->shards[batch.shard], batch);
  }
  if (fault) throw StoreError(fault->fate, "told to fail after it was applied");
}

shard::ShardState MemoryStore::load(ShardId shard) {
  const std::scoped_lock lock(disk_->mutex);
  const auto& held = find_shard(*disk_, shard);
  shard::ShardState state;
  ParkedGroups parked_groups;
  state.shard = shard;
  state.last_commit = held.last_commit;
  for (const auto& [key, queue] : held.queues) {
    for (const auto& [id, stored] : queue) {
      if (stored.record.placement == queue::Placement::live) state.live.push_back(stored.record);
      if (stored.record.placement != queue::Placement::parked) continue;
      state.has_parked = true;
      parked_groups.add(stored.record);
    }
  }
  for (const auto& [tenant, counters] : held.counters) state.counters.push_back(counters);
  for (const auto& [key, document] : held.documents) state.documents.push_back(document);
  for (const auto& [key, worker] : held.workers) state.workers.push_back(worker);
  state.parked_groups = parked_groups.take();
  return state;
}

std::vector<ShardId> MemoryStore::shards() {
  const std::scoped_lock lock(disk_->mutex);
  std::vector<ShardId> out;
  for (const auto& [shard, held] : disk_->shards) out.push_back(shard);
  return out;
}

std::vector<queue::ItemRecord> MemoryStore::parked(ShardId shard, Time from, std::size_t limit) {
  const std::scoped_lock lock(disk_->mutex);
  return by_time(
      find_shard(*disk_, shard), limit,
      [&](const auto& record) { return record.placement == queue::Placement::parked && record.parked_at >= from; },
      &queue::ItemRecord::parked_at);
}

shard::Facts MemoryStore::fetch(ShardId shard, const shard::Need& need) {
  const std::scoped_lock lock(disk_->mutex);
  const auto& held = find_shard(*disk_, shard);
  shard::Facts facts;
  for (const auto& ref : need.items) {
    const auto& queue = find_queue(held, ref.queue);
    const auto found = queue.find(ref.id);
    auto& fact = facts.items.emplace_back();
    if (found != queue.end()) fact = {found->second.record, newest_entries(held, ref, shard::kHistoryMax)};
  }
  for (const auto& key : need.dedup) {
    const auto found = held.dedup.find(key);
    auto& fact = facts.dedup.emplace_back();
    if (found != held.dedup.end()) fact = found->second;
  }
  return facts;
}

std::optional<ItemView> MemoryStore::item(ShardId shard, const queue::QueueKey& queue, ItemId id) {
  const std::scoped_lock lock(disk_->mutex);
  const auto& items = find_queue(find_shard(*disk_, shard), queue);
  const auto found = items.find(id);
  if (found == items.end()) return std::nullopt;
  return ItemView{found->second.record, found->second.body};
}

std::vector<std::shared_ptr<const queue::Body>> MemoryStore::bodies(ShardId shard, const queue::QueueKey& queue,
                                                                    std::span<const ItemId> ids) {
  const std::scoped_lock lock(disk_->mutex);
  const auto& items = find_queue(find_shard(*disk_, shard), queue);
  std::vector<std::shared_ptr<const queue::Body>> out;
  for (const auto id : ids) {
    const auto found = items.find(id);
    out.push_back(found == items.end() ? nullptr : found->second.body);
  }
  return out;
}

std::vector<queue::LogEntry> MemoryStore::log(ShardId shard, const queue::QueueKey& queue, ItemId id,
                                              std::size_t limit) {
  const std::scoped_lock lock(disk_->mutex);
  return newest_entries(find_shard(*disk_, shard), {queue, id}, limit);
}

ItemPage MemoryStore::items(ShardId shard, const ItemQuery& query) {
  const std::scoped_lock lock(disk_->mutex);
  const auto& queue = find_queue(find_shard(*disk_, shard), query.queue);
  ItemPage page;
  auto skip = query.offset;
  for (const auto& [id, stored] : std::views::reverse(queue)) {
    if (query.before && id >= *query.before) continue;
    if (!matches(stored.record, query)) continue;
    if (skip > 0) {
      --skip;
    } else if (page.items.size() == query.limit) {
      page.more = true;
      break;
    } else {
      page.items.push_back({stored.record, stored.body});
    }
  }
  return page;
}

std::uint64_t MemoryStore::count(ShardId shard, const ItemQuery& query, std::uint64_t at_most) {
  const std::scoped_lock lock(disk_->mutex);
  std::uint64_t counted = 0;
  for (const auto& [id, stored] : find_queue(find_shard(*disk_, shard), query.queue)) {
    if (counted == at_most) break;
    if (matches(stored.record, query)) ++counted;
  }
  return counted;
}

std::vector<shard::AuditRecord> MemoryStore::audit(ShardId shard, const AuditQuery& query) {
  const std::scoped_lock lock(disk_->mutex);
  const auto& held = find_shard(*disk_, shard).audit;
  std::vector<shard::AuditRecord> out;
  for (auto at = held.upper_bound({query.tenant, query.after}); at != held.end() && out.size() < query.limit; ++at) {
    if (at->first.first != query.tenant) break;
    out.push_back(at->second);
  }
  return out;
}

std::vector<queue::ItemRecord> MemoryStore::expired(ShardId shard, Time before, std::size_t limit) {
  const std::scoped_lock lock(disk_->mutex);
  return by_time(
      find_shard(*disk_, shard), limit,
      [&](const auto& record) { return record.placement == queue::Placement::done && record.updated < before; },
      &queue::ItemRecord::updated);
}

std::size_t MemoryStore::sweep(Time now, std::size_t budget) {
  const std::scoped_lock lock(disk_->mutex);
  std::size_t dropped = 0;
  for (auto& [shard, held] : disk_->shards) {
    for (auto at = held.dedup.begin(); at != held.dedup.end() && dropped < budget;) {
      const bool gone = at->second.expires < now;
      if (gone) ++dropped;
      at = gone ? held.dedup.erase(at) : std::next(at);
    }
  }
  return dropped;
}

}  // namespace millrace::store
