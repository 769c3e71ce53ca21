#include "store/rocksdb/tables.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "store/rocksdb/giving_way.h"
#include "store/rocksdb/keys.h"
#include "store/rocksdb/memtable.h"

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

// How the files of a table are merged.
//
// levels: each level is one sorted run, ten times as large as the one above. Bounded work at a time, few runs to look
// into, and deletes soon meet what they delete. But where new keys fall between all the old ones, an entry is written
// again about ten times on its way down.
//
// runs: files stay as they were flushed until there are kRuns of them, then neighbours of like size become one. An
// entry is merged two or three times in ten million events; a read looks into up to kRuns runs, and deleted entries
// stay until a merge of everything. For the index of the log alone: most of all entries, and kept for long.
enum class Merging { levels, runs };

Merging merging_of(Table table) { return table == Table::event_index ? Merging::runs : Merging::levels; }

constexpr int kRuns = 16;
constexpr std::size_t kNoBoundOfItsOwn = std::size_t{1} << 30;

void merge_runs(rocksdb::ColumnFamilyOptions& options) {
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.level0_file_num_compaction_trigger = kRuns;
  options.level0_slowdown_writes_trigger = 4 * kRuns;
  options.level0_stop_writes_trigger = 8 * kRuns;
}

// What waits is taken at its front and grows at its end, and each flush has some of both: a merge with the level below
// reaches over all of it. So levels are small, and so are their files: what lies between is left where it is.
constexpr std::uint64_t kBacklogFileBytes = 2 << 20;
constexpr std::uint64_t kBacklogLevelBytes = 4 << 20;

void merge_levels(rocksdb::ColumnFamilyOptions& options, Table table) {
  options.level_compaction_dynamic_level_bytes = true;
  if (table == Table::item_live) {
    options.target_file_size_base = kBacklogFileBytes;
    options.max_bytes_for_level_base = kBacklogLevelBytes;
  }
  // Files are as many as flushes; half as many merges cost a read a few more files to look into.
  options.level0_file_num_compaction_trigger = 8;
  // Far above: a table that waits for its turn to be merged is no reason to keep callers waiting.
  options.level0_slowdown_writes_trigger = 32;
  options.level0_stop_writes_trigger = 64;
}

// Large values, or read many neighbours at a time: fewer blocks to make and to find.
bool has_large_blocks(Table table) {
  switch (table) {
    case Table::item_body:
    case Table::item_log:
    case Table::audit:
    case Table::events:
    case Table::event_index:
      return true;
    default:
      return false;
  }
}

void compress(rocksdb::ColumnFamilyOptions& options, Table table) {
  if (table == Table::events) {
    // The same on all levels: keys rise, so files are moved down as they are, for which nothing may be left to do.
    options.compression = rocksdb::kLZ4Compression;
    return;
  }
  // What was just flushed is soon rewritten, so it is compressed from the next level on.
  options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kLZ4Compression};
  // Kept for long and read rarely: worth a slower one.
  if (table == Table::audit) options.bottommost_compression = rocksdb::kZSTD;
}

constexpr std::size_t kNumberBytes = 8;

template <std::size_t Tail>
std::size_t all_but(std::string_view key) {
  return key.size() < Tail ? 0 : key.size() - Tail;
}
template <std::size_t Head>
std::size_t at_most(std::string_view key) {
  return std::min(key.size(), Head);
}
std::size_t whole(std::string_view key) { return key.size(); }
// shard tenant kind partition: what follows is in the order of time or position.
std::size_t up_to_partition(std::string_view key) {
  const std::size_t tenant = key.find('\0', kShardBytes);
  if (tenant == std::string_view::npos) return 0;
  const std::size_t partition = key.find('\0', tenant + 2);
  return partition == std::string_view::npos ? 0 : partition + 1;
}

SequenceHead sequence_of(Table table) {
  switch (table) {
    case Table::item_live:
    case Table::item_done:
    case Table::parked_ref:
    case Table::item_by_status:
    case Table::item_tags:
    case Table::item_body:
    case Table::audit:
    case Table::events:
      return all_but<kNumberBytes>;
    case Table::item_log:
      return all_but<2 * kNumberBytes>;
    case Table::item_parked:
    case Table::done_by_time:
    case Table::event_expiry:
      return at_most<kShardBytes>;
    case Table::dedup_by_expiry:
      return at_most<0>;
    case Table::event_index:
      return up_to_partition;
    case Table::meta:
    case Table::counters:
    case Table::workers:
      return whole;  // few keys, each written again and again
    case Table::dedup:
    case Table::documents:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

const char* table_name(Table table) { return kNames[static_cast<std::size_t>(table)]; }

rocksdb::ColumnFamilyOptions table_options(Table table, const rocksdb::BlockBasedTableOptions& shared) {
  rocksdb::BlockBasedTableOptions blocks = shared;
  if (has_point_lookups(table)) blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  if (has_large_blocks(table)) blocks.block_size = 16 << 10;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.memtable_factory = make_memtable_factory(sequence_of(table));
  // No table is a reason of its own to flush: that goes by what all hold together, and by the journal.
  options.write_buffer_size = kNoBoundOfItsOwn;
  // Room for flushes to lag behind a burst before writes are stopped.
  options.max_write_buffer_number = 4;
  compress(options, table);
  merging_of(table) == Merging::runs ? merge_runs(options) : merge_levels(options, table);
  if (works_like_a_queue(table)) {
    // A file where half of any 1,000 neighbouring entries are tombstones is compacted soon.
    options.table_properties_collector_factories.push_back(rocksdb::NewCompactOnDeletionCollectorFactory(1000, 500));
  }
  options.table_properties_collector_factories.push_back(std::make_shared<GivingWayFactory>());
  return options;
}

}  // namespace millrace::store::rocks
