#include "store/postgres/group_rows.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include "shard/facts.h"
#include "store/latest_time.h"
#include "store/postgres/group_statements.h"

namespace millrace::store::postgres {
namespace {

std::int16_t number(auto named) { return static_cast<std::int16_t>(named); }
std::int32_t count_column(std::uint32_t count) { return static_cast<std::int32_t>(count); }

std::optional<Time> parked_due(const queue::ItemRecord& r) {
  return r.placement == queue::Placement::parked ? std::optional(r.parked_at) : std::nullopt;
}
std::optional<Time> finished_at(const queue::ItemRecord& r) {
  return r.placement == queue::Placement::done ? std::optional(r.updated) : std::nullopt;
}
std::optional<std::int64_t> lease_token(const queue::Lease& lease) {
  return lease.token.value == 0 ? std::nullopt : std::optional(column(lease.token));
}
std::optional<Time> lease_until(const queue::Lease& lease) {
  return lease.until == Time{} ? std::nullopt : std::optional(lease.until);
}
std::optional<std::string_view> lease_worker(const queue::Lease& lease) {
  return lease.worker == nullptr ? std::nullopt : std::optional<std::string_view>(*lease.worker);
}

// As kInsertNewStates writes it.
bool untouched(const queue::ItemRecord& r) {
  return r.status == queue::Status::pending && r.placement == queue::Placement::live && r.group == nullptr &&
         !r.retry_wait && r.retry_count == 0 && r.attempt == 0 && !lease_token(r.lease) && !lease_until(r.lease) &&
         !lease_worker(r.lease);
}

// Of rows with the same key the last one: a statement may touch a row only once.
template <class T, class Key>
std::vector<const T*> last_of_each(const std::vector<T>& rows, Key key) {
  std::vector<const T*> kept;
  kept.reserve(rows.size());
  absl::flat_hash_map<decltype(key(rows.front())), std::size_t> at;
  for (const T& row : rows) {
    const auto [found, first] = at.try_emplace(key(row), kept.size());
    if (first) {
      kept.push_back(&row);
    } else {
      kept[found->second] = &row;
    }
  }
  return kept;
}

struct ItemName {
  const queue::QueueKey* queue;
  ItemId id;

  bool operator==(const ItemName& other) const { return id == other.id && *queue == *other.queue; }
  template <class H>
  friend H AbslHashValue(H h, const ItemName& name) {
    return H::combine(std::move(h), name.id);  // numbers seldom repeat within a batch
  }
};

struct ItemAtEnd {
  const queue::ItemRecord* record;
  const queue::Body* made;  // null: the item was there before
};

// An item made and changed in one batch is written as it stands in the end.
std::vector<ItemAtEnd> items_at_end(const std::vector<shard::ItemWrite>& writes) {
  std::vector<ItemAtEnd> items;
  items.reserve(writes.size());
  absl::flat_hash_map<ItemName, std::size_t> at;
  at.reserve(writes.size());
  for (const shard::ItemWrite& write : writes) {
    const auto [found, first] = at.try_emplace({&write.record.lane->queue, write.record.id}, items.size());
    if (first) items.push_back({});
    ItemAtEnd& item = items[found->second];
    item.record = &write.record;
    if (write.body != nullptr) item.made = write.body.get();
  }
  return items;
}

}  // namespace

GroupRows::GroupRows(std::span<const shard::Batch> group, const Written& written)
    : written_(written),
      lanes_(kInsertLanes),
      lane_tags_(kInsertLaneTags),
      bodies_(kInsertBodies, "sent_body"),
      new_states_(kInsertNewStates, "sent_new_state"),
      states_(kInsertStates, "sent_state"),
      updates_(kUpdateStates, "sent_state"),
      dropped_states_(kDeleteStates),
      dropped_bodies_(kDeleteBodies),
      dropped_logs_(kDeleteLogs),
      left_lanes_(kDeleteLeftLanes),
      log_(kInsertLog, "sent_log"),
      dedup_(kUpsertDedup, "sent_dedup"),
      counters_(kUpsertCounters, "sent_counters"),
      queue_counts_(kUpsertQueueCounts, "sent_queue_counts"),
      stale_queue_counts_(kDeleteQueueCounts),
      documents_(kUpsertDocuments),
      removed_documents_(kDeleteDocuments),
      audit_(kInsertAudit),
      workers_(kUpsertWorkers),
      dropped_workers_(kDeleteWorkers) {
  std::vector<const shard::Batch*> sorted;
  for (const shard::Batch& batch : group) sorted.push_back(&batch);
  // Whoever locks lease rows does it in this order, so that no two wait for each other.
  std::ranges::sort(sorted, {}, [](const shard::Batch* batch) { return batch->shard; });
  for (const shard::Batch* batch : sorted) add_batch(*batch);
  digests_.clear();
}

void GroupRows::add_batch(const shard::Batch& batch) {
  shards_.push_back({batch.shard, latest_time(batch)});
  add_items(batch);
  add_drops(batch);
  add_log(batch);
  add_dedup(batch);
  add_counters(batch);
  add_documents(batch);
  add_audit(batch);
  add_workers(batch);
  events_.add(batch);
}

void GroupRows::add_items(const shard::Batch& batch) {
  for (const ItemAtEnd& item : items_at_end(batch.items)) {
    const queue::ItemRecord& record = *item.record;
    const Uuid lane = digest_of(record);
    if (item.made == nullptr) {
      add_state(updates_, batch.shard, lane, record);
      continue;
    }
    const LaneRow lane_row{batch.shard.value, lane};
    if (!written_.lanes.contains(lane_row) && new_lanes_.insert(lane_row).second) add_lane(batch.shard, lane, record);
    add_body(batch.shard, record, *item.made);
    untouched(record) ? add_new_state(batch.shard, lane, record) : add_state(states_, batch.shard, lane, record);
  }
}

Uuid GroupRows::digest_of(const queue::ItemRecord& r) {
  KnownDigest& known = digests_[r.lane.get()];
  if (known.digest == Uuid{} || known.retry != r.retry || known.max_retries != r.max_retries) {
    known = {r.retry, r.max_retries, lane_digest(*r.lane, r.retry, r.max_retries)};
  }
  return known.digest;
}

void GroupRows::add_body(ShardId shard, const queue::ItemRecord& r, const queue::Body& body) {
  const queue::QueueKey& queue = r.lane->queue;
  bodies_.add(column(shard), queue.tenant.text(), queue.name, column(r.id), body.title, body.description, body.tags,
              body.payload, body.created);
}

void GroupRows::add_new_state(ShardId shard, const Uuid& lane, const queue::ItemRecord& r) {
  const queue::QueueKey& queue = r.lane->queue;
  new_states_.add(column(shard), queue.tenant.text(), queue.name, column(r.id), lane, r.priority, r.due, r.updated);
}

void GroupRows::add_state(RowPortions& table, ShardId shard, const Uuid& lane, const queue::ItemRecord& r) {
  const queue::QueueKey& queue = r.lane->queue;
  const auto group_mode = r.group == nullptr ? std::nullopt : std::optional(number(r.group->mode));
  const auto group_name = r.group == nullptr ? std::nullopt : std::optional<std::string_view>(r.group->name);
  table.add(column(shard), queue.tenant.text(), queue.name, column(r.id), lane, r.priority, group_mode, group_name,
            number(r.status), stage_of(r.placement, r.status), r.retry_wait, count_column(r.retry_count),
            count_column(r.attempt), r.due, r.updated, parked_due(r), finished_at(r), lease_token(r.lease),
            lease_until(r.lease), lease_worker(r.lease));
}

void GroupRows::add_lane(ShardId shard, const Uuid& digest, const queue::ItemRecord& r) {
  const queue::LaneKey& lane = *r.lane;
  lanes_.add(column(shard), digest, lane.queue.tenant.text(), lane.queue.name, lane.bus, array_literal(lane.tags),
             count_column(r.max_retries), number(r.retry.kind), r.retry.jitter, std::int64_t{r.retry.base.count()},
             std::int64_t{r.retry.cap.count()});
  for (const std::string& tag : lane.tags) {
    lane_tags_.add(column(shard), lane.queue.tenant.text(), lane.queue.name, tag, digest);
  }
}

void GroupRows::add_drops(const shard::Batch& batch) {
  for (const shard::ItemDrop& drop : batch.drops) {
    const queue::ItemRecord& r = drop.record;
    const queue::QueueKey& queue = r.lane->queue;
    for (Portions* table : {&dropped_states_, &dropped_bodies_, &dropped_logs_}) {
      table->add(column(batch.shard), queue.tenant.text(), queue.name, column(r.id));
    }
    const Uuid lane = digest_of(r);
    if (dropped_lanes_.insert({batch.shard.value, lane}).second) left_lanes_.add(column(batch.shard), lane);
  }
}

void GroupRows::add_log(const shard::Batch& batch) {
  for (const auto& [queue, e] : batch.log) {
    log_.add(column(batch.shard), queue.tenant.text(), queue.name, column(e.item), column(e.id), number(e.action),
             count_column(e.attempt), column(e.token), e.worker, e.created, e.status_code, e.execution_time_ms,
             e.error_message, e.reason, e.next_retry_at, count_column(e.retry_count));
  }
}

void GroupRows::add_dedup(const shard::Batch& batch) {
  const auto key = [](const shard::DedupRecord& r) { return r.key; };
  for (const shard::DedupRecord* r : last_of_each(batch.dedup, key)) {
    dedup_.add(column(batch.shard), r->key.tenant.text(), number(r->key.kind), r->key.key, as_bigint(r->made),
               Bytes{r->fingerprint}, r->expires);
  }
}

void GroupRows::add_counters(const shard::Batch& batch) {
  const auto key = [](const shard::TenantCounters& c) { return c.tenant; };
  for (const shard::TenantCounters* c : last_of_each(batch.counters, key)) {
    counters_.add(column(batch.shard), c->tenant.text(), as_bigint(c->last_item), as_bigint(c->last_log),
                  as_bigint(c->last_position), as_bigint(c->last_audit), Bytes{c->audit_hash}, as_bigint(c->last_tsid),
                  as_bigint(c->last_removed));
    add_queue_counts(batch.shard, *c);
  }
}

// Counters are written whole: a queue that they no longer name goes. Only what differs is sent.
void GroupRows::add_queue_counts(ShardId shard, const shard::TenantCounters& counters) {
  const TenantInShard tenant{shard.value, counters.tenant};
  const auto before = written_.counts.find(tenant);
  const auto held = [&](const std::string& queue) -> const shard::QueueCounts* {
    const auto found = std::ranges::find(before->second, queue, &shard::QueueCounts::queue);
    return found == before->second.end() ? nullptr : &*found;
  };
  const auto named = [&](const shard::QueueCounts& q) {
    return std::ranges::find(counters.queues, q.queue, &shard::QueueCounts::queue) != counters.queues.end();
  };
  const bool start_over = before == written_.counts.end() || !std::ranges::all_of(before->second, named);
  if (start_over) stale_queue_counts_.add(column(shard), counters.tenant.text());

  const auto name = [](const shard::QueueCounts& q) { return q.queue; };
  for (const shard::QueueCounts* q : last_of_each(counters.queues, name)) {
    const shard::QueueCounts* same = start_over ? nullptr : held(q->queue);
    if (same != nullptr && same->by_status == q->by_status) continue;
    queue_counts_.add(column(shard), counters.tenant.text(), q->queue, as_bigint(q->by_status[0]),
                      as_bigint(q->by_status[1]), as_bigint(q->by_status[2]), as_bigint(q->by_status[3]),
                      as_bigint(q->by_status[4]));
  }
  new_counts_[tenant] = counters.queues;
}

void GroupRows::add_documents(const shard::Batch& batch) {
  const auto key = [](const shard::DocumentWrite& w) { return std::pair(w.document.kind, w.document.key); };
  for (const shard::DocumentWrite* write : last_of_each(batch.documents, key)) {
    const shard::Document& d = write->document;
    if (write->removed) {
      removed_documents_.add(column(batch.shard), d.kind, d.key);
    } else {
      documents_.add(column(batch.shard), d.kind, d.key, d.tenant.text(), as_bigint(d.version), d.body, d.updated);
    }
  }
}

void GroupRows::add_audit(const shard::Batch& batch) {
  for (const shard::AuditRecord& r : batch.audit) {
    audit_.add(column(batch.shard), r.tenant.text(), column(r.seq), r.time, r.actor, r.action, r.entity_type,
               r.entity_id, r.correlation_id, r.values, Bytes{r.values_digest}, Bytes{r.previous_hash}, Bytes{r.hash});
  }
}

void GroupRows::add_workers(const shard::Batch& batch) {
  const auto key = [](const shard::WorkerRecord& r) { return std::pair(r.queue, r.worker); };
  for (const shard::WorkerRecord* r : last_of_each(batch.workers, key)) {
    workers_.add(column(batch.shard), r->queue.tenant.text(), r->queue.name, r->worker, r->last_seen);
  }
  for (const shard::WorkerDrop& drop : batch.worker_drops) {
    dropped_workers_.add(column(batch.shard), drop.queue.tenant.text(), drop.queue.name, drop.worker);
  }
}

void GroupRows::send(Pipeline& pipeline, const RowTypes& types) {
  const auto send_all = [&](auto&... tables) { (tables.send(pipeline, types), ...); };
  send_all(lanes_, lane_tags_, bodies_, new_states_, states_, updates_, log_, dedup_, counters_, stale_queue_counts_,
           queue_counts_, documents_, removed_documents_, audit_, workers_, dropped_workers_);
  // Drops come last: what goes takes its log along.
  send_all(dropped_states_, dropped_bodies_, dropped_logs_, left_lanes_);
  events_.send(pipeline, types);
}

void GroupRows::note_in(Written& written) const {
  written.lanes.insert(new_lanes_.begin(), new_lanes_.end());
  for (const LaneRow& lane : dropped_lanes_) written.lanes.erase(lane);
  for (const auto& [tenant, counts] : new_counts_) written.counts[tenant] = counts;
}

}  // namespace millrace::store::postgres
