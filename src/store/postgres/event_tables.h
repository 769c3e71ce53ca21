// Step 3 of the schema: the event log. See migrations.h; a released step is never edited.
//
// An index for each way to ask. The eight access patterns sort by the key strings of event/keys.h without what all
// entries have in common (store/stored_keys.h): an expression of the columns, so that the table holds no key twice.
// time_key is the time as these strings have it, decimal milliseconds; its order is that of text, not of numbers.
//
// Each index names the tenant, itself and what it finds in one expression, and the primary key alone begins with
// shard and tenant: so each query fits one index only. Where several began alike, a plan made while the table is
// empty would as soon walk another one and filter, and plans are made once.
#pragma once

namespace millrace::store::postgres {

inline constexpr char kEventTables[] = R"sql(
CREATE TABLE millrace.events (
  position       bigint NOT NULL,
  tsid           bigint NOT NULL,
  time           timestamptz NOT NULL,
  received       timestamptz NOT NULL,
  expires        timestamptz,
  shard          smallint NOT NULL,
  tenant         text COLLATE "C" NOT NULL,
  time_key       text COLLATE "C" NOT NULL,
  event_id       text COLLATE "C" NOT NULL,
  type           text COLLATE "C" NOT NULL,
  source         text COLLATE "C" NOT NULL,
  subject        text COLLATE "C" NOT NULL,
  bus            text COLLATE "C" NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  causation_id   text COLLATE "C" NOT NULL,
  message_group  text COLLATE "C" NOT NULL,
  app            text COLLATE "C" NOT NULL,
  entity_type    text COLLATE "C" NOT NULL,
  entity_id      text COLLATE "C" NOT NULL,
  context        text[] COLLATE "C" NOT NULL,
  rest           json NOT NULL,
  PRIMARY KEY (shard, tenant, position)
);
COMMENT ON TABLE millrace.events IS 'The event log of each tenant, by position; written once';
COMMENT ON COLUMN millrace.events.tsid IS 'The public id, as a number';
COMMENT ON COLUMN millrace.events.context IS 'Keys and values in turn';
COMMENT ON COLUMN millrace.events.rest IS 'Data, actor, metadata and the other members of the event';

CREATE INDEX events_tsid ON millrace.events ((tenant || '/tsid'), tsid);
CREATE INDEX events_table ON millrace.events ((tenant || '/0/'), (time_key || '#EVENT#' || event_id), position);
CREATE INDEX events_gsi1 ON millrace.events
  ((tenant || '/1/' || entity_type || '#' || entity_id), (entity_type || '#TIMESTAMP#' || time_key), position);
CREATE INDEX events_gsi2 ON millrace.events ((tenant || '/2/' || app), time_key, position);
CREATE INDEX events_gsi3 ON millrace.events
  ((tenant || '/3/' || app), (entity_type || '#' || entity_id || '#TIMESTAMP#' || time_key), position);
CREATE INDEX events_gsi4 ON millrace.events ((tenant || '/4/' || type), time_key, position);
CREATE INDEX events_gsi5 ON millrace.events
  ((tenant || '/5/' || type), (entity_type || '#' || entity_id || '#TIMESTAMP#' || time_key), position);
CREATE INDEX events_gsi6 ON millrace.events ((tenant || '/6/' || type), (app || '#TIMESTAMP#' || time_key), position);
CREATE INDEX events_gsi7 ON millrace.events
  ((tenant || '/7/' || type), (app || '#' || entity_type || '#' || entity_id || '#TIMESTAMP#' || time_key), position);
CREATE INDEX events_all ON millrace.events ((tenant || '/all/'), time, position);
CREATE INDEX events_type ON millrace.events ((tenant || '/type/' || type), time, position);
CREATE INDEX events_source ON millrace.events ((tenant || '/source/' || source), time, position);
CREATE INDEX events_subject ON millrace.events ((tenant || '/subject/' || subject), time, position)
  WHERE subject <> '';
CREATE INDEX events_correlation ON millrace.events ((tenant || '/correlation/' || correlation_id), time, position)
  WHERE correlation_id <> '';
CREATE INDEX events_expires ON millrace.events (shard, expires, tenant, position) WHERE expires IS NOT NULL;

CREATE TABLE millrace.event_context (
  time     timestamptz NOT NULL,
  position bigint NOT NULL,
  shard    smallint NOT NULL,
  tenant   text COLLATE "C" NOT NULL,
  key      text COLLATE "C" NOT NULL,
  value    text COLLATE "C" NOT NULL,
  PRIMARY KEY (shard, tenant, key, value, time, position)
);
COMMENT ON TABLE millrace.event_context IS 'Which events carry a context pair';

DROP INDEX millrace.dedup_expires;
CREATE INDEX dedup_expires ON millrace.dedup (expires) WHERE expires < 'infinity';
)sql";

}  // namespace millrace::store::postgres
