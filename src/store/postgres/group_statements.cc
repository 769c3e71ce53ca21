#include "store/postgres/group_statements.h"

namespace millrace::store::postgres {

const Statement kInsertLanes = {"insert_lanes", R"sql(
INSERT INTO millrace.lanes (shard, lane, tenant, queue, bus, tag_list, max_retries, retry_kind, retry_jitter,
                            retry_base_ms, retry_cap_ms)
SELECT shard, lane, tenant, queue, bus, tag_list::text[], max_retries, retry_kind, retry_jitter,
       retry_base_ms, retry_cap_ms
FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[],
            $8::smallint[], $9::boolean[], $10::bigint[], $11::bigint[])
  AS t(shard, lane, tenant, queue, bus, tag_list, max_retries, retry_kind, retry_jitter, retry_base_ms, retry_cap_ms)
ON CONFLICT DO NOTHING)sql"};

const Statement kInsertLaneTags = {"insert_lane_tags", R"sql(
INSERT INTO millrace.lane_tags (shard, tenant, queue, tag, lane)
SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::uuid[])
ON CONFLICT DO NOTHING)sql"};

const Statement kInsertBodies = {"insert_bodies", R"sql(
INSERT INTO millrace.item_body (shard, tenant, queue, id, title, description, tags, payload_text, created)
SELECT * FROM unnest($1::millrace.sent_body[]))sql"};

// An item as most begin: nobody has touched it, and it belongs to no group.
const Statement kInsertNewStates = {"insert_new_states", R"sql(
INSERT INTO millrace.item_state (shard, tenant, queue, id, lane, priority, due, updated, status, stage, retry_wait,
                                 retry_count, attempt)
SELECT shard, tenant, queue, id, lane, priority, due, updated, 0::smallint, 0::smallint, false, 0, 0
FROM unnest($1::millrace.sent_new_state[]))sql"};

const std::string kStateRows = R"sql(
INSERT INTO millrace.item_state (shard, tenant, queue, id, lane, priority, group_mode, group_name, status, stage,
                                 retry_wait, retry_count, attempt, due, updated, parked_due, finished_at,
                                 lease_token, lease_until, lease_worker)
SELECT * FROM unnest($1::millrace.sent_state[]))sql";

const Statement kInsertStates = {"insert_states", kStateRows};

// Not an UPDATE … FROM unnest(): that is a join, and a plan for it made while the table is small reads the
// whole table for each group once it is large. ON CONFLICT finds each row by the key, always.
const Statement kUpdateStates = {"update_states", kStateRows + R"sql(
ON CONFLICT (shard, id, tenant, queue)
DO UPDATE SET priority = excluded.priority, status = excluded.status, stage = excluded.stage,
              retry_wait = excluded.retry_wait, retry_count = excluded.retry_count, attempt = excluded.attempt,
              due = excluded.due, updated = excluded.updated, parked_due = excluded.parked_due,
              finished_at = excluded.finished_at, lease_token = excluded.lease_token,
              lease_until = excluded.lease_until, lease_worker = excluded.lease_worker)sql"};

// Deletions are joins and rare: without a name, so planned each time for the tables as they are.
const Statement kDeleteStates = {"", R"sql(
DELETE FROM millrace.item_state s
USING unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[]) AS t(shard, tenant, queue, id)
WHERE s.shard = t.shard AND s.tenant = t.tenant AND s.queue = t.queue AND s.id = t.id)sql"};

const Statement kDeleteBodies = {"", R"sql(
DELETE FROM millrace.item_body b
USING unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[]) AS t(shard, tenant, queue, id)
WHERE b.shard = t.shard AND b.tenant = t.tenant AND b.queue = t.queue AND b.id = t.id)sql"};

const Statement kDeleteLogs = {"", R"sql(
DELETE FROM millrace.item_log g
USING unnest($1::smallint[], $2::text[], $3::text[], $4::bigint[]) AS t(shard, tenant, queue, item)
WHERE g.shard = t.shard AND g.tenant = t.tenant AND g.queue = t.queue AND g.item = t.item)sql"};

// A lane goes with its last item; item_state_lane says whether one is left.
const Statement kDeleteLeftLanes = {"", R"sql(
WITH gone AS (
  DELETE FROM millrace.lanes l
  USING unnest($1::smallint[], $2::uuid[]) AS t(shard, lane)
  WHERE l.shard = t.shard AND l.lane = t.lane
    AND NOT EXISTS (SELECT FROM millrace.item_state s WHERE s.shard = t.shard AND s.lane = t.lane)
  RETURNING l.shard, l.tenant, l.queue, l.tag_list, l.lane)
DELETE FROM millrace.lane_tags g
USING (SELECT shard, tenant, queue, unnest(tag_list) AS tag, lane FROM gone) AS t
WHERE g.shard = t.shard AND g.tenant = t.tenant AND g.queue = t.queue AND g.tag = t.tag AND g.lane = t.lane)sql"};

const Statement kInsertLog = {"insert_log", R"sql(
INSERT INTO millrace.item_log (shard, tenant, queue, item, id, action, attempt, token, worker, created, status_code,
                               execution_time_ms, error_message, reason, next_retry_at, retry_count)
SELECT * FROM unnest($1::millrace.sent_log[]))sql"};

const Statement kUpsertDedup = {"upsert_dedup", R"sql(
INSERT INTO millrace.dedup (shard, tenant, kind, key, made, fingerprint, expires)
SELECT * FROM unnest($1::millrace.sent_dedup[])
ON CONFLICT (shard, tenant, kind, key)
DO UPDATE SET made = excluded.made, fingerprint = excluded.fingerprint, expires = excluded.expires)sql"};

const Statement kUpsertCounters = {"upsert_counters", R"sql(
INSERT INTO millrace.counters (shard, tenant, last_item, last_log, last_position, last_audit, audit_hash, last_tsid,
                               last_removed)
SELECT * FROM unnest($1::millrace.sent_counters[])
ON CONFLICT (shard, tenant)
DO UPDATE SET last_item = excluded.last_item, last_log = excluded.last_log, last_position = excluded.last_position,
              last_audit = excluded.last_audit, audit_hash = excluded.audit_hash, last_tsid = excluded.last_tsid,
              last_removed = excluded.last_removed)sql"};

const Statement kDeleteQueueCounts = {"", R"sql(
DELETE FROM millrace.queue_counts q
USING unnest($1::smallint[], $2::text[]) AS t(shard, tenant)
WHERE q.shard = t.shard AND q.tenant = t.tenant)sql"};

const Statement kUpsertQueueCounts = {"upsert_queue_counts", R"sql(
INSERT INTO millrace.queue_counts (shard, tenant, queue, pending, processing, completed, failed, cancelled)
SELECT * FROM unnest($1::millrace.sent_queue_counts[])
ON CONFLICT (shard, tenant, queue)
DO UPDATE SET pending = excluded.pending, processing = excluded.processing, completed = excluded.completed,
              failed = excluded.failed, cancelled = excluded.cancelled)sql"};

const Statement kUpsertDocuments = {"upsert_documents", R"sql(
INSERT INTO millrace.documents (shard, kind, key, tenant, version, body, updated)
SELECT shard, kind, key, tenant, version, body::json, updated
FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::timestamptz[])
  AS t(shard, kind, key, tenant, version, body, updated)
ON CONFLICT (shard, kind, key)
DO UPDATE SET tenant = excluded.tenant, version = excluded.version, body = excluded.body,
              updated = excluded.updated)sql"};

const Statement kDeleteDocuments = {"", R"sql(
DELETE FROM millrace.documents d
USING unnest($1::smallint[], $2::text[], $3::text[]) AS t(shard, kind, key)
WHERE d.shard = t.shard AND d.kind = t.kind AND d.key = t.key)sql"};

const Statement kInsertAudit = {"insert_audit", R"sql(
INSERT INTO millrace.audit (shard, tenant, seq, time, actor, action, entity_type, entity_id, correlation_id, "values",
                            values_digest, previous_hash, hash)
SELECT shard, tenant, seq, time, actor, action, entity_type, entity_id, correlation_id, nullif(said, '')::json,
       values_digest, previous_hash, hash
FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
            $8::text[], $9::text[], $10::text[], $11::bytea[], $12::bytea[], $13::bytea[])
  AS t(shard, tenant, seq, time, actor, action, entity_type, entity_id, correlation_id, said, values_digest,
       previous_hash, hash))sql"};

const Statement kUpsertWorkers = {"upsert_workers", R"sql(
INSERT INTO millrace.workers (shard, tenant, queue, worker, last_seen)
SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
ON CONFLICT (shard, tenant, queue, worker) DO UPDATE SET last_seen = excluded.last_seen)sql"};

const Statement kDeleteWorkers = {"", R"sql(
DELETE FROM millrace.workers w
USING unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) AS t(shard, tenant, queue, worker)
WHERE w.shard = t.shard AND w.tenant = t.tenant AND w.queue = t.queue AND w.worker = t.worker)sql"};

}  // namespace millrace::store::postgres
