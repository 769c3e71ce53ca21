#include <fmt/format.h>

#include <absl/container/flat_hash_map.h>
#include "store/postgres/reads.h"
#include "store/postgres/records.h"

namespace millrace::store::postgres {
namespace {

// By item_state_stage; the shard is a number of ours, COPY takes no parameters.
std::string copy_live(ShardId shard) {
  return fmt::format(
      "COPY (SELECT {} FROM millrace.item_state s WHERE s.shard = {} AND s.stage BETWEEN 0 AND 9) "
      "TO STDOUT (FORMAT binary)",
      kStateColumns, shard.value);
}

const Statement kLanes = {"lanes", fmt::format(R"sql(
SELECT l.lane, {}
FROM unnest($2::uuid[]) AS t(lane)
CROSS JOIN LATERAL (SELECT * FROM millrace.lanes l WHERE l.shard = $1::smallint AND l.lane = t.lane LIMIT 1) AS l)sql",
                                               kLaneColumns)};

const Statement kHasParked = {
    "has_parked",
    "SELECT EXISTS (SELECT FROM millrace.item_state WHERE shard = $1::smallint AND parked_due IS NOT NULL)"};
// By item_state_parked_members, whose condition this repeats; a next_on_error item that failed was set aside and keeps
// no order (queue::keeps_order).
const Statement kParkedGroups = {"parked_groups", R"sql(
SELECT tenant, queue, group_name, group_mode, min(id), max(id), min(parked_due)
FROM millrace.item_state
WHERE shard = $1::smallint AND parked_due IS NOT NULL
  AND group_mode IN (1, 2) AND (group_mode = 2 OR retry_count = 0)
GROUP BY tenant, queue, group_name, group_mode)sql"};
const Statement kLastCommit = {"last_commit",
                               "SELECT last_commit FROM millrace.shard_leases WHERE shard = $1::smallint"};
const Statement kCounters = {"counters", R"sql(
SELECT tenant, last_item, last_log, last_position, last_audit, audit_hash, last_tsid, last_removed
FROM millrace.counters WHERE shard = $1::smallint ORDER BY tenant)sql"};
const Statement kQueueCounts = {"queue_counts", R"sql(
SELECT tenant, queue, pending, processing, completed, failed, cancelled
FROM millrace.queue_counts WHERE shard = $1::smallint ORDER BY tenant, queue)sql"};
const Statement kDocuments = {"documents", R"sql(
SELECT kind, key, tenant, version, body, updated
FROM millrace.documents WHERE shard = $1::smallint ORDER BY kind, key)sql"};
const Statement kWorkers = {"workers", R"sql(
SELECT tenant, queue, worker, last_seen
FROM millrace.workers WHERE shard = $1::smallint ORDER BY tenant, queue, worker)sql"};

// One probe of each primary key a shard.
const Statement kShards = {"shards", R"sql(
SELECT n::smallint FROM generate_series(0, 1024) AS n
WHERE EXISTS (SELECT FROM millrace.counters WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.documents WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.item_state WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.item_log WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.dedup WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.audit WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.workers WHERE shard = n::smallint)
   OR EXISTS (SELECT FROM millrace.events WHERE shard = n::smallint)
ORDER BY n)sql"};

// The live items, their lanes still to be filled in: lane_of[i] indexes `lanes` for live[i].
struct LiveItems {
  std::vector<queue::ItemRecord> live;
  std::vector<std::uint32_t> lane_of;
  std::vector<Uuid> lanes;
};

LiveItems copy_live_items(Connection& connection, ShardId shard, Pool& pool) {
  LiveItems items;
  absl::flat_hash_map<Uuid, std::uint32_t> numbers;
  connection.copy_out(copy_live(shard), [&](Row& row) {
    const Uuid lane = read_state(row, pool, items.live.emplace_back());
    const auto [number, first] = numbers.try_emplace(lane, static_cast<std::uint32_t>(items.lanes.size()));
    if (first) items.lanes.push_back(lane);
    items.lane_of.push_back(number->second);
  });
  return items;
}

void fill_lanes(Connection& connection, ShardId shard, Pool& pool, LiveItems& items) {
  if (items.lanes.empty()) return;
  Column wanted;
  for (const Uuid& lane : items.lanes) wanted.add(lane);
  const Rows rows = connection.run(kLanes, Params().add(column(shard)).add(wanted));
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    const Uuid digest = row.uuid();
    pool.keep_lane(digest, read_lane(row));
  }
  std::vector<const Lane*> found;
  found.reserve(items.lanes.size());
  for (const Uuid& lane : items.lanes) found.push_back(pool.find_lane(lane));
  for (std::size_t i = 0; i < items.live.size(); ++i) {
    const Lane* lane = found[items.lane_of[i]];
    if (lane == nullptr) throw WireError("millrace.lanes misses a row that an item names");
    set_lane(items.live[i], *lane);
  }
}

shard::TenantCounters read_counters(Row& row) {
  return {.tenant = TenantId::trusted(row.text()),
          .last_item = row.u64(),
          .last_log = row.u64(),
          .last_position = row.u64(),
          .last_audit = row.u64(),
          .audit_hash = row.text(),
          .last_tsid = row.u64(),
          .last_removed = row.u64(),
          .queues = {}};
}

// Both in the order of their tenants.
std::vector<shard::TenantCounters> join_counters(const Rows& counters, const Rows& queues) {
  std::vector<shard::TenantCounters> joined;
  Row row;
  for (int i = 0; i < counters.size(); ++i) {
    counters.read(i, row);
    joined.push_back(read_counters(row));
  }
  auto tenant = joined.begin();
  for (int i = 0; i < queues.size(); ++i) {
    queues.read(i, row);
    const std::string_view name = row.view();
    while (tenant != joined.end() && tenant->tenant.text() < name) ++tenant;
    if (tenant == joined.end()) break;
    if (tenant->tenant.text() != name) continue;
    shard::QueueCounts counts{.queue = row.text(), .by_status = {}};
    for (std::uint64_t& count : counts.by_status) count = row.u64();
    tenant->queues.push_back(std::move(counts));
  }
  return joined;
}

shard::Document read_document(Row& row) {
  return {.kind = row.text(),
          .key = row.text(),
          .tenant = TenantId::trusted(row.text()),
          .version = row.u64(),
          .body = row.text(),
          .updated = row.time()};
}

shard::WorkerRecord read_worker(Row& row) {
  queue::QueueKey queue{.tenant = TenantId::trusted(row.text()), .name = row.text()};
  return {.queue = std::move(queue), .worker = row.text(), .last_seen = row.time()};
}

shard::ParkedGroup read_parked_group(Row& row) {
  queue::QueueKey queue{.tenant = TenantId::trusted(row.text()), .name = row.text()};
  queue::GroupKey group{.name = row.text(), .mode = static_cast<queue::GroupMode>(row.i16())};
  return {.queue = std::move(queue),
          .group = std::move(group),
          .first = ItemId{row.u64()},
          .last = ItemId{row.u64()},
          .parked_at = row.time()};
}

template <class T>
std::vector<T> read_all(const Rows& rows, T (*read)(Row&)) {
  std::vector<T> all;
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    all.push_back(read(row));
  }
  return all;
}

std::vector<Rows> read_parts(Connection& connection, ShardId shard) {
  const Params of_shard = std::move(Params().add(column(shard)));
  Pipeline pipeline(connection);
  for (const Statement* statement :
       {&kHasParked, &kLastCommit, &kCounters, &kQueueCounts, &kDocuments, &kWorkers, &kParkedGroups}) {
    pipeline.add(*statement, of_shard);
  }
  return pipeline.finish();
}

}  // namespace

shard::ShardState load_shard(Connection& connection, ShardId shard) {
  // One snapshot for all. A shard may be most of the table: here a scan may be the best plan.
  connection.script(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
      "SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on");
  Pool pool;
  LiveItems items = copy_live_items(connection, shard, pool);
  fill_lanes(connection, shard, pool, items);

  const std::vector<Rows> results = read_parts(connection, shard);
  connection.script("COMMIT");
  Row row;
  shard::ShardState state{
      .shard = shard, .live = std::move(items.live), .counters = {}, .documents = {}, .workers = {}};
  results[0].read(0, row);
  state.has_parked = row.boolean();
  results[1].read(0, row);
  state.last_commit = row.maybe(&Row::time).value_or(Time{});
  state.counters = join_counters(results[2], results[3]);
  state.documents = read_all(results[4], read_document);
  state.workers = read_all(results[5], read_worker);
  state.parked_groups = read_all(results[6], read_parked_group);
  return state;
}

std::vector<ShardId> list_shards(Connection& connection) {
  return read_all<ShardId>(connection.run(kShards),
                           [](Row& row) { return ShardId{static_cast<std::uint16_t>(row.i16())}; });
}

}  // namespace millrace::store::postgres
