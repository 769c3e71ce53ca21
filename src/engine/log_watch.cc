#include "engine/log_watch.h"

#include <algorithm>
#include <utility>

namespace millrace::engine {

class LogWatchers::Watch final : public LogWatch {
 public:
  Watch(LogWatchers& owner, TenantId tenant, Grown grown)
      : owner_(owner), tenant_(std::move(tenant)), grown_(std::move(grown)) {}
  ~Watch() override { owner_.remove(*this); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  const TenantId& tenant() const { return tenant_; }
  void tell(Position position) { grown_(position); }

 private:
  LogWatchers& owner_;
  TenantId tenant_;
  Grown grown_;
};

std::unique_ptr<LogWatch> LogWatchers::add(const TenantId& tenant, Grown grown) {
  auto watch = std::make_unique<Watch>(*this, tenant, std::move(grown));
  const std::lock_guard lock(mutex_);
  by_tenant_[tenant].push_back(watch.get());
  count_.fetch_add(1);
  return watch;
}

void LogWatchers::remove(const Watch& watch) {
  const std::lock_guard lock(mutex_);
  const auto found = by_tenant_.find(watch.tenant());
  std::erase(found->second, &watch);
  if (found->second.empty()) by_tenant_.erase(found);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

// Under the lock, so that a watch that is gone is never told.
void LogWatchers::tell(std::span<const shard::Batch> batches) {
  const bool any = std::ranges::any_of(batches, [](const auto& batch) { return !batch.events.empty(); });
  if (!any || count_.load() == 0) return;
  absl::flat_hash_map<TenantId, Position> grown;
  for (const shard::Batch& batch : batches) {
    for (const shard::EventPtr& event : batch.events) grown[event->tenant] = event->position;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [tenant, position] : grown) {
    const auto found = by_tenant_.find(tenant);
    if (found == by_tenant_.end()) continue;
    for (Watch* watch : found->second) watch->tell(position);
  }
}

}  // namespace millrace::engine
