#include "queue/leases.h"

#include <algorithm>

#include "base/assert.h"

namespace millrace::queue {
namespace {

// A worker's last sign of life is stored when it moved this far: exact enough for a list of workers,
// and no write for each of its calls.
constexpr Millis kWriteStep = std::chrono::seconds(10);

}  // namespace

Worker& Workers::seen(const QueueKey& queue, const std::string& name, Time now) {
  auto& entry = *workers_.try_emplace(std::pair(queue, name)).first;
  Worker& worker = entry.second;
  if (!worker.name) worker.name = std::make_shared<const std::string>(name);
  worker.last_seen = std::max(worker.last_seen, now);
  if (worker.last_seen - worker.last_written >= kWriteStep) {
    worker.last_written = worker.last_seen;
    unwritten_.push_back(&entry);
  }
  return worker;
}

void Workers::load(const QueueKey& queue, const std::string& name, Time last_seen) {
  Worker& worker = workers_[std::pair(queue, name)];
  worker.name = std::make_shared<const std::string>(name);
  worker.last_seen = worker.last_written = last_seen;
}

std::vector<std::pair<QueueKey, Worker*>> Workers::take_unwritten() {
  std::vector<std::pair<QueueKey, Worker*>> taken;
  for (Map::value_type* entry : unwritten_) taken.emplace_back(entry->first.first, &entry->second);
  unwritten_.clear();
  return taken;
}

Worker* Workers::find(const QueueKey& queue, const std::string& name) {
  const auto found = workers_.find(std::pair(queue, name));
  return found == workers_.end() ? nullptr : &found->second;
}

void Workers::forget_before(Time limit) {
  if (limit - last_forget_ < std::chrono::minutes(1) || !unwritten_.empty()) return;
  last_forget_ = limit;
  std::erase_if(workers_, [&](const auto& entry) { return entry.second.held == 0 && entry.second.last_seen < limit; });
}

void Leases::add(SlotIndex slot, Lease lease) {
  by_end_.emplace(lease.until, slot);
  const bool is_new = by_slot_.emplace(slot, HeldLease{std::move(lease)}).second;
  MR_ASSERT(is_new, "no item is leased twice");
}

void Leases::remove(SlotIndex slot) {
  const auto found = by_slot_.find(slot);
  MR_ASSERT(found != by_slot_.end(), "a lease ends once");
  by_end_.erase(std::pair(found->second.lease.until, slot));
  by_slot_.erase(found);
}

HeldLease& Leases::operator[](SlotIndex slot) {
  const auto found = by_slot_.find(slot);
  MR_ASSERT(found != by_slot_.end(), "a leased item has a lease");
  return found->second;
}

const HeldLease& Leases::at(SlotIndex slot) const { return const_cast<Leases&>(*this)[slot]; }

void Leases::extend(SlotIndex slot, Time until) {
  HeldLease& held = (*this)[slot];
  by_end_.erase(std::pair(held.lease.until, slot));
  held.lease.until = until;
  by_end_.emplace(until, slot);
}

std::optional<SlotIndex> Leases::ended(Time now) const {
  if (by_end_.empty() || by_end_.begin()->first > now) return std::nullopt;
  return by_end_.begin()->second;
}

}  // namespace millrace::queue
