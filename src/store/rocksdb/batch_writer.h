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
  void drop_log(ShardId shard, const queue::ItemRecord& record);

  void put(Table table, std::string_view key, std::string_view value) { database_.put(out_, table, key, value); }
  void erase(Table table, std::string_view key) { database_.erase(out_, table, key); }

  Database& database_;
  rocksdb::WriteBatch& out_;
  std::string value_;  // the buffer that values are encoded in
};

// The latest time that the batch's records carry; `floor` if none is later.
Time latest_time(const shard::Batch& batch, Time floor);

}  // namespace millrace::store::rocks
