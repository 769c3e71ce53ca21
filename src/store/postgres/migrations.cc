#include "store/postgres/migrations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "store/postgres/event_tables.h"
#include "store/postgres/sent_rows.h"
#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

// Rules that keep the schema portable to Citus, YugabyteDB and Aurora, checked against the catalog by
// tests/postgres: `shard` leads every key, no sequences, no advisory locks, numbers and times are ours.
//
// item_state is rewritten with each transition, so no index may hold what a claim or a retry changes: then
// the update stays on its page (HOT). `stage` is what the indexes know of status and placement:
// 10 * placement + status, with PROCESSING counted as PENDING, because a claim must not change it.
// item_state_stage names the queue by an expression, so that no other index fits a query by stage: without
// statistics the planner would as soon walk the primary key and filter. (A tenant's name has no slash.)
constexpr char kTables[] = R"sql(
CREATE TABLE millrace.nodes (
  instance  text COLLATE "C" PRIMARY KEY,
  node      text COLLATE "C" NOT NULL,
  started   timestamptz NOT NULL,
  heartbeat timestamptz NOT NULL,
  ttl       interval NOT NULL,
  gone      boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
COMMENT ON TABLE millrace.nodes IS 'Running programs; one is dead once its heartbeat is older than its ttl';

CREATE TABLE millrace.shard_leases (
  shard       smallint PRIMARY KEY,
  epoch       bigint NOT NULL DEFAULT 0,
  last_commit timestamptz,
  taken       timestamptz,
  node        text COLLATE "C" NOT NULL DEFAULT '',
  instance    text COLLATE "C" NOT NULL DEFAULT ''
) WITH (fillfactor = 30);
COMMENT ON TABLE millrace.shard_leases IS 'Who may write a shard; every commit locks its rows and checks the epoch';
INSERT INTO millrace.shard_leases (shard) SELECT generate_series(0, 1024);

CREATE TABLE millrace.lanes (
  lane          uuid NOT NULL,
  retry_base_ms bigint NOT NULL,
  retry_cap_ms  bigint NOT NULL,
  max_retries   integer NOT NULL,
  shard         smallint NOT NULL,
  retry_kind    smallint NOT NULL,
  retry_jitter  boolean NOT NULL,
  tenant        text COLLATE "C" NOT NULL,
  queue         text COLLATE "C" NOT NULL,
  bus           text COLLATE "C" NOT NULL,
  tag_list      text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (shard, lane)
);
COMMENT ON TABLE millrace.lanes IS 'What many items have in common; lane is a digest of the rest';

CREATE TABLE millrace.lane_tags (
  shard  smallint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  queue  text COLLATE "C" NOT NULL,
  tag    text COLLATE "C" NOT NULL,
  lane   uuid NOT NULL,
  PRIMARY KEY (shard, tenant, queue, tag, lane)
);

CREATE TABLE millrace.item_body (
  id          bigint NOT NULL,
  created     timestamptz NOT NULL,
  shard       smallint NOT NULL,
  tenant      text COLLATE "C" NOT NULL,
  queue       text COLLATE "C" NOT NULL,
  title       text NOT NULL,
  description text,
  tags        text NOT NULL,
  payload     json NOT NULL,
  PRIMARY KEY (shard, tenant, queue, id)
);
COMMENT ON TABLE millrace.item_body IS 'What an item says; written once';

CREATE TABLE millrace.item_state (
  id           bigint NOT NULL,
  due          timestamptz NOT NULL,
  updated      timestamptz NOT NULL,
  parked_due   timestamptz,
  finished_at  timestamptz,
  lease_token  bigint,
  lease_until  timestamptz,
  lane         uuid NOT NULL,
  priority     integer NOT NULL,
  retry_count  integer NOT NULL,
  attempt      integer NOT NULL,
  shard        smallint NOT NULL,
  stage        smallint NOT NULL,
  status       smallint NOT NULL,
  group_mode   smallint,
  retry_wait   boolean NOT NULL,
  tenant       text COLLATE "C" NOT NULL,
  queue        text COLLATE "C" NOT NULL,
  group_name   text COLLATE "C",
  lease_worker text COLLATE "C",
  PRIMARY KEY (shard, tenant, queue, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX item_state_stage ON millrace.item_state (shard, stage, (tenant || '/' || queue), id);
CREATE INDEX item_state_lane ON millrace.item_state (shard, lane, stage, id);
CREATE INDEX item_state_parked ON millrace.item_state (shard, parked_due, tenant, queue, id)
  WHERE parked_due IS NOT NULL;
CREATE INDEX item_state_finished ON millrace.item_state (shard, finished_at, tenant, queue, id)
  WHERE finished_at IS NOT NULL;
COMMENT ON TABLE millrace.item_state IS 'Where an item stands; rewritten with each transition';

CREATE TABLE millrace.item_log (
  item              bigint NOT NULL,
  id                bigint NOT NULL,
  created           timestamptz NOT NULL,
  token             bigint NOT NULL,
  status_code       bigint,
  execution_time_ms bigint,
  next_retry_at     timestamptz,
  attempt           integer NOT NULL,
  retry_count       integer NOT NULL,
  shard             smallint NOT NULL,
  action            smallint NOT NULL,
  tenant            text COLLATE "C" NOT NULL,
  queue             text COLLATE "C" NOT NULL,
  worker            text NOT NULL,
  error_message     text,
  reason            text,
  PRIMARY KEY (shard, tenant, queue, item, id)
);

CREATE TABLE millrace.dedup (
  made        bigint NOT NULL,
  expires     timestamptz NOT NULL,
  shard       smallint NOT NULL,
  kind        smallint NOT NULL,
  tenant      text COLLATE "C" NOT NULL,
  key         text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  PRIMARY KEY (shard, tenant, kind, key)
);
CREATE INDEX dedup_expires ON millrace.dedup (expires);

CREATE TABLE millrace.counters (
  last_item     bigint NOT NULL,
  last_log      bigint NOT NULL,
  last_position bigint NOT NULL,
  last_audit    bigint NOT NULL,
  last_tsid     bigint NOT NULL,
  shard         smallint NOT NULL,
  tenant        text COLLATE "C" NOT NULL,
  audit_hash    bytea NOT NULL,
  PRIMARY KEY (shard, tenant)
) WITH (fillfactor = 50);

CREATE TABLE millrace.queue_counts (
  pending    bigint NOT NULL,
  processing bigint NOT NULL,
  completed  bigint NOT NULL,
  failed     bigint NOT NULL,
  cancelled  bigint NOT NULL,
  shard      smallint NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  queue      text COLLATE "C" NOT NULL,
  PRIMARY KEY (shard, tenant, queue)
) WITH (fillfactor = 50);

CREATE TABLE millrace.documents (
  version bigint NOT NULL,
  updated timestamptz NOT NULL,
  shard   smallint NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  key     text COLLATE "C" NOT NULL,
  tenant  text COLLATE "C" NOT NULL,
  body    json NOT NULL,
  PRIMARY KEY (shard, kind, key)
);

CREATE TABLE millrace.audit (
  seq            bigint NOT NULL,
  time           timestamptz NOT NULL,
  shard          smallint NOT NULL,
  tenant         text COLLATE "C" NOT NULL,
  actor          text NOT NULL,
  action         text NOT NULL,
  entity_type    text NOT NULL,
  entity_id      text NOT NULL,
  correlation_id text NOT NULL,
  "values"       json,
  values_digest  bytea NOT NULL,
  previous_hash  bytea NOT NULL,
  hash           bytea NOT NULL,
  PRIMARY KEY (shard, tenant, seq)
);
COMMENT ON COLUMN millrace.audit."values" IS 'NULL once erased; the chain covers values_digest';

CREATE TABLE millrace.workers (
  last_seen timestamptz NOT NULL,
  shard     smallint NOT NULL,
  tenant    text COLLATE "C" NOT NULL,
  queue     text COLLATE "C" NOT NULL,
  worker    text COLLATE "C" NOT NULL,
  PRIMARY KEY (shard, tenant, queue, worker)
) WITH (fillfactor = 70);

CREATE FUNCTION millrace.require_leases(held bigint, wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF held <> wanted THEN
    RAISE EXCEPTION 'another node owns the shards now' USING ERRCODE = 'MR001';
  END IF;
END $$;
)sql";

constexpr char kViews[] = R"sql(
CREATE VIEW millrace.items AS
SELECT s.tenant, s.queue, s.id, b.title, b.description, b.tags, b.payload, b.created,
       (ARRAY['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED'])[s.status + 1] AS status,
       (ARRAY['live', 'parked', 'done'])[s.stage / 10 + 1] AS placement,
       s.due, s.retry_wait, s.retry_count, l.max_retries, s.attempt, s.priority, s.updated,
       s.lease_worker, s.lease_until, s.group_name,
       (ARRAY['immediate', 'next_on_error', 'block_on_error'])[s.group_mode + 1] AS group_mode,
       l.bus, l.tag_list, (ARRAY['fixed', 'exponential'])[l.retry_kind + 1] AS retry_kind, l.retry_jitter,
       l.retry_base_ms, l.retry_cap_ms, s.shard
FROM millrace.item_state s
JOIN millrace.item_body b USING (shard, tenant, queue, id)
JOIN millrace.lanes l ON l.shard = s.shard AND l.lane = s.lane;
COMMENT ON VIEW millrace.items IS 'Work items with names for numbers, for people';

CREATE VIEW millrace.item_history AS
SELECT tenant, queue, item, id,
       (ARRAY['picked', 'started', 'completed', 'failed', 'timed_out', 'reset', 'released', 'cancelled'])[action + 1]
         AS action,
       attempt, worker, created, status_code, execution_time_ms, error_message, reason, next_retry_at, retry_count,
       shard
FROM millrace.item_log;
)sql";

// `shard` is a hash of the tenant's name. Large values are compressed and stored out of line by PostgreSQL itself.
constexpr char kBlobs[] = R"sql(
CREATE TABLE millrace.blobs (
  written timestamptz NOT NULL,
  shard   smallint NOT NULL,
  tenant  text COLLATE "C" NOT NULL,
  key     text COLLATE "C" NOT NULL,
  bytes   bytea NOT NULL,
  PRIMARY KEY (shard, tenant, key)
);
COMMENT ON TABLE millrace.blobs IS 'Large payloads; an event or item names its blob by the key';
)sql";

// Events of one millisecond in the order of their positions, as in the other access patterns: the event's id, which
// ends the sort key, no longer orders. The new index is built while nodes wait for it.
constexpr char kTableByPosition[] = R"sql(
DROP INDEX millrace.events_table;
CREATE INDEX events_table ON millrace.events ((tenant || '/0/'), time_key, position);
)sql";

// Which ordered groups have parked members, without a look at all parked items.
constexpr char kParkedMembers[] = R"sql(
CREATE INDEX item_state_parked_members ON millrace.item_state (shard, tenant, queue, group_name, group_mode, id)
  INCLUDE (parked_due)
  WHERE parked_due IS NOT NULL AND group_mode IN (1, 2);
)sql";

constexpr char kRemovedVersions[] = R"sql(
ALTER TABLE millrace.counters ADD COLUMN last_removed bigint NOT NULL DEFAULT 0;
)sql";

// One row, of the system shard. See store/installation.h.
constexpr char kInstallation[] = R"sql(
CREATE TABLE millrace.installation (
  shard smallint PRIMARY KEY,
  id    text COLLATE "C" NOT NULL
);
COMMENT ON TABLE millrace.installation IS 'Which installation this is: whose blobs a place outside holds';
)sql";

constexpr Migration kMigrations[] = {
    {1, "tables", kTables},
    {2, "views for people", kViews},
    {3, "event log", kEventTables},
    {4, "large payloads", kBlobs},
    {5, "events of one millisecond by position", kTableByPosition},
    {6, "parked members of ordered groups", kParkedMembers},
    {7, "versions of removed documents", kRemovedVersions},
    // Earlier programs name the former keys in ON CONFLICT.
    {8, "rows as they are sent, keys by number", kSentRows, Upgrade::stop},
    {9, "the installation", kInstallation},
};

const Statement kHasLedger = {"has_ledger", "SELECT to_regclass('millrace.schema_migrations') IS NOT NULL"};
const Statement kApplied = {"applied", "SELECT version, checksum FROM millrace.schema_migrations WHERE version > 0"};

const Migration* find(std::span<const Migration> steps, int version) {
  const auto found = std::ranges::find(steps, version, &Migration::version);
  return found == steps.end() ? nullptr : &*found;
}

void require_ours(std::span<const Migration> steps, int version, std::string_view its_checksum) {
  const Migration* known = find(steps, version);
  if (known == nullptr) {
    throw StoreError(Fate::broken, fmt::format("the schema in PostgreSQL has version {}, this program knows up to {}: "
                                               "run the newer program",
                                               version, steps.size()));
  }
  if (its_checksum != checksum(*known)) {
    throw StoreError(Fate::broken, fmt::format("schema step {} ({}) in PostgreSQL has another checksum than this "
                                               "program's: it was made by another build",
                                               version, known->title));
  }
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::string checksum(const Migration& migration) { return to_hex(sha256(migration.sql)); }

bool has_ledger(Connection& connection) {
  const Rows rows = connection.run(kHasLedger);
  Row row;
  rows.read(0, row);
  return row.boolean();
}

const Migration* next_step(Connection& connection, std::span<const Migration> steps) {
  const Rows applied = connection.run(kApplied);
  Row row;
  for (int i = 0; i < applied.size(); ++i) {
    applied.read(i, row);
    const int version = row.i32();
    require_ours(steps, version, row.view());
  }
  return find(steps, applied.size() + 1);
}

void require_known_schema(Connection& connection) {
  if (has_ledger(connection)) next_step(connection, kMigrations);
}

}  // namespace millrace::store::postgres
