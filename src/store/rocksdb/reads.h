// Records read at one moment. Each function takes the View it reads in, so that what belongs together
// is read together.
#pragma once

#include <optional>
#include <vector>

#include "shard/facts.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/fronts.h"

namespace millrace::store::rocks {

// Wherever the item is placed.
std::optional<queue::ItemRecord> read_item(View& view, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                           Interner& interner);
std::vector<std::shared_ptr<const queue::Body>> read_bodies(View& view, ShardId shard, const queue::QueueKey& queue,
                                                            std::span<const ItemId> ids);
// Oldest first; the newest `limit`.
std::vector<queue::LogEntry> read_log(View& view, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                      std::size_t limit);
std::vector<std::optional<shard::DedupRecord>> read_dedup(View& view, ShardId shard,
                                                          std::span<const shard::DedupKey> keys);
std::vector<queue::ItemRecord> read_parked(View& view, ShardId shard, Time from, std::size_t limit);
std::vector<queue::ItemRecord> read_expired(View& view, Fronts& fronts, ShardId shard, Time before, std::size_t limit);
std::vector<shard::AuditRecord> read_audit(View& view, ShardId shard, const AuditQuery& query);
// All but last_commit.
shard::ShardState read_shard(View& view, ShardId shard);

}  // namespace millrace::store::rocks
