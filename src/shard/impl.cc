#include "shard/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace millrace::shard {

using queue::Status;

Shard::Impl::Impl(ShardState state, Epoch epoch_, ShardOptions options_, Time now_)
    : shard(state.shard), epoch(epoch_), options(options_), now(std::max(now_, state.last_commit)), tsids(state.shard) {
  for (TenantCounters& counters : state.counters) {
    tsids.resume_after(counters.last_tsid);
    TenantState& loaded = tenant(counters.tenant);
    loaded.counters = std::move(counters);
    std::ranges::sort(loaded.counters.queues, {}, &QueueCounts::queue);
  }
  for (WorkerRecord& record : state.workers) {
    workers.load(record.queue, record.worker, record.last_seen);
  }
  for (Document& document : state.documents) {
    if (document.kind == kPausedKind) load_paused(document);
    auto key = std::pair(document.kind, document.key);
    documents.emplace(std::move(key), std::move(document));
  }
  std::ranges::sort(state.parked_groups, [](const ParkedGroup& a, const ParkedGroup& b) {
    return std::tie(a.queue, a.first) < std::tie(b.queue, b.first);
  });
  std::vector<queue::GroupIndex> marked;
  for (const ParkedGroup& parked : state.parked_groups) {
    marked.push_back(
        items.groups().load_parked(parked.queue, parked.group, parked.first, parked.last, parked.parked_at));
  }
  // By id, so that the same state gives the same memory whatever order a store loads it in.
  const auto by_id = [](const queue::ItemRecord& a, const queue::ItemRecord& b) {
    return std::tie(a.lane->queue, a.id) < std::tie(b.lane->queue, b.id);
  };
  if (!std::ranges::is_sorted(state.live, by_id)) std::ranges::sort(state.live, by_id);
  items.expect(state.live.size());
  for (queue::ItemRecord& record : state.live) {
    if (record.lease.token.value != 0) {
      record.lease.until = std::max(record.lease.until, now + options.lease_grace);
      queue::Worker& worker = workers.seen(record.lane->queue, *record.lease.worker, record.updated);
      ++worker.held;
      record.lease.worker = worker.name;
    }
    items.admit(record, now);
  }
  for (const queue::GroupIndex group : marked) items.note_hunger(group);
  items.take_touched();
  has_parked = state.has_parked;
}

const std::optional<ItemHistory>* Shard::Impl::Step::history(const ItemRef& ref) const {
  if (facts == nullptr) return nullptr;
  const auto found = std::ranges::find(asked->items, ref);
  return found == asked->items.end() ? nullptr : &facts->items[static_cast<std::size_t>(found - asked->items.begin())];
}

const std::optional<DedupRecord>* Shard::Impl::Step::dedup(const DedupKey& key) const {
  if (facts == nullptr) return nullptr;
  const auto found = std::ranges::find(asked->dedup, key);
  return found == asked->dedup.end() ? nullptr : &facts->dedup[static_cast<std::size_t>(found - asked->dedup.begin())];
}

std::optional<Need> Shard::Impl::execute(Step& step, Command& command) {
  return std::visit([&](auto& alternative) { return run(step, alternative); }, command);
}

TenantState& Shard::Impl::tenant(const TenantId& id) {
  const auto found = tenants.find(id);
  if (found != tenants.end()) return found->second;
  return tenants.emplace(id, TenantState{.counters = {.tenant = id}}).first->second;
}

std::array<std::uint64_t, queue::kStatuses>& Shard::Impl::counts(const queue::QueueKey& queue) {
  auto& queues = tenant(queue.tenant).counters.queues;
  auto found = std::ranges::lower_bound(queues, queue.name, {}, &QueueCounts::queue);
  if (found == queues.end() || found->queue != queue.name) found = queues.insert(found, QueueCounts{queue.name});
  return found->by_status;
}

void Shard::Impl::count_change(const queue::QueueKey& queue, std::optional<Status> from, std::optional<Status> to) {
  auto& by_status = counts(queue);
  if (from) {
    MR_ASSERT(by_status[static_cast<std::size_t>(*from)] > 0, "an item is counted before it moves on");
    --by_status[static_cast<std::size_t>(*from)];
  }
  if (to) ++by_status[static_cast<std::size_t>(*to)];
  mark_dirty(tenant(queue.tenant));
}

void Shard::Impl::mark_dirty(TenantState& state) {
  if (std::exchange(state.dirty, true)) return;
  dirty.push_back(&state);
}

Error unknown_item(ItemId id) { return {Errc::not_found, fmt::format("no item has id {}", id.value)}; }

void Shard::Impl::answer(Step& step, Reply reply) { step.effects.answers.push_back({step.request, std::move(reply)}); }

PriorItem Shard::Impl::prior_of(SlotIndex slot) const { return {queue::Placement::live, items[slot].status, {}, {}}; }

void Shard::Impl::write(SlotIndex slot, const PriorItem& prior, Effects& effects) {
  write(items.record(slot), prior, effects);
}

void Shard::Impl::write(queue::ItemRecord record, const PriorItem& prior, Effects& effects) {
  record.updated = now;
  if (refill_under_way && prior.placement == queue::Placement::parked)
    watch_parked.insert({record.lane->queue, record.id});
  watch.changed(record.lane->queue, record.id);
  effects.batch.items.push_back({std::move(record), nullptr, prior});
}

queue::LogEntry& Shard::Impl::log(const queue::QueueKey& queue, queue::LogEntry entry, Effects& effects) {
  TenantState& owner = tenant(queue.tenant);
  entry.id = LogId{++owner.counters.last_log};
  entry.created = now;
  mark_dirty(owner);
  watch.changed(queue, entry.item);
  effects.batch.log.push_back({queue, std::move(entry)});
  return effects.batch.log.back().entry;
}

void Shard::Impl::change_status(SlotIndex slot, Status to) {
  count_change(items.lane_key(slot).queue, items[slot].status, to);
  items[slot].status = to;
}

void Shard::Impl::end_lease(SlotIndex slot) {
  const auto& lease = items.leases().at(slot).lease;
  queue::Worker* worker = workers.find(items.lane_key(slot).queue, *lease.worker);
  MR_ASSERT(worker != nullptr && worker->held > 0, "a holder is a known worker");
  --worker->held;
  items.end_lease(slot);
}

// The item ended: it leaves memory, and what the store keeps of it is final.
void Shard::Impl::finish(SlotIndex slot, Status to, const PriorItem& prior, Effects& effects) {
  change_status(slot, to);
  items[slot].retry_wait = false;
  queue::ItemRecord record = items.record(slot);
  record.placement = queue::Placement::done;
  write(std::move(record), prior, effects);
  retire(slot);
}

void Shard::Impl::retire(SlotIndex slot) { items.retire(slot, now); }

void Shard::Impl::seal(Effects& effects) {
  for (TenantState* state : dirty) {
    effects.batch.counters.push_back(state->counters);
    state->dirty = false;
  }
  dirty.clear();
  for (auto& [queue, worker] : workers.take_unwritten()) {
    effects.batch.workers.push_back({queue, *worker->name, worker->last_seen});
  }
  for (auto& [queue, worker] : workers.forget_before(now - options.worker_memory)) {
    effects.batch.worker_drops.push_back({std::move(queue), std::move(worker)});
  }
  effects.batch.shard = shard;
}

}  // namespace millrace::shard
