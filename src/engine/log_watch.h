// Who wants to know that a tenant's event log has grown. Nothing polls: the commit that appends wakes those who
// follow, once it is durable. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/ids.h"
#include "shard/batch.h"

namespace millrace::engine {

// Ends the watch when it goes; `grown` does not run any more once it is gone.
class LogWatch {
 public:
  virtual ~LogWatch() = default;
};

class LogWatchers {
 public:
  using Grown = std::move_only_function<void(Position)>;

  // The watchers outlive the watch.
  std::unique_ptr<LogWatch> add(const TenantId& tenant, Grown grown);
  // These batches are durable.
  void tell(std::span<const shard::Batch> batches);

 private:
  class Watch;
  void remove(const Watch& watch);

  std::mutex mutex_;
  std::atomic<std::size_t> count_ = 0;
  absl::flat_hash_map<TenantId, std::vector<Watch*>> by_tenant_;
};

}  // namespace millrace::engine
