// Questions that only memory can answer.
#include <algorithm>

#include "shard/impl.h"

namespace millrace::shard {

std::optional<Need> Shard::Impl::run(Step& step, ListWorkers& command) {
  Workers list{.now = now};
  const auto& all = workers.all();
  for (auto next = all.upper_bound({command.queue, command.after}); next != all.end(); ++next) {
    if (next->first.first != command.queue) break;
    list.more = list.workers.size() == command.limit;
    if (list.more) break;
    const queue::Worker& worker = next->second;
    list.workers.push_back({*worker.name, worker.waits > 0 ? now : worker.last_seen, worker.held});
  }
  answer(step, std::move(list));
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, ListLeased& command) {
  Leased leased;
  for (const auto& [until, slot] : items.leases().by_end()) {
    if (items.lane_key(slot).queue == command.queue) leased.items.push_back(ItemId{items[slot].id});
  }
  std::ranges::sort(leased.items, std::greater<>());
  answer(step, std::move(leased));
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, CountItems& command) {
  answer(step, Counts{counted_in(command.queue)});
  return std::nullopt;
}

std::array<std::uint64_t, queue::kStatuses> Shard::Impl::counted_in(const queue::QueueKey& queue) const {
  const auto owner = tenants.find(queue.tenant);
  if (owner == tenants.end()) return {};
  const auto& queues = owner->second.counters.queues;
  const auto found = std::ranges::lower_bound(queues, queue.name, {}, &QueueCounts::queue);
  if (found == queues.end() || found->queue != queue.name) return {};
  return found->by_status;
}

}  // namespace millrace::shard
