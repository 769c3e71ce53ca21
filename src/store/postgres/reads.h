// The reads of Store, each on a connection it is given. All of them see only what was committed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shard/facts.h"
#include "store/postgres/connection.h"
#include "store/store.h"

namespace millrace::store::postgres {

// point_reads.cc
std::optional<ItemView> read_item_view(Connection& connection, ShardId shard, const queue::QueueKey& queue, ItemId id);
std::vector<std::shared_ptr<const queue::Body>> read_bodies(Connection& connection, ShardId shard,
                                                            const queue::QueueKey& queue, std::span<const ItemId> ids);
std::vector<queue::LogEntry> read_log(Connection& connection, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                      std::size_t limit);
shard::Facts read_facts(Connection& connection, ShardId shard, const shard::Need& need);
std::vector<shard::AuditRecord> read_audit_page(Connection& connection, ShardId shard, const AuditQuery& query);

// listing.cc
ItemPage list_items(Connection& connection, ShardId shard, const ItemQuery& query);
std::uint64_t count_items(Connection& connection, ShardId shard, const ItemQuery& query, std::uint64_t at_most);
std::vector<queue::ItemRecord> list_parked(Connection& connection, ShardId shard, Time from, std::size_t limit);
std::vector<queue::ItemRecord> list_finished(Connection& connection, ShardId shard, Time before, std::size_t limit);

// loading.cc
shard::ShardState load_shard(Connection& connection, ShardId shard);
std::vector<ShardId> list_shards(Connection& connection);

}  // namespace millrace::store::postgres
