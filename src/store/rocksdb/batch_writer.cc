#include "store/rocksdb/batch_writer.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "queue/groups.h"
#include "store/latest_time.h"
#include "store/rocksdb/events.h"

namespace millrace::store::rocks {
namespace {

using queue::Placement;

Table table_of(Placement placement) { return placement == Placement::done ? Table::item_done : Table::item_live; }

}  // namespace

void BatchWriter::add(const shard::Batch& batch) {
  write_items(batch);
  write_log(batch);
  write_dedup(batch);
  write_records(batch);
  write_events(database_, out_, batch);
  // Last: a drop also takes what the same batch wrote.
  for (const auto& dropped : batch.drops) drop(batch.shard, dropped.record);
  if (!batch.drops.empty()) drop_logs(batch);
}

// The items of a batch are mostly of one queue.
const std::string& BatchWriter::prefix_of(ShardId shard, const queue::QueueKey& queue) {
  if (shard != prefix_shard_ || queue != prefix_queue_) {
    prefix_ = queue_prefix(shard, queue);
    prefix_shard_ = shard;
    prefix_queue_ = queue;
  }
  return prefix_;
}

std::string_view BatchWriter::key_of(ShardId shard, const queue::ItemRecord& record) {
  key_ = prefix_of(shard, record.lane->queue);
  put_u64_be(key_, record.id.value);
  return key_;
}

std::string_view BatchWriter::timed_key(ShardId shard, Time time, const queue::ItemRecord& record) {
  key_ = time_prefix(shard, time);
  // The queue and its ends, without the shard that they follow in other keys.
  key_.append(prefix_of(shard, record.lane->queue), kShardBytes);
  put_u64_be(key_, record.id.value);
  return key_;
}

std::string_view BatchWriter::status_key(ShardId shard, queue::Status status, const queue::ItemRecord& record) {
  key_ = prefix_of(shard, record.lane->queue);
  put_u8(key_, static_cast<std::uint8_t>(status));
  put_u64_be(key_, record.id.value);
  return key_;
}

std::string_view BatchWriter::tag_key(ShardId shard, const queue::ItemRecord& record, std::string_view tag) {
  key_ = prefix_of(shard, record.lane->queue);
  put_name(key_, tag);
  put_u64_be(key_, record.id.value);
  return key_;
}

void BatchWriter::write_items(const shard::Batch& batch) {
  for (const auto& write : batch.items) {
    if (write.prior) {
      leave(batch.shard, write.record, *write.prior);
    } else {
      add_tags(batch.shard, write.record);
    }
    if (write.body) {
      value_.clear();
      encode_body(value_, *write.body);
      put(Table::item_body, key_of(batch.shard, write.record), value_);
    }
    write_item(batch.shard, write.record);
  }
}

void BatchWriter::add_tags(ShardId shard, const queue::ItemRecord& record) {
  for (const auto& tag : record.lane->tags) {
    put(Table::item_tags, tag_key(shard, record, tag), {});
  }
}

// Erases the entries of `prior` that `record` does not overwrite or keep.
void BatchWriter::leave(ShardId shard, const queue::ItemRecord& record, const shard::PriorItem& prior) {
  const bool moved = prior.placement != record.placement;
  if (prior.placement == Placement::parked) {
    if (moved) erase(Table::parked_ref, key_of(shard, record));
    if (moved || prior.parked_at != record.parked_at) {
      erase(Table::item_parked, timed_key(shard, prior.parked_at, record));
    }
  } else if (moved) {
    erase(table_of(prior.placement), key_of(shard, record));
  }
  if (prior.placement == Placement::done && (moved || prior.updated != record.updated)) {
    erase(Table::done_by_time, timed_key(shard, prior.updated, record));
  }
  if (is_indexed(prior.status) && prior.status != record.status) {
    erase(Table::item_by_status, status_key(shard, prior.status, record));
  }
}

void BatchWriter::write_item(ShardId shard, const queue::ItemRecord& record) {
  value_.clear();
  encode_item(value_, record);
  if (record.placement == Placement::parked) {
    put(Table::item_parked, timed_key(shard, record.parked_at, record), value_);
    value_.clear();
    encode_parked_ref(value_, {record.status, record.parked_at});
    put(Table::parked_ref, key_of(shard, record), value_);
    if (queue::keeps_order(record)) put(Table::meta, members_parked_key(shard), {});
  } else {
    put(table_of(record.placement), key_of(shard, record), value_);
  }
  if (record.placement == Placement::done) {
    put(Table::done_by_time, timed_key(shard, record.updated, record), {});
  }
  if (is_indexed(record.status)) {
    put(Table::item_by_status, status_key(shard, record.status, record), {});
  }
}

void BatchWriter::write_log(const shard::Batch& batch) {
  absl::flat_hash_set<ItemId> drops;
  for (const auto& [record] : batch.drops) drops.insert(record.id);
  for (const auto& [queue, entry] : batch.log) {
    const bool dropped = drops.contains(entry.item) && std::ranges::any_of(batch.drops, [&](const auto& drop) {
                           return drop.record.id == entry.item && drop.record.lane->queue == queue;
                         });
    if (dropped) continue;
    value_.clear();
    encode_log_entry(value_, entry);
    key_ = prefix_of(batch.shard, queue);
    put_u64_be(key_, entry.item.value);
    put_u64_be(key_, entry.id.value);
    put(Table::item_log, key_, value_);
  }
}

void BatchWriter::write_dedup(const shard::Batch& batch) {
  for (const auto& record : batch.dedup) {
    const auto key = dedup_key(batch.shard, record.key);
    value_.clear();
    encode_dedup(value_, record);
    put(Table::dedup, key, value_);
    // The entry of an overwritten row stays behind: sweep() finds that the row says otherwise.
    if (record.expires != kNever) put(Table::dedup_by_expiry, dedup_expiry_key(record.expires, key), {});
  }
}

void BatchWriter::write_records(const shard::Batch& batch) {
  for (const auto& counters : batch.counters) {
    value_.clear();
    encode_counters(value_, counters);
    put(Table::counters, counters_key(batch.shard, counters.tenant), value_);
  }
  for (const auto& [document, removed] : batch.documents) {
    const auto key = document_key(batch.shard, document.kind, document.key);
    if (removed) {
      erase(Table::documents, key);
      continue;
    }
    value_.clear();
    encode_document(value_, document);
    put(Table::documents, key, value_);
  }
  for (const auto& record : batch.audit) {
    value_.clear();
    encode_audit(value_, record);
    put(Table::audit, audit_key(batch.shard, record.tenant, record.seq), value_);
  }
  for (const auto& worker : batch.workers) {
    value_.clear();
    encode_time(value_, worker.last_seen);
    put(Table::workers, worker_key(batch.shard, worker.queue, worker.worker), value_);
  }
  for (const auto& drop : batch.worker_drops) erase(Table::workers, worker_key(batch.shard, drop.queue, drop.worker));
}

void BatchWriter::drop(ShardId shard, const queue::ItemRecord& record) {
  if (record.placement == Placement::parked) {
    erase(Table::parked_ref, key_of(shard, record));
    erase(Table::item_parked, timed_key(shard, record.parked_at, record));
  } else {
    erase(table_of(record.placement), key_of(shard, record));
  }
  if (record.placement == Placement::done) {
    erase(Table::done_by_time, timed_key(shard, record.updated, record));
  }
  if (is_indexed(record.status)) {
    erase(Table::item_by_status, status_key(shard, record.status, record));
  }
  for (const auto& tag : record.lane->tags) {
    erase(Table::item_tags, tag_key(shard, record, tag));
  }
  erase(Table::item_body, key_of(shard, record));
}

// One delete an entry: range tombstones would slow down every later read of their neighbours. One iterator for all:
// to make it costs more than to read an item's few entries.
void BatchWriter::drop_logs(const shard::Batch& batch) {
  View view(database_);
  const auto at = view.iterate(Table::item_log, nullptr, nullptr);
  for (const auto& [record] : batch.drops) {
    const std::string prefix = item_key(batch.shard, record.lane->queue, record.id);
    for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
      erase(Table::item_log, rocks::view(at->key()));
    }
    check(*at, Table::item_log);
  }
}

Time latest_time(const shard::Batch& batch, Time floor) {
  return std::max(floor, store::latest_time(batch).value_or(floor));
}

}  // namespace millrace::store::rocks
