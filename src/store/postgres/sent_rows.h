// Step 8 of the schema: cheaper writes. See migrations.h; a released step is never edited.
//
// The types are rows as a group commit sends them (Records in wire.h). They are not the tables' own row types, so that
// a later step may add a column while an earlier program is still writing.
//
// Keys compare the item's number before the names: two numbers at fixed places decide nearly every comparison, where
// the same tenant and queue had to be compared first each time. A queue's items in order are found by
// item_state_stage.
//
// payload_text holds what payload held: PostgreSQL would check each document once more that the server has parsed
// already. Rows written before keep theirs, so that no table is rewritten.
#pragma once

namespace millrace::store::postgres {

inline constexpr char kSentRows[] = R"sql(
ALTER TABLE millrace.item_body DROP CONSTRAINT item_body_pkey, ADD PRIMARY KEY (shard, id, tenant, queue),
  ALTER COLUMN payload DROP NOT NULL, ADD COLUMN payload_text text;
COMMENT ON COLUMN millrace.item_body.payload_text IS 'JSON; NULL in rows of earlier versions, which have payload';
ALTER TABLE millrace.item_state DROP CONSTRAINT item_state_pkey, ADD PRIMARY KEY (shard, id, tenant, queue);
ALTER TABLE millrace.item_log DROP CONSTRAINT item_log_pkey, ADD PRIMARY KEY (shard, item, tenant, queue, id);

CREATE OR REPLACE VIEW millrace.items AS
SELECT s.tenant, s.queue, s.id, b.title, b.description, b.tags, coalesce(b.payload, b.payload_text::json) AS payload,
       b.created,
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

CREATE TYPE millrace.sent_body AS (
  shard smallint, tenant text, queue text, id bigint, title text, description text, tags text, payload text,
  created timestamptz);
CREATE TYPE millrace.sent_new_state AS (
  shard smallint, tenant text, queue text, id bigint, lane uuid, priority integer, due timestamptz,
  updated timestamptz);
CREATE TYPE millrace.sent_state AS (
  shard smallint, tenant text, queue text, id bigint, lane uuid, priority integer, group_mode smallint,
  group_name text, status smallint, stage smallint, retry_wait boolean, retry_count integer, attempt integer,
  due timestamptz, updated timestamptz, parked_due timestamptz, finished_at timestamptz, lease_token bigint,
  lease_until timestamptz, lease_worker text);
CREATE TYPE millrace.sent_log AS (
  shard smallint, tenant text, queue text, item bigint, id bigint, action smallint, attempt integer, token bigint,
  worker text, created timestamptz, status_code bigint, execution_time_ms bigint, error_message text, reason text,
  next_retry_at timestamptz, retry_count integer);
CREATE TYPE millrace.sent_dedup AS (
  shard smallint, tenant text, kind smallint, key text, made bigint, fingerprint bytea, expires timestamptz);
CREATE TYPE millrace.sent_counters AS (
  shard smallint, tenant text, last_item bigint, last_log bigint, last_position bigint, last_audit bigint,
  audit_hash bytea, last_tsid bigint, last_removed bigint);
CREATE TYPE millrace.sent_queue_counts AS (
  shard smallint, tenant text, queue text, pending bigint, processing bigint, completed bigint, failed bigint,
  cancelled bigint);
CREATE TYPE millrace.sent_event AS (
  shard smallint, tenant text, position bigint, tsid bigint, received timestamptz, expires timestamptz,
  time timestamptz, time_key text, event_id text, type text, source text, subject text, bus text,
  correlation_id text, causation_id text, message_group text, app text, entity_type text, entity_id text,
  context text, rest text);
)sql";

}  // namespace millrace::store::postgres
