#include "view.h"

#include <algorithm>

#include "describe.h"
#include "violation.h"

namespace millrace::simulation {

void Item::note(const queue::LogEntry& entry) {
  log.push_back(entry);
  tried = tried || entry.action == queue::Action::failed || entry.action == queue::Action::timed_out;
}

Item* View::find(const queue::QueueKey& queue, ItemId id) {
  const auto items = queues.find(queue);
  if (items == queues.end()) return nullptr;
  const auto found = items->second.find(id);
  return found == items->second.end() ? nullptr : &found->second;
}

const Item* View::find(const queue::QueueKey& queue, ItemId id) const {
  return const_cast<View*>(this)->find(queue, id);
}

void View::set_paused(const Pause& pause) {
  if (pause.paused) {
    paused.insert({pause.queue, pause.bus});
  } else {
    paused.erase({pause.queue, pause.bus});
  }
}

void View::write(const shard::DocumentWrite& write) {
  const std::pair key(write.document.kind, write.document.key);
  latest = std::max(latest, write.document.updated);
  if (write.removed) {
    documents.erase(key);
    auto& highest = removed_versions[key];
    highest = std::max(highest, write.document.version);
  } else {
    documents.insert_or_assign(key, write.document);
  }
}

void View::write(const shard::ItemWrite& write) {
  const queue::ItemRecord& record = write.record;
  const queue::QueueKey& queue = record.lane->queue;
  Item* known = find(queue, record.id);
  latest = std::max(latest, record.updated);
  if (known == nullptr) {
    MR_REQUIRE(!write.prior, "{}: a prior is given for an item the store does not have", describe(record));
    MR_REQUIRE(write.body != nullptr, "{}: a new item without its body", describe(record));
    last_item[queue.tenant] = std::max(last_item[queue.tenant], record.id);
    queues[queue][record.id] = Item{record, write.body, {}, false, {}};
    return;
  }
  MR_REQUIRE(write.body == nullptr, "{}: a body for an item that has one", describe(record));
  MR_REQUIRE(write.prior.has_value(), "{}: no prior for an item the store has", describe(record));
  const queue::ItemRecord& old = known->record;
  MR_REQUIRE(write.prior->placement == old.placement && write.prior->status == old.status &&
                 write.prior->parked_at == old.parked_at &&
                 (old.placement != queue::Placement::done || write.prior->updated == old.updated),
             "{}: the prior is not what the store holds: {}", describe(record), describe(old));
  known->record = record;
}

void View::drop(const shard::ItemDrop& drop) {
  const queue::QueueKey& queue = drop.record.lane->queue;
  const Item* known = find(queue, drop.record.id);
  MR_REQUIRE(known != nullptr, "{}: dropped but not there", describe(drop.record));
  const queue::ItemRecord& old = known->record;
  MR_REQUIRE(drop.record.placement == old.placement && drop.record.status == old.status && drop.record.due == old.due &&
                 drop.record.updated == old.updated,
             "{}: dropped as another than the store holds: {}", describe(drop.record), describe(old));
  queues[queue].erase(drop.record.id);
}

void View::append(const shard::LogWrite& write) {
  Item* item = find(write.queue, write.entry.item);
  MR_REQUIRE(item != nullptr, "{}: an entry of an item that is not there", describe(write.entry));
  item->note(write.entry);
  last_log[write.queue.tenant] = std::max(last_log[write.queue.tenant], write.entry.id);
  latest = std::max(latest, write.entry.created);
}

void View::commit(const shard::Batch& batch) {
  // Log entries of an item dropped by the same batch would have nowhere to go, so drops come last.
  for (const shard::ItemWrite& w : batch.items) write(w);
  for (const shard::LogWrite& w : batch.log) append(w);
  for (const shard::ItemDrop& d : batch.drops) drop(d);
  for (const shard::DedupRecord& d : batch.dedup) dedup.insert_or_assign(d.key, d);
  for (const shard::TenantCounters& c : batch.counters) counters.insert_or_assign(c.tenant, c);
  for (const shard::DocumentWrite& d : batch.documents) write(d);
  for (const shard::AuditRecord& a : batch.audit) {
    audit[a.tenant].push_back(a);
    latest = std::max(latest, a.time);
  }
}

std::map<std::string, std::array<std::uint64_t, queue::kStatuses>> recount(const View& view, const TenantId& tenant) {
  std::map<std::string, std::array<std::uint64_t, queue::kStatuses>> counts;
  for (const auto& [queue, items] : view.queues) {
    if (queue.tenant != tenant || items.empty()) continue;
    auto& by_status = counts[queue.name];
    for (const auto& [id, item] : items) ++by_status[static_cast<std::size_t>(item.record.status)];
  }
  return counts;
}

}  // namespace millrace::simulation
