// The tables of the embedded store: one RocksDB column family each. Keys in byte order; numbers in
// them are big endian; names end with NUL, which no name holds, so "a" and "ab" never mix.
//
//   table           key                                     value
//   meta            name                                    format, epoch, latest time of each shard, journal
//   item_live       shard tenant queue id                   ItemRecord: recovery scans this table alone
//   item_done       shard tenant queue id                   ItemRecord
//   item_parked     shard parked_at tenant queue id         ItemRecord, in the order it is refilled
//   parked_ref      shard tenant queue id                   where in item_parked
//   item_by_status  shard tenant queue status id            - (see is_indexed)
//   done_by_time    shard updated tenant queue id           -, what expires next
//   item_tags       shard tenant queue tag id               -
//   item_body       shard tenant queue id                   Body
//   item_log        shard tenant queue id log-id            LogEntry
//   dedup           shard tenant kind key                   DedupRecord
//   dedup_by_expiry expires shard tenant kind key           -, may be stale: the row decides
//   counters        shard tenant                            TenantCounters
//   documents       shard kind key                          Document
//   audit           shard tenant seq                        AuditRecord
//   workers         shard tenant queue worker               last seen
//   events          shard tenant position                   event::Record
//   event_index     shard tenant kind … position            -, see event_entries.h
//   event_expiry    shard expires tenant position           -, the events that have a time to go
#pragma once

#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <array>
#include <cstdint>

#include "queue/item.h"

namespace millrace::store::rocks {

enum class Table : std::uint8_t {
  meta,
  item_live,
  item_done,
  item_parked,
  parked_ref,
  item_by_status,
  done_by_time,
  item_tags,
  item_body,
  item_log,
  dedup,
  dedup_by_expiry,
  counters,
  documents,
  audit,
  workers,
  events,
  event_index,
  event_expiry,
};
inline constexpr std::size_t kTables = 19;
// The layout above. A change that this program could not read raises it, and opening converts.
// 2: the journal beside the tables (docs/adr/0009), the event log (docs/adr/0010).
// 3: a folder of 2 on its way to 4.
// 4: the entries of access pattern `table` without the event's id, so in the order of positions.
inline constexpr std::uint64_t kFormat = 4;
inline constexpr std::uint64_t kFormatWithEventIds = 2;
inline constexpr std::uint64_t kFormatInConversion = 3;

const char* table_name(Table table);

// PENDING and COMPLETED items are most of item_live and item_done: a listing scans those. The others
// are few among many and have an index.
constexpr bool is_indexed(queue::Status status) {
  return status != queue::Status::pending && status != queue::Status::completed;
}

// How each table is stored. `shared` are the options that all have in common.
rocksdb::ColumnFamilyOptions table_options(Table table, const rocksdb::BlockBasedTableOptions& shared);

}  // namespace millrace::store::rocks
