// Single events, and the log by position.
#include "store/postgres/events.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "store/postgres/records.h"

namespace millrace::store::postgres {
namespace {

// By the primary key, row by row.
const Statement kAt = {"events_at", fmt::format(R"sql(
SELECT {}, e.rest
FROM unnest($3::bigint[]) AS t(position)
CROSS JOIN LATERAL (
  SELECT * FROM millrace.events e
  WHERE e.shard = $1::smallint AND e.tenant = $2::text AND e.position = t.position LIMIT 1) AS e)sql",
                                                kEventColumns)};

// By dedup's primary key, then that of the event.
const Statement kById = {"event_by_id", fmt::format(R"sql(
SELECT {}, e.rest
FROM millrace.dedup d
CROSS JOIN LATERAL (
  SELECT * FROM millrace.events e
  WHERE e.shard = d.shard AND e.tenant = d.tenant AND e.position = d.made LIMIT 1) AS e
WHERE d.shard = $1::smallint AND d.tenant = $2::text AND d.kind = {} AND d.key = $3::text)sql",
                                                    kEventColumns, static_cast<int>(shard::DedupKind::event_id))};

// By events_tsid, the first from there on: an order that no other index has.
const Statement kByTsid = {"event_by_tsid", fmt::format(R"sql(
SELECT {}, e.rest
FROM millrace.events e
WHERE e.shard = $1::smallint AND (e.tenant || '/tsid') = $2::text || '/tsid' AND e.tsid >= $3::bigint
ORDER BY e.tsid LIMIT 1)sql",
                                                        kEventColumns)};

// Rows of the log that are sent to be looked at, besides those that are wanted: those who follow it ask again.
constexpr std::size_t kSentMax = 1000;

// By the primary key; what it looks at is narrow, the events that are wanted are read after.
const Statement kLog = {"event_log", R"sql(
SELECT e.position, e.expires, e.received, e.type
FROM millrace.events e
WHERE e.shard = $1::smallint AND e.tenant = $2::text AND e.position > $3::bigint
ORDER BY e.position LIMIT $4::bigint)sql"};

const Statement kLastPosition = {
    "last_position", "SELECT last_position FROM millrace.counters WHERE shard = $1::smallint AND tenant = $2::text"};

// By events_expires.
const Statement kExpired = {"expired_events", fmt::format(R"sql(
SELECT {}
FROM millrace.events e
WHERE e.shard = $1::smallint AND e.expires <= $2::timestamptz AND e.expires IS NOT NULL
ORDER BY e.expires, e.tenant, e.position LIMIT $3::bigint)sql",
                                                          kEventColumns)};

// By the primary key, from the oldest event of each tenant that has one so old: times of reception rise with positions.
const Statement kReceivedBefore = {"events_received_before", fmt::format(R"sql(
SELECT {}
FROM millrace.counters c
CROSS JOIN LATERAL (
  SELECT o.received FROM millrace.events o
  WHERE o.shard = c.shard AND o.tenant = c.tenant ORDER BY o.position LIMIT 1) AS o
CROSS JOIN LATERAL (
  SELECT * FROM millrace.events e
  WHERE e.shard = c.shard AND e.tenant = c.tenant ORDER BY e.position LIMIT $3::bigint) AS e
WHERE c.shard = $1::smallint AND o.received < $2::timestamptz AND e.received < $2::timestamptz
  AND (e.expires IS NULL OR e.expires > $4::timestamptz)
LIMIT $3::bigint)sql",
                                                                         kEventColumns)};

Params of_tenant(ShardId shard, const TenantId& tenant) {
  Params params;
  params.add(column(shard)).add(tenant.text());
  return params;
}

event::Record read_whole(Row& row) {
  event::Record record = read_event(row);
  record.rest = std::make_shared<const std::string>(row.view());
  return record;
}

std::optional<event::Record> first_visible(const Rows& rows, const Horizon& horizon) {
  if (rows.size() == 0) return std::nullopt;
  Row row;
  rows.read(0, row);
  event::Record record = read_whole(row);
  if (horizon.hides(record)) return std::nullopt;
  return record;
}

void add_events(const Rows& rows, std::size_t limit, std::vector<event::Record>& out) {
  Row row;
  for (int i = 0; i < rows.size() && out.size() < limit; ++i) {
    rows.read(i, row);
    out.push_back(read_event(row));
  }
}

}  // namespace

std::vector<std::optional<event::Record>> read_events_at(Connection& connection, ShardId shard, const TenantId& tenant,
                                                         std::span<const Position> positions, const Horizon& horizon) {
  std::vector<std::optional<event::Record>> out(positions.size());
  if (positions.empty()) return out;
  Column wanted;
  for (const Position position : positions) wanted.add(column(position));
  const Rows rows = connection.run(kAt, of_tenant(shard, tenant).add(wanted));
  absl::flat_hash_map<Position, event::Record> found;
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    event::Record record = read_whole(row);
    if (!horizon.hides(record)) found.try_emplace(record.position, std::move(record));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (const auto at = found.find(positions[i]); at != found.end()) out[i] = at->second;
  }
  return out;
}

std::vector<event::Record> read_found(Connection& connection, ShardId shard, const TenantId& tenant,
                                      std::span<const Position> positions, const Horizon& horizon) {
  std::vector<event::Record> out;
  for (auto& event : read_events_at(connection, shard, tenant, positions, horizon)) {
    if (event) out.push_back(std::move(*event));
  }
  return out;
}

std::optional<event::Record> read_event_by_id(Connection& connection, ShardId shard, const TenantId& tenant,
                                              const std::string& event_id, const Horizon& horizon) {
  return first_visible(connection.run(kById, of_tenant(shard, tenant).add(event_id)), horizon);
}

std::optional<event::Record> read_event_by_tsid(Connection& connection, ShardId shard, const TenantId& tenant,
                                                std::uint64_t tsid, const Horizon& horizon) {
  auto found = first_visible(connection.run(kByTsid, of_tenant(shard, tenant).add(as_bigint(tsid))), horizon);
  if (found && found->tsid != tsid) return std::nullopt;
  return found;
}

Position read_last_position(Connection& connection, ShardId shard, const TenantId& tenant) {
  const Rows rows = connection.run(kLastPosition, of_tenant(shard, tenant));
  if (rows.size() == 0) return {};
  Row row;
  rows.read(0, row);
  return Position{row.u64()};
}

LogPage read_event_log(Connection& connection, ShardId shard, const LogQuery& query) {
  const std::size_t looked_at = query.limit + (query.types.empty() ? 1 : kSentMax);
  const Rows rows =
      connection.run(kLog, of_tenant(shard, query.tenant).add(column(query.after)).add(as_bigint(looked_at)));
  LogPage page{.events = {}, .through = query.after};
  std::vector<Position> wanted;
  Row row;
  int read = 0;
  for (; read < rows.size() && wanted.size() < query.limit; ++read) {
    rows.read(read, row);
    page.through = Position{row.u64()};
    const auto expires = row.maybe(&Row::time);
    const bool shown = !query.horizon.hides(expires, row.time());
    const bool typed = query.types.empty() || std::ranges::find(query.types, row.view()) != query.types.end();
    if (typed && shown) wanted.push_back(page.through);
  }
  page.more = read < rows.size() || static_cast<std::size_t>(rows.size()) == looked_at;
  page.events = read_found(connection, shard, query.tenant, wanted, query.horizon);
  return page;
}

std::vector<event::Record> read_expired_events(Connection& connection, ShardId shard, const Horizon& horizon,
                                               std::size_t limit) {
  std::vector<event::Record> out;
  add_events(connection.run(kExpired, Params().add(column(shard)).add(horizon.now).add(as_bigint(limit))), limit, out);
  if (horizon.received_before && out.size() < limit) {
    add_events(connection.run(
                   kReceivedBefore,
                   Params().add(column(shard)).add(*horizon.received_before).add(as_bigint(limit)).add(horizon.now)),
               limit, out);
  }
  return out;
}

}  // namespace millrace::store::postgres
