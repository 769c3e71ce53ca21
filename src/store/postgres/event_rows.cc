#include "store/postgres/event_rows.h"

#include <fmt/format.h>

#include "store/postgres/records.h"

namespace millrace::store::postgres {
namespace {

const Statement kInsertEvents = {"insert_events", R"sql(
INSERT INTO millrace.events (shard, tenant, position, tsid, received, expires, time, time_key, event_id, type, source,
                             subject, bus, correlation_id, causation_id, message_group, app, entity_type, entity_id,
                             context, rest)
SELECT shard, tenant, position, tsid, received, expires, time, time_key, event_id, type, source, subject, bus,
       correlation_id, causation_id, message_group, app, entity_type, entity_id, context::text[], rest::json
FROM unnest($1::millrace.sent_event[]))sql"};

const Statement kInsertContext = {"insert_event_context", R"sql(
INSERT INTO millrace.event_context (shard, tenant, key, value, time, position)
SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[])
ON CONFLICT DO NOTHING)sql"};

// Deletions are joins and rare: without a name, so planned each time for the tables as they are.
const Statement kDeleteEvents = {"", R"sql(
DELETE FROM millrace.events e
USING unnest($1::smallint[], $2::text[], $3::bigint[]) AS t(shard, tenant, position)
WHERE e.shard = t.shard AND e.tenant = t.tenant AND e.position = t.position)sql"};

const Statement kDeleteContext = {"", R"sql(
DELETE FROM millrace.event_context c
USING unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[])
  AS t(shard, tenant, key, value, time, position)
WHERE c.shard = t.shard AND c.tenant = t.tenant AND c.key = t.key AND c.value = t.value AND c.time = t.time
  AND c.position = t.position)sql"};

std::vector<std::string> flattened(const std::vector<event::ContextPair>& context) {
  std::vector<std::string> texts;
  for (const event::ContextPair& pair : context) {
    texts.push_back(pair.key);
    texts.push_back(pair.value);
  }
  return texts;
}

void add_context(Portions& table, ShardId shard, const TenantId& tenant, Position position,
                 const event::Header& header) {
  for (const event::ContextPair& pair : header.context) {
    table.add(column(shard), tenant.text(), pair.key, pair.value, header.time, column(position));
  }
}

}  // namespace

EventRows::EventRows()
    : events_(kInsertEvents, "sent_event"),
      context_(kInsertContext),
      dropped_events_(kDeleteEvents),
      dropped_context_(kDeleteContext) {}

void EventRows::add(const shard::Batch& batch) {
  for (const shard::EventPtr& event : batch.events) add_event(batch.shard, *event);
  for (const shard::EventDrop& drop : batch.event_drops) {
    dropped_events_.add(column(batch.shard), drop.tenant.text(), column(drop.position));
    add_context(dropped_context_, batch.shard, drop.tenant, drop.position, drop.header);
  }
}

void EventRows::add_event(ShardId shard, const event::Record& record) {
  const event::Header& h = record.header;
  events_.add(column(shard), record.tenant.text(), column(record.position), as_bigint(record.tsid), record.received,
              h.expires, h.time, fmt::to_string(to_ms(h.time)), h.event_id, h.type, h.source, h.subject, h.bus,
              h.correlation_id, h.causation_id, h.message_group, h.app, h.entity_type, h.entity_id,
              array_literal(flattened(h.context)), record.rest ? std::string_view(*record.rest) : "{}");
  add_context(context_, shard, record.tenant, record.position, h);
}

void EventRows::send(Pipeline& pipeline, const RowTypes& types) {
  events_.send(pipeline, types);
  for (Portions* table : {&context_, &dropped_events_, &dropped_context_}) table->send(pipeline, types);
}

}  // namespace millrace::store::postgres
