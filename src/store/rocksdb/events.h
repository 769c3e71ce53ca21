// The event log in the embedded store: rows by position, and index entries that name them. An entry is found by a
// range of keys, so every access pattern costs what it returns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/event_query.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/fronts.h"

namespace millrace::store::rocks {

// Writing, as part of a group commit.
void write_events(Database& database, rocksdb::WriteBatch& out, const shard::Batch& batch);

// Reading; each as in Store.
EventPage read_events(View& view, ShardId shard, const EventQuery& query);
EventList list_events(View& view, ShardId shard, const EventListing& listing);
LogPage read_event_log(View& view, ShardId shard, const LogQuery& query);
std::vector<std::optional<event::Record>> read_events_at(View& view, ShardId shard, const TenantId& tenant,
                                                         std::span<const Position> positions, const Horizon& horizon);
std::optional<event::Record> read_event_by_id(View& view, ShardId shard, const TenantId& tenant,
                                              const std::string& event_id, const Horizon& horizon);
std::optional<event::Record> read_event_by_tsid(View& view, ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                                const Horizon& horizon);
Position read_last_position(View& view, ShardId shard, const TenantId& tenant);
std::vector<event::Record> read_expired_events(View& view, Fronts& fronts, ShardId shard, const Horizon& horizon,
                                               std::size_t limit);

}  // namespace millrace::store::rocks
