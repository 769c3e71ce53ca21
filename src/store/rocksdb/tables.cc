#include "store/rocksdb/tables.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

namespace millrace::store::rocks {
namespace {

constexpr std::array<const char*, kTables> kNames = {
    "default",  // RocksDB wants a family of this name; it holds `meta`
    "item_live", "item_done", "item_parked", "parked_ref", "item_by_status",  "done_by_time",
    "item_tags", "item_body", "item_log",    "dedup",      "dedup_by_expiry", "counters",
    "documents", "audit",     "workers",     "events",     "event_index",     "event_expiry",
};

// Read by exact key, often for one that is not there.
bool has_point_lookups(Table table) {
  switch (table) {
    case Table::item_live:
    case Table::item_done:
    case Table::parked_ref:
    case Table::item_body:
    case Table::dedup:
    case Table::events:
      return true;
    default:
      return false;
  }
}

// Entries leave at the front as they come in at the back, and a scan from the front would pass all
// the tombstones that no compaction took away yet.
bool works_like_a_queue(Table table) {
  switch (table) {
    case Table::item_live:
    case Table::item_parked:
    case Table::parked_ref:
    case Table::item_by_status:
    case Table::done_by_time:
    case Table::dedup_by_expiry:
    case Table::events:
    case Table::event_expiry:
      return true;
    default:
      return false;
  }
}

// Large values that are read rarely: worth a slower compression.
bool is_bulky(Table table) {
  return table == Table::item_body || table == Table::item_log || table == Table::audit || table == Table::events;
}

}  // namespace

const char* table_name(Table table) { return kNames[static_cast<std::size_t>(table)]; }

rocksdb::ColumnFamilyOptions table_options(Table table, const rocksdb::BlockBasedTableOptions& shared) {
  rocksdb::BlockBasedTableOptions blocks = shared;
  if (has_point_lookups(table)) blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  if (is_bulky(table)) blocks.block_size = 16 << 10;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.write_buffer_size = is_bulky(table) ? 64 << 20 : 32 << 20;
  // Room for flushes to lag behind a burst before writes are stopped.
  options.max_write_buffer_number = 4;
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = rocksdb::kLZ4Compression;
  if (is_bulky(table)) options.bottommost_compression = rocksdb::kZSTD;
  if (works_like_a_queue(table)) {
    // A file where half of any 1,000 neighbouring entries are tombstones is compacted soon.
    options.table_properties_collector_factories.push_back(rocksdb::NewCompactOnDeletionCollectorFactory(1000, 500));
  }
  return options;
}

}  // namespace millrace::store::rocks
