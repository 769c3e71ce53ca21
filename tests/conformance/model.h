// What a store should hold, as plainly as it can be said: every record in a map, every answer a walk
// over all of them. Slow, and easy to believe.
#pragma once

#include <map>
#include <tuple>

#include "conformance/samples.h"

namespace millrace::store::conformance {

class Model {
 public:
  using ItemAddress = std::tuple<ShardId, queue::QueueKey, ItemId>;

  void apply(const shard::Batch& batch);
  std::size_t sweep(Time now);

  const std::map<ItemAddress, ItemView>& items() const { return items_; }
  const std::map<std::pair<ShardId, shard::DedupKey>, shard::DedupRecord>& dedup() const { return dedup_; }

  // Answers as text, as describe() gives them; in the order of the store where it has one, else sorted.
  std::vector<std::string> live(ShardId shard) const;
  std::vector<std::string> parked(ShardId shard, Time from, std::size_t limit) const;
  std::vector<std::string> parked_groups(ShardId shard) const;
  std::vector<std::string> expired(ShardId shard, Time before, std::size_t limit) const;
  std::vector<std::string> listed(ShardId shard, ItemQuery query) const;
  std::vector<std::string> log(const ItemAddress& item) const;
  std::vector<std::string> audit(ShardId shard, const TenantId& tenant) const;
  std::vector<std::string> counters(ShardId shard) const;
  std::vector<std::string> documents(ShardId shard) const;
  std::vector<std::string> workers(ShardId shard) const;

 private:
  std::map<ItemAddress, ItemView> items_;
  std::map<ItemAddress, std::map<LogId, queue::LogEntry>> logs_;
  std::map<std::pair<ShardId, shard::DedupKey>, shard::DedupRecord> dedup_;
  std::map<std::pair<ShardId, TenantId>, shard::TenantCounters> counters_;
  std::map<std::tuple<ShardId, std::string, std::string>, shard::Document> documents_;
  std::map<std::tuple<ShardId, TenantId, AuditSeq>, shard::AuditRecord> audit_;
  std::map<std::tuple<ShardId, queue::QueueKey, std::string>, shard::WorkerRecord> workers_;
};

}  // namespace millrace::store::conformance
