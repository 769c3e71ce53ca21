// The port between the engine and what keeps its data. Three implementations: memory/ (simulation and
// tests), rocksdb/ (embedded) and postgres/. tests/conformance is the definition: all three pass it.
//
// Every call blocks. commit() and sweep() are called by one thread at a time, in order; reads may
// come from any thread at any time and see only what was committed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "queue/item.h"
#include "shard/batch.h"
#include "shard/facts.h"
#include "store/event_query.h"
#include "store/finding.h"
#include "store/store_error.h"

namespace millrace::store {

struct ItemView {
  queue::ItemRecord record;
  std::shared_ptr<const queue::Body> body;
};

// Newest (highest id) first.
struct ItemQuery {
  queue::QueueKey queue;
  std::optional<queue::Status> status = {};
  std::vector<std::string> any_tags = {};  // empty = no filter
  std::optional<ItemId> before = {};       // cursor: only ids below it
  std::uint64_t offset = 0;
  std::size_t limit = 20;
};
struct ItemPage {
  std::vector<ItemView> items;
  bool more = false;  // at least one more item matches after these
};

struct AuditQuery {
  TenantId tenant;
  AuditSeq after = {};  // only entries above it, oldest first
  std::size_t limit = 100;
};

// What an operator should know, as /healthz and `doctor` say it.
struct StoreHealth {
  std::string engine;      // "rocksdb", "postgres", "memory"
  std::string durability;  // "fsync", "synchronous_commit", "none"
  Findings findings;
};

class Store {
 public:
  virtual ~Store() = default;

  // Blocks until this process owns every shard (another owner alive: as a standby), then fences all
  // earlier owners by a new epoch. nullopt: `stop` was requested first. Call again after a StoreError
  // from commit(), before load(): a commit whose fate is unknown is settled one way or the other
  // when it returns.
  virtual std::optional<Epoch> acquire(std::stop_token stop) = 0;

  // Gives up ownership at a clean shutdown, so that a standby takes over at once.
  virtual void release() = 0;

  // All batches durably and atomically, or nothing. Throws StoreError; see its fates.
  // Within a Batch the drops come last: they also take what the same Batch wrote of their items.
  // REQUIRES: acquire() returned `epoch`; at most one Batch a shard.
  virtual void commit(Epoch epoch, std::span<const shard::Batch> group) = 0;

  // The same in two steps, so that one group can be made durable while the one before it is made visible to
  // reads. persist() throws as commit() does and gives what apply() takes (null: nothing is left to do). Groups are
  // applied in the order they were persisted, by one thread at a time, which may be another one.
  struct Persisted {
    virtual ~Persisted() = default;
  };
  virtual std::unique_ptr<Persisted> persist(Epoch epoch, std::span<const shard::Batch> group) {
    commit(epoch, group);
    return nullptr;
  }
  // Between the two: reads that begin from now on wait for apply(), so its answers may go out before it. May be left
  // out.
  virtual void announce(const Persisted&) {}
  virtual void apply(Persisted&) {}

  // Everything of one shard that must be in memory. Items that are parked or done stay behind; which ordered groups
  // have parked members comes along.
  virtual shard::ShardState load(ShardId shard) = 0;
  // The shards that were ever written, ascending; others need no load.
  virtual std::vector<ShardId> shards() = 0;

  // Parked items of the shard with parked_at >= from, by that time (then tenant, queue, id), at most `limit`.
  virtual std::vector<queue::ItemRecord> parked(ShardId shard, Time from, std::size_t limit) = 0;

  // What commands asked for; answers in the same order.
  virtual shard::Facts fetch(ShardId shard, const shard::Need& need) = 0;

  virtual std::optional<ItemView> item(ShardId shard, const queue::QueueKey& queue, ItemId id) = 0;
  // Bodies by id, in order; null for an unknown id.
  virtual std::vector<std::shared_ptr<const queue::Body>> bodies(ShardId shard, const queue::QueueKey& queue,
                                                                 std::span<const ItemId> ids) = 0;
  // A body that was read ahead of its claim; given out once. Null: ask bodies(). Cheap, from any thread.
  virtual std::shared_ptr<const queue::Body> body_at_hand(ShardId, const queue::QueueKey&, ItemId) { return nullptr; }
  // Oldest first; the newest `limit` where there are more.
  virtual std::vector<queue::LogEntry> log(ShardId shard, const queue::QueueKey& queue, ItemId id,
                                           std::size_t limit) = 0;
  virtual ItemPage items(ShardId shard, const ItemQuery& query) = 0;
  // How many items match status and tags, counted up to `at_most`; cursor, offset and limit play no part.
  virtual std::uint64_t count(ShardId shard, const ItemQuery& query, std::uint64_t at_most) = 0;
  virtual std::vector<shard::AuditRecord> audit(ShardId shard, const AuditQuery& query) = 0;

  // Done items of the shard with updated < before, oldest first (then tenant, queue, id), at most
  // `limit`: candidates for the shard's expire command.
  virtual std::vector<queue::ItemRecord> expired(ShardId shard, Time before, std::size_t limit) = 0;
  // Drops at most `budget` rows that no one can see any more: dedup rows with expires < now. Returns
  // how many; until then a read still gives them, and the shard judges them by their time. A row that a persisted group
  // writes again is not dropped: the sweep waits until the group is applied.
  virtual std::size_t sweep(Time now, std::size_t budget) = 0;

  // The event log. Each call sees one moment; a tenant's events are in the order they were committed.
  virtual EventPage events(ShardId shard, const EventQuery& query) = 0;
  virtual EventList list_events(ShardId shard, const EventListing& listing) = 0;
  virtual LogPage event_log(ShardId shard, const LogQuery& query) = 0;
  // By position, in order; nullopt for one that is not there or hidden.
  virtual std::vector<std::optional<event::Record>> events_at(ShardId shard, const TenantId& tenant,
                                                              std::span<const Position> positions,
                                                              const Horizon& horizon) = 0;
  // By the sender's id; of several with the same id from different sources, the first. While its deduplication
  // row lives, so as long as the event.
  virtual std::optional<event::Record> event_by_id(ShardId shard, const TenantId& tenant, const std::string& event_id,
                                                   const Horizon& horizon) = 0;
  virtual std::optional<event::Record> event_by_tsid(ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                                     const Horizon& horizon) = 0;
  // 0 for a tenant without events.
  virtual Position last_position(ShardId shard, const TenantId& tenant) = 0;
  // What is beyond the horizon: candidates for the shard's ExpireEvents, at most `limit`, without `rest`.
  virtual std::vector<event::Record> expired_events(ShardId shard, const Horizon& horizon, std::size_t limit) = 0;

  // False once it is no longer certain that the epoch of acquire() is the present one: what this process holds in
  // memory may be of the past, and only acquire() helps. Cheap, from any thread.
  virtual bool owns() const { return true; }

  // Why nothing is written until somebody helps (a disk that is nearly full), as one clause; empty if there is no such
  // reason. Refuse new work before anything of it is applied. Cheap, from any thread.
  virtual std::string_view unwritable() const { return {}; }
  // True while a commit would wait long (a write stall): refuse new work as well. Cheap, from any thread.
  virtual bool congested() const { return false; }

  // True where a point read takes microseconds and may run on an io thread.
  virtual bool reads_are_local() const = 0;
  virtual StoreHealth health() = 0;
};

}  // namespace millrace::store
