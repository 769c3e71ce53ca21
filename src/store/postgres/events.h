// The event log in PostgreSQL: one table, an index a way to ask. Reads find the positions in an index first,
// then the events by their key.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/event_query.h"
#include "store/postgres/connection.h"

namespace millrace::store::postgres {

// Each as in Store.
EventPage read_events(Connection& connection, ShardId shard, const EventQuery& query);
EventList list_events(Connection& connection, ShardId shard, const EventListing& listing);
LogPage read_event_log(Connection& connection, ShardId shard, const LogQuery& query);
std::vector<std::optional<event::Record>> read_events_at(Connection& connection, ShardId shard, const TenantId& tenant,
                                                         std::span<const Position> positions, const Horizon& horizon);
// Those that are there, in the order of their positions' list.
std::vector<event::Record> read_found(Connection& connection, ShardId shard, const TenantId& tenant,
                                      std::span<const Position> positions, const Horizon& horizon);
std::optional<event::Record> read_event_by_id(Connection& connection, ShardId shard, const TenantId& tenant,
                                              const std::string& event_id, const Horizon& horizon);
std::optional<event::Record> read_event_by_tsid(Connection& connection, ShardId shard, const TenantId& tenant,
                                                std::uint64_t tsid, const Horizon& horizon);
Position read_last_position(Connection& connection, ShardId shard, const TenantId& tenant);
std::vector<event::Record> read_expired_events(Connection& connection, ShardId shard, const Horizon& horizon,
                                               std::size_t limit);

}  // namespace millrace::store::postgres
