#include "store/memory/memory_apply.h"

#include <algorithm>

#include "base/assert.h"

namespace millrace::store {
namespace {

void write_item(MemoryShard& shard, const shard::ItemWrite& write) {
  auto& queue = shard.queues[write.record.lane->queue];
  const auto [at, added] = queue.try_emplace(write.record.id);
  MR_ASSERT(added == !write.prior.has_value(), "an item is new exactly when it has no prior");
  MR_ASSERT(added == (write.body != nullptr), "an item has its body when it is new, and only then");
  MR_ASSERT(write.record.placement == queue::Placement::parked || write.record.parked_at == Time{},
            "only a parked item has a place among the parked");
  if (!added) {
    const auto& held = at->second.record;
    const bool same_time = held.placement != queue::Placement::done || held.updated == write.prior->updated;
    MR_ASSERT(held.placement == write.prior->placement && held.status == write.prior->status &&
                  held.parked_at == write.prior->parked_at && same_time,
              "prior is what the store holds of the item");
  }
  at->second.record = write.record;
  if (write.body) {
    at->second.body = write.body;
    shard.last_commit = std::max(shard.last_commit, write.body->created);
  }
  shard.last_commit = std::max(shard.last_commit, write.record.updated);
}

void drop_item(MemoryShard& shard, const queue::ItemRecord& record) {
  const auto queue = shard.queues.find(record.lane->queue);
  MR_ASSERT(queue != shard.queues.end(), "a dropped item is in the store");
  const auto held = queue->second.find(record.id);
  MR_ASSERT(held != queue->second.end(), "a dropped item is in the store");
  MR_ASSERT(held->second.record.placement == record.placement && held->second.record.updated == record.updated,
            "a drop describes what the store holds of the item");
  queue->second.erase(held);
  if (queue->second.empty()) shard.queues.erase(queue);
  shard.logs.erase({record.lane->queue, record.id});
}

void write_document(MemoryShard& shard, const shard::DocumentWrite& write) {
  const std::pair key(write.document.kind, write.document.key);
  if (write.removed) {
    shard.documents.erase(key);
  } else {
    shard.documents.insert_or_assign(key, write.document);
  }
  shard.last_commit = std::max(shard.last_commit, write.document.updated);
}

void append_event(MemoryShard& shard, const shard::EventPtr& event) {
  const bool added = shard.events[event->tenant].try_emplace(event->position, event).second;
  MR_ASSERT(added, "a position is given once");
  shard.last_commit = std::max(shard.last_commit, event->received);
}

}  // namespace

void apply(MemoryShard& shard, const shard::Batch& batch) {
  for (const auto& write : batch.items) write_item(shard, write);
  for (const auto& write : batch.log) {
    shard.logs[{write.queue, write.entry.item}].insert_or_assign(write.entry.id, write.entry);
    shard.last_commit = std::max(shard.last_commit, write.entry.created);
  }
  for (const auto& record : batch.dedup) shard.dedup.insert_or_assign(record.key, record);
  for (const auto& counters : batch.counters) shard.counters.insert_or_assign(counters.tenant, counters);
  for (const auto& write : batch.documents) write_document(shard, write);
  for (const auto& record : batch.audit) {
    shard.audit.insert_or_assign({record.tenant, record.seq}, record);
    shard.last_commit = std::max(shard.last_commit, record.time);
  }
  for (const auto& worker : batch.workers) {
    shard.workers.insert_or_assign({worker.queue, worker.worker}, worker);
    shard.last_commit = std::max(shard.last_commit, worker.last_seen);
  }
  for (const auto& event : batch.events) append_event(shard, event);
  for (const auto& drop : batch.worker_drops) shard.workers.erase({drop.queue, drop.worker});
  for (const auto& drop : batch.drops) drop_item(shard, drop.record);
  for (const auto& drop : batch.event_drops) shard.events[drop.tenant].erase(drop.position);
}

}  // namespace millrace::store
