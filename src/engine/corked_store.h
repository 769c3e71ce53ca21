// For tests: a store whose commits, or reads of parked items, wait until they are let through, whose reads of parked
// items fail, that loses its shards, or has a full disk, when told.
#pragma once

#include <atomic>
#include <semaphore>
#include <thread>

#include "store/memory/memory_store.h"

namespace millrace::engine {

class CorkedStore : public store::Store {
 public:
  explicit CorkedStore(store::MemoryStore& inner) : inner_(inner) {}
  void cork() { corked_.store(true); }
  void uncork() {
    corked_.store(false);
    gate_.release(1000);
  }

  void commit(Epoch epoch, std::span<const shard::Batch> group) override {
    if (corked_.load()) gate_.acquire();
    inner_.commit(epoch, group);
  }
  std::optional<Epoch> acquire(std::stop_token stop) override {
    while (elsewhere.load() && !stop.stop_requested()) std::this_thread::yield();
    if (away.load() || stop.stop_requested()) return std::nullopt;
    owned = true;
    return inner_.acquire(stop);
  }
  bool owns() const override { return owned.load(); }
  void release() override { inner_.release(); }
  shard::ShardState load(ShardId shard) override { return inner_.load(shard); }
  std::vector<ShardId> shards() override { return inner_.shards(); }
  std::vector<queue::ItemRecord> parked(ShardId shard, Time from, std::size_t limit) override {
    ++parked_reads;
    while (holds_parked.load()) std::this_thread::yield();
    if (fails_parked.load()) throw store::StoreError(store::Fate::not_done, "parked items can't be read");
    return inner_.parked(shard, from, limit);
  }
  shard::Facts fetch(ShardId shard, const shard::Need& need) override { return inner_.fetch(shard, need); }
  std::optional<store::ItemView> item(ShardId shard, const queue::QueueKey& queue, ItemId id) override {
    return inner_.item(shard, queue, id);
  }
  std::vector<std::shared_ptr<const queue::Body>> bodies(ShardId shard, const queue::QueueKey& queue,
                                                         std::span<const ItemId> ids) override {
    return inner_.bodies(shard, queue, ids);
  }
  std::vector<queue::LogEntry> log(ShardId shard, const queue::QueueKey& queue, ItemId id, std::size_t limit) override {
    return inner_.log(shard, queue, id, limit);
  }
  store::ItemPage items(ShardId shard, const store::ItemQuery& query) override { return inner_.items(shard, query); }
  std::uint64_t count(ShardId shard, const store::ItemQuery& query, std::uint64_t at_most) override {
    return inner_.count(shard, query, at_most);
  }
  std::vector<shard::AuditRecord> audit(ShardId shard, const store::AuditQuery& query) override {
    return inner_.audit(shard, query);
  }
  std::vector<queue::ItemRecord> expired(ShardId shard, Time before, std::size_t limit) override {
    if (limit < least_expired.load()) least_expired = limit;
    return inner_.expired(shard, before, limit);
  }
  std::size_t sweep(Time now, std::size_t budget) override { return inner_.sweep(now, budget); }
  store::EventPage events(ShardId shard, const store::EventQuery& query) override {
    return inner_.events(shard, query);
  }
  store::EventList list_events(ShardId shard, const store::EventListing& listing) override {
    return inner_.list_events(shard, listing);
  }
  store::LogPage event_log(ShardId shard, const store::LogQuery& query) override {
    return inner_.event_log(shard, query);
  }
  std::vector<std::optional<event::Record>> events_at(ShardId shard, const TenantId& tenant,
                                                      std::span<const Position> positions,
                                                      const store::Horizon& horizon) override {
    return inner_.events_at(shard, tenant, positions, horizon);
  }
  std::optional<event::Record> event_by_id(ShardId shard, const TenantId& tenant, const std::string& event_id,
                                           const store::Horizon& horizon) override {
    return inner_.event_by_id(shard, tenant, event_id, horizon);
  }
  std::optional<event::Record> event_by_tsid(ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                             const store::Horizon& horizon) override {
    return inner_.event_by_tsid(shard, tenant, tsid, horizon);
  }
  Position last_position(ShardId shard, const TenantId& tenant) override { return inner_.last_position(shard, tenant); }
  std::vector<event::Record> expired_events(ShardId shard, const store::Horizon& horizon, std::size_t limit) override {
    return inner_.expired_events(shard, horizon, limit);
  }
  bool reads_are_local() const override { return local; }
  std::string_view unwritable() const override { return full.load() ? "the disk is full" : ""; }
  store::StoreHealth health() override { return inner_.health(); }

  bool local = true;
  std::atomic<bool> owned = true;
  std::atomic<bool> full = false;
  std::atomic<bool> away = false;                     // nobody becomes the owner
  std::atomic<bool> elsewhere = false;                // another node is the owner: whoever wants to be waits
  std::atomic<std::size_t> least_expired = SIZE_MAX;  // that were asked for at a time
  std::atomic<bool> holds_parked = false;
  std::atomic<bool> fails_parked = false;
  std::atomic<std::size_t> parked_reads = 0;  // that were begun

 private:
  store::MemoryStore& inner_;
  std::atomic<bool> corked_ = false;
  std::counting_semaphore<> gate_{0};
};

}  // namespace millrace::engine
