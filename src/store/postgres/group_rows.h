// A group of batches taken apart into the rows of each table, ready to be sent, once or again.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include "shard/batch.h"
#include "store/postgres/connection.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/portions.h"
#include "store/postgres/records.h"
#include "store/postgres/wire.h"

namespace millrace::store::postgres {

// A lane's row in one shard.
using LaneRow = std::pair<std::uint16_t, Uuid>;
using LaneRows = absl::flat_hash_set<LaneRow>;

// The queue counts of each tenant, as a shard last wrote them.
using TenantInShard = std::pair<std::uint16_t, TenantId>;
using WrittenCounts = absl::flat_hash_map<TenantInShard, std::vector<shard::QueueCounts>>;

// What is in the tables for certain and need not be written again.
struct Written {
  LaneRows lanes;
  WrittenCounts counts;
};

class GroupRows {
 public:
  GroupRows(std::span<const shard::Batch> group, const Written& written);

  // In ascending order, each with the latest time in its batch.
  struct HeldShard {
    ShardId shard;
    std::optional<Time> latest;
  };
  const std::vector<HeldShard>& shards() const { return shards_; }
  // REQUIRES: what was `written` at construction still is.
  void send(Pipeline& pipeline, const RowTypes& types);
  // Once they are committed: adds what these rows wrote.
  void note_in(Written& written) const;

 private:
  void add_batch(const shard::Batch& batch);
  void add_items(const shard::Batch& batch);
  void add_body(ShardId shard, const queue::ItemRecord& record, const queue::Body& body);
  void add_new_state(ShardId shard, const Uuid& lane, const queue::ItemRecord& record);
  static void add_state(RowPortions& table, ShardId shard, const Uuid& lane, const queue::ItemRecord& record);
  void add_lane(ShardId shard, const Uuid& digest, const queue::ItemRecord& record);
  void add_drops(const shard::Batch& batch);
  void add_log(const shard::Batch& batch);
  void add_dedup(const shard::Batch& batch);
  void add_counters(const shard::Batch& batch);
  void add_queue_counts(ShardId shard, const shard::TenantCounters& counters);
  void add_documents(const shard::Batch& batch);
  void add_audit(const shard::Batch& batch);
  void add_workers(const shard::Batch& batch);

  // Items of a lane nearly always share its key and are retried alike.
  struct KnownDigest {
    queue::RetryPolicy retry;
    std::uint32_t max_retries;
    Uuid digest;
  };
  Uuid digest_of(const queue::ItemRecord& record);

  const Written& written_;
  std::vector<HeldShard> shards_;
  Portions lanes_, lane_tags_;
  RowPortions bodies_, new_states_, states_, updates_;
  Portions dropped_states_, dropped_bodies_, dropped_logs_, left_lanes_;
  RowPortions log_, dedup_, counters_, queue_counts_;
  Portions stale_queue_counts_, documents_, removed_documents_, audit_, workers_, dropped_workers_;
  EventRows events_;
  absl::flat_hash_map<const queue::LaneKey*, KnownDigest> digests_;  // while the group is taken apart
  LaneRows new_lanes_;
  LaneRows dropped_lanes_;
  WrittenCounts new_counts_;
};

}  // namespace millrace::store::postgres
