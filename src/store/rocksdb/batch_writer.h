// Turns what a shard wants written into puts and deletes. `prior` says which index entries go, so
// nothing is read; only a dropped item's log is, because nobody else knows its entries.
#pragma once

#include "shard/batch.h"
#include "store/rocksdb/database.h"

namespace millrace::store::rocks {

class BatchWriter {
 public:
  BatchWriter(Database& database, rocksdb::WriteBatch& out) : database_(database), out_(out) {}
  void add(const shard::Batch& batch);

 private:
  void write_items(const shard::Batch& batch);
  void write_log(const shard::Batch& batch);
  void write_dedup(const shard::Batch& batch);
  void write_records(const shard::Batch& batch);

  void write_item(ShardId shard, const queue::ItemRecord& record);
  void add_tags(ShardId shard, const queue::ItemRecord& record);
  void leave(ShardId shard, const queue::ItemRecord& record, const shard::PriorItem& prior);
  void drop(ShardId shard, const queue::ItemRecord& record);
  void drop_logs(const shard::Batch& batch);

  const std::string& prefix_of(ShardId shard, const queue::QueueKey& queue);
  // These are valid until the next of them.
  std::string_view key_of(ShardId shard, const queue::ItemRecord& record);
  std::string_view timed_key(ShardId shard, Time time, const queue::ItemRecord& record);
  std::string_view status_key(ShardId shard, queue::Status status, const queue::ItemRecord& record);
  std::string_view tag_key(ShardId shard, const queue::ItemRecord& record, std::string_view tag);

  void put(Table table, std::string_view key, std::string_view value) { database_.put(out_, table, key, value); }
  void erase(Table table, std::string_view key) { database_.erase(out_, table, key); }

  Database& database_;
  rocksdb::WriteBatch& out_;
  std::string value_;  // the buffers that values and keys are made in
  std::string key_;
  std::string prefix_;  // queue_prefix of the two below
  ShardId prefix_shard_{kAllShards};
  queue::QueueKey prefix_queue_{TenantId::default_tenant(), {}};
};

// The latest time that the batch's records carry; `floor` if none is later.
Time latest_time(const shard::Batch& batch, Time floor);

}  // namespace millrace::store::rocks
