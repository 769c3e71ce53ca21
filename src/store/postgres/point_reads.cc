#include <fmt/format.h>

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include "store/postgres/reads.h"
#include "store/postgres/records.h"

namespace millrace::store::postgres {
namespace {

// By the primary keys. LATERAL with a LIMIT is a row by row lookup to the planner; a plain join, or = ANY,
// would be a choice, made once, that turns bad when the tables grow.
const Statement kItem = {"item", fmt::format(R"sql(
SELECT {}, {}, {}
FROM millrace.item_state s
{}
{}
WHERE s.shard = $1::smallint AND s.tenant = $2::text AND s.queue = $3::text AND s.id = $4::bigint)sql",
                                             kStateColumns, kLaneColumns, kBodyColumns, kJoinLane, kJoinBody)};

const Statement kBodies = {"bodies", fmt::format(R"sql(
SELECT b.id, {}
FROM unnest($4::bigint[]) AS t(id)
CROSS JOIN LATERAL (
  SELECT * FROM millrace.item_body b
  WHERE b.shard = $1::smallint AND b.tenant = $2::text AND b.queue = $3::text AND b.id = t.id LIMIT 1) AS b)sql",
                                                 kBodyColumns)};

const Statement kLog = {"log", fmt::format(R"sql(
SELECT {}
FROM millrace.item_log g
WHERE g.shard = $1::smallint AND g.tenant = $2::text AND g.queue = $3::text AND g.item = $4::bigint
ORDER BY g.id DESC LIMIT $5::bigint)sql",
                                           kLogColumns)};

// `n` says which of the asked a row answers.
const Statement kFactItems = {"fact_items", fmt::format(R"sql(
SELECT t.n, {}, {}
FROM unnest($2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS t(tenant, queue, id, n)
CROSS JOIN LATERAL (
  SELECT * FROM millrace.item_state s
  WHERE s.shard = $1::smallint AND s.tenant = t.tenant AND s.queue = t.queue AND s.id = t.id LIMIT 1) AS s
{})sql",
                                                        kStateColumns, kLaneColumns, kJoinLane)};

const Statement kFactLogs = {"fact_logs", fmt::format(R"sql(
SELECT t.n, g.*
FROM unnest($2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS t(tenant, queue, id, n)
CROSS JOIN LATERAL (
  SELECT {} FROM millrace.item_log g
  WHERE g.shard = $1::smallint AND g.tenant = t.tenant AND g.queue = t.queue AND g.item = t.id
  ORDER BY g.id DESC LIMIT {}) AS g)sql",
                                                      kLogColumns, shard::kHistoryMax)};

const Statement kFactDedup = {"fact_dedup", fmt::format(R"sql(
SELECT t.n, {}
FROM unnest($2::text[], $3::smallint[], $4::text[]) WITH ORDINALITY AS t(tenant, kind, key, n)
CROSS JOIN LATERAL (
  SELECT * FROM millrace.dedup d
  WHERE d.shard = $1::smallint AND d.tenant = t.tenant AND d.kind = t.kind AND d.key = t.key LIMIT 1) AS d)sql",
                                                        kDedupColumns)};

const Statement kAudit = {"audit", fmt::format(R"sql(
SELECT {}
FROM millrace.audit
WHERE shard = $1::smallint AND tenant = $2::text AND seq > $3::bigint
ORDER BY seq LIMIT $4::bigint)sql",
                                               kAuditColumns)};

Params of_queue(ShardId shard, const queue::QueueKey& queue) {
  Params params;
  params.add(column(shard)).add(queue.tenant.text()).add(queue.name);
  return params;
}

// WITH ORDINALITY counts from 1.
std::size_t index(Row& row) { return static_cast<std::size_t>(row.i64()) - 1; }

Params params_of(ShardId shard, Columns& columns) {
  Params params;
  params.add(column(shard)).add(columns);
  return params;
}

void take_items(const Rows& items, shard::Facts& facts) {
  Pool pool;
  Row row;
  for (int i = 0; i < items.size(); ++i) {
    items.read(i, row);
    const std::size_t n = index(row);
    facts.items[n] = shard::ItemHistory{.record = read_item(row, pool), .log = {}};
  }
}

void take_logs(const Rows& logs, shard::Facts& facts) {
  Row row;
  for (int i = 0; i < logs.size(); ++i) {
    logs.read(i, row);
    auto& history = facts.items[index(row)];
    if (history) history->log.push_back(read_log_entry(row));
  }
  for (auto& history : facts.items) {
    if (history) std::ranges::sort(history->log, {}, &queue::LogEntry::id);
  }
}

}  // namespace

std::optional<ItemView> read_item_view(Connection& connection, ShardId shard, const queue::QueueKey& queue, ItemId id) {
  const Rows rows = connection.run(kItem, of_queue(shard, queue).add(column(id)));
  if (rows.size() == 0) return std::nullopt;
  Pool pool;
  Row row;
  rows.read(0, row);
  queue::ItemRecord record = read_item(row, pool);
  return ItemView{.record = std::move(record), .body = read_body(row)};
}

std::vector<std::shared_ptr<const queue::Body>> read_bodies(Connection& connection, ShardId shard,
                                                            const queue::QueueKey& queue, std::span<const ItemId> ids) {
  std::vector<std::shared_ptr<const queue::Body>> bodies(ids.size());
  if (ids.empty()) return bodies;
  Column wanted;
  for (const ItemId id : ids) wanted.add(column(id));
  const Rows rows = connection.run(kBodies, of_queue(shard, queue).add(wanted));
  absl::flat_hash_map<ItemId, std::shared_ptr<const queue::Body>> found;
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    const ItemId id{row.u64()};
    found[id] = read_body(row);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto body = found.find(ids[i]);
    if (body != found.end()) bodies[i] = body->second;
  }
  return bodies;
}

std::vector<queue::LogEntry> read_log(Connection& connection, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                      std::size_t limit) {
  const Rows rows = connection.run(kLog, of_queue(shard, queue).add(column(id)).add(as_bigint(limit)));
  std::vector<queue::LogEntry> log;
  Row row;
  for (int i = rows.size() - 1; i >= 0; --i) {
    rows.read(i, row);
    log.push_back(read_log_entry(row));
  }
  return log;
}

shard::Facts read_facts(Connection& connection, ShardId shard, const shard::Need& need) {
  shard::Facts facts{.items = std::vector<std::optional<shard::ItemHistory>>(need.items.size()),
                     .dedup = std::vector<std::optional<shard::DedupRecord>>(need.dedup.size())};
  if (need.empty()) return facts;
  Columns items;
  for (const shard::ItemRef& ref : need.items) items.add(ref.queue.tenant.text(), ref.queue.name, column(ref.id));
  Columns dedup;
  for (const shard::DedupKey& key : need.dedup) {
    dedup.add(key.tenant.text(), static_cast<std::int16_t>(key.kind), key.key);
  }

  Pipeline pipeline(connection);
  if (!items.empty()) pipeline.add(kFactItems, params_of(shard, items));
  const bool logs = !items.empty() && need.logs;
  if (logs) pipeline.add(kFactLogs, params_of(shard, items));
  if (!dedup.empty()) pipeline.add(kFactDedup, params_of(shard, dedup));
  const std::vector<Rows> results = pipeline.finish();

  if (!items.empty()) take_items(results[0], facts);
  if (logs) take_logs(results[1], facts);
  if (!dedup.empty()) {
    Row row;
    for (int i = 0; i < results.back().size(); ++i) {
      results.back().read(i, row);
      const std::size_t n = index(row);
      facts.dedup[n] = read_dedup(row);
    }
  }
  return facts;
}

std::vector<shard::AuditRecord> read_audit_page(Connection& connection, ShardId shard, const AuditQuery& query) {
  const Rows rows = connection.run(
      kAudit,
      Params().add(column(shard)).add(query.tenant.text()).add(column(query.after)).add(as_bigint(query.limit)));
  std::vector<shard::AuditRecord> page;
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    page.push_back(read_audit(row));
  }
  return page;
}

}  // namespace millrace::store::postgres
