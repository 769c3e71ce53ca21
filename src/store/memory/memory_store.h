// A store in maps, for simulation and tests: the same semantics as the others, nothing on disk. The
// data is a MemoryDisk apart from the store that uses it, so that a crash is: drop the store, open a
// new one on the same disk; and two nodes are two stores on one disk, the later acquire() fencing the
// earlier. Commits can be told to fail. Deterministic; any thread.
//
// It is stricter than the others: a Batch whose `prior` is not what the store holds is a bug of the
// shard that the other stores would turn into a stale index entry, so here it asserts.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "store/store.h"

namespace millrace::store {

struct MemoryShard {
  struct StoredItem {
    queue::ItemRecord record;
    std::shared_ptr<const queue::Body> body;
  };
  using Queue = std::map<ItemId, StoredItem>;

  std::map<queue::QueueKey, Queue> queues;
  std::map<shard::ItemRef, std::map<LogId, queue::LogEntry>> logs;
  std::map<shard::DedupKey, shard::DedupRecord> dedup;
  std::map<TenantId, shard::TenantCounters> counters;
  std::map<std::pair<std::string, std::string>, shard::Document> documents;  // by kind and key
  std::map<std::pair<TenantId, AuditSeq>, shard::AuditRecord> audit;
  std::map<std::pair<queue::QueueKey, std::string>, shard::WorkerRecord> workers;
  std::map<TenantId, std::map<Position, shard::EventPtr>> events;
  Time last_commit{};
};

// What would be on disk. Copy `shards` to keep an image of one moment.
struct MemoryDisk {
  std::mutex mutex;
  Epoch epoch;
  std::map<ShardId, MemoryShard> shards;
};

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(std::shared_ptr<MemoryDisk> disk = std::make_shared<MemoryDisk>()) : disk_(std::move(disk)) {}

  // What became of a commit that is reported as failed. Only Fate::unknown can have been applied.
  enum class Outcome { lost, applied };
  // The next commit (after those already told to fail) throws `fate`. A broken store stays broken.
  void fail_next_commit(Fate fate, Outcome outcome = Outcome::lost);
  // Commits that were asked for, failed ones included.
  std::uint64_t commits() const { return commits_; }

  std::optional<Epoch> acquire(std::stop_token stop) override;
  void release() override;
  void commit(Epoch epoch, std::span<const shard::Batch> group) override;
  shard::ShardState load(ShardId shard) override;
  std::vector<ShardId> shards() override;
  std::vector<queue::ItemRecord> parked(ShardId shard, Time from, std::size_t limit) override;
  shard::Facts fetch(ShardId shard, const shard::Need& need) override;
  std::optional<ItemView> item(ShardId shard, const queue::QueueKey& queue, ItemId id) override;
  std::vector<std::shared_ptr<const queue::Body>> bodies(ShardId shard, const queue::QueueKey& queue,
                                                         std::span<const ItemId> ids) override;
  std::vector<queue::LogEntry> log(ShardId shard, const queue::QueueKey& queue, ItemId id, std::size_t limit) override;
  ItemPage items(ShardId shard, const ItemQuery& query) override;
  std::uint64_t count(ShardId shard, const ItemQuery& query, std::uint64_t at_most) override;
  std::vector<shard::AuditRecord> audit(ShardId shard, const AuditQuery& query) override;
  std::vector<queue::ItemRecord> expired(ShardId shard, Time before, std::size_t limit) override;
  std::size_t sweep(Time now, std::size_t budget) override;
  EventPage events(ShardId shard, const EventQuery& query) override;
  EventList list_events(ShardId shard, const EventListing& listing) override;
  LogPage event_log(ShardId shard, const LogQuery& query) override;
  std::vector<std::optional<event::Record>> events_at(ShardId shard, const TenantId& tenant,
                                                      std::span<const Position> positions,
                                                      const Horizon& horizon) override;
  std::optional<event::Record> event_by_id(ShardId shard, const TenantId& tenant, const std::string& event_id,
                                           const Horizon& horizon) override;
  std::optional<event::Record> event_by_tsid(ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                             const Horizon& horizon) override;
  Position last_position(ShardId shard, const TenantId& tenant) override;
  std::vector<event::Record> expired_events(ShardId shard, const Horizon& horizon, std::size_t limit) override;
  bool reads_are_local() const override { return true; }
  StoreHealth health() override { return {"memory", "none", {}}; }

 private:
  struct Fault {
    Fate fate;
    Outcome outcome;
  };
  std::optional<Fault> next_fault();

  std::shared_ptr<MemoryDisk> disk_;
  Epoch owned_;  // 0 = not acquired
  std::deque<Fault> faults_;
  bool broken_ = false;
  std::uint64_t commits_ = 0;
};

}  // namespace millrace::store
