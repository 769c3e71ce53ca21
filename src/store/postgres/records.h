// Between rows and records: the column lists that queries select, in the order in which the functions
// beside them read a Row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include "queue/item.h"
#include "shard/batch.h"
#include "store/postgres/wire.h"

namespace millrace::store::postgres {

constexpr std::int16_t column(ShardId shard) { return static_cast<std::int16_t>(shard.value); }
template <class Tag>
constexpr std::int64_t column(Number<Tag> number) {
  return as_bigint(number.value);
}

// An array as text, for a column of arrays: {"a","b \"quoted\""}
std::string array_literal(const std::vector<std::string>& texts);

// 10 * placement + status, with PROCESSING as PENDING; see migrations.cc.
constexpr std::int16_t stage_of(queue::Placement placement, queue::Status status) {
  const auto settled = status == queue::Status::processing ? queue::Status::pending : status;
  return static_cast<std::int16_t>(10 * static_cast<int>(placement) + static_cast<int>(settled));
}

// What an item shares with others: its lane, as the engine knows it, and how it is retried.
struct Lane {
  std::shared_ptr<const queue::LaneKey> key;
  queue::RetryPolicy retry;
  std::uint32_t max_retries = 0;
};
// The lane's name in the tables: equal lanes have equal digests, in every shard.
Uuid lane_digest(const queue::LaneKey& key, const queue::RetryPolicy& retry, std::uint32_t max_retries);

// Makes equal lanes, groups and worker names of one read share their objects.
class Pool {
 public:
  const Lane* find_lane(const Uuid& digest) const;
  const Lane& keep_lane(const Uuid& digest, Lane lane);
  std::shared_ptr<const queue::GroupKey> group(std::string_view name, queue::GroupMode mode);
  std::shared_ptr<const std::string> worker(std::string_view name);

 private:
  absl::flat_hash_map<Uuid, std::unique_ptr<const Lane>> lanes_;
  absl::flat_hash_map<std::string, std::shared_ptr<const queue::GroupKey>> groups_[3];
  absl::flat_hash_map<std::string, std::shared_ptr<const std::string>> workers_;
};

// Of item_state as `s`. The lane's digest comes first; the record's lane, retry and max_retries stay unset.
inline constexpr char kStateColumns[] =
    "s.lane, s.id, s.stage, s.status, s.priority, s.retry_count, s.attempt, s.retry_wait, s.due, s.updated, "
    "s.parked_due, s.lease_token, s.lease_until, s.lease_worker, s.group_mode, s.group_name";
Uuid read_state(Row& row, Pool& pool, queue::ItemRecord& record);
void set_lane(queue::ItemRecord& record, const Lane& lane);

// Of lanes as `l`.
inline constexpr char kLaneColumns[] =
    "l.tenant, l.queue, l.bus, l.tag_list, l.max_retries, l.retry_kind, l.retry_jitter, l.retry_base_ms, "
    "l.retry_cap_ms";
Lane read_lane(Row& row);

// Gives each row of `s` its `l`, and its `b`.
inline constexpr char kJoinLane[] =
    "CROSS JOIN LATERAL (SELECT * FROM millrace.lanes l WHERE l.shard = s.shard AND l.lane = s.lane LIMIT 1) AS l";
inline constexpr char kJoinBody[] =
    "CROSS JOIN LATERAL (SELECT * FROM millrace.item_body b WHERE b.shard = s.shard AND b.tenant = s.tenant AND "
    "b.queue = s.queue AND b.id = s.id LIMIT 1) AS b";

// Of both: kStateColumns, then kLaneColumns.
queue::ItemRecord read_item(Row& row, Pool& pool);

// Of item_body as `b`.
inline constexpr char kBodyColumns[] =
    "b.title, b.description, b.tags, coalesce(b.payload_text, b.payload::text), b.created";
std::shared_ptr<const queue::Body> read_body(Row& row);

// Of item_log as `g`.
inline constexpr char kLogColumns[] =
    "g.id, g.item, g.action, g.attempt, g.token, g.worker, g.created, g.status_code, g.execution_time_ms, "
    "g.error_message, g.reason, g.next_retry_at, g.retry_count";
queue::LogEntry read_log_entry(Row& row);

// Of dedup as `d`.
inline constexpr char kDedupColumns[] = "d.tenant, d.kind, d.key, d.made, d.fingerprint, d.expires";
shard::DedupRecord read_dedup(Row& row);

inline constexpr char kAuditColumns[] =
    "tenant, seq, time, actor, action, entity_type, entity_id, correlation_id, \"values\", values_digest, "
    "previous_hash, hash";
shard::AuditRecord read_audit(Row& row);

// Of events as `e`.
inline constexpr char kEventColumns[] =
    "e.tenant, e.position, e.tsid, e.received, e.expires, e.time, e.event_id, e.type, e.source, e.subject, e.bus, "
    "e.correlation_id, e.causation_id, e.message_group, e.app, e.entity_type, e.entity_id, e.context";
// `rest` stays null.
event::Record read_event(Row& row);

}  // namespace millrace::store::postgres
