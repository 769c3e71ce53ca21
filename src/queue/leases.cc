#include "queue/leases.h"

#include <algorithm>

#include "base/assert.h"

namespace millrace::queue {
namespace {

// A worker's last sign of life is stored when it moved this far: exact enough for a list of workers,
// and no write for each of its calls.
constexpr Millis kWriteStep = std::chrono::seconds(10);

constexpr Millis kForgetEvery = std::chrono::minutes(1);
constexpr std::size_t kForgetMax = 1000;  // rows that one commit has to drop

}  // namespace

Workers::Map::value_type& Workers::entry_of(const QueueKey& queue, const std::string& name) {
  if (const auto found = by_key_.find(Key{queue, name}); found != by_key_.end()) return **found;
  auto& entry = *workers_.try_emplace(std::pair(queue, name)).first;
  entry.second.name = std::make_shared<const std::string>(name);
  by_key_.insert(&entry);
  return entry;
}

Worker& Workers::seen(const QueueKey& queue, const std::string& name, Time now) {
  auto& entry = entry_of(queue, name);
  note(entry, now);
  return entry.second;
}

void Workers::note(Map::value_type& entry, Time now) {
  Worker& worker = entry.second;
  worker.last_seen = std::max(worker.last_seen, now);
  if (worker.last_seen - worker.last_written < kWriteStep) return;
  worker.last_written = worker.last_seen;
  unwritten_.push_back(&entry);
}

void Workers::seen_if_known(const QueueKey& queue, const std::string& name, Time now) {
  const auto found = by_key_.find(Key{queue, name});
  if (found != by_key_.end()) note(**found, now);
}

void Workers::begin_wait(const QueueKey& queue, const std::string& name, Time now) { ++seen(queue, name, now).waits; }

// Not seen(): what a wait has to say is no reason to write.
void Workers::end_wait(const QueueKey& queue, const std::string& name, Time now) {
  Worker* worker = find(queue, name);
  MR_ASSERT(worker != nullptr && worker->waits > 0, "who waits is a known worker");
  --worker->waits;
  worker->last_seen = std::max(worker->last_seen, now);
}

void Workers::load(const QueueKey& queue, const std::string& name, Time last_seen) {
  Worker& worker = entry_of(queue, name).second;
  worker.last_seen = worker.last_written = last_seen;
}

std::vector<std::pair<QueueKey, Worker*>> Workers::take_unwritten() {
  std::vector<std::pair<QueueKey, Worker*>> taken;
  for (Map::value_type* entry : unwritten_) taken.emplace_back(entry->first.first, &entry->second);
  unwritten_.clear();
  return taken;
}

Worker* Workers::find(const QueueKey& queue, const std::string& name) {
  const auto found = by_key_.find(Key{queue, name});
  return found == by_key_.end() ? nullptr : &(*found)->second;
}

std::vector<std::pair<QueueKey, std::string>> Workers::forget_before(Time limit) {
  std::vector<std::pair<QueueKey, std::string>> forgotten;
  if (limit - last_forget_ < kForgetEvery || !unwritten_.empty()) return forgotten;
  for (auto next = workers_.begin(); next != workers_.end();) {
    const bool stays = next->second.held > 0 || next->second.waits > 0 || next->second.last_seen >= limit;
    if (!stays && forgotten.size() == kForgetMax) return forgotten;  // the next call goes on
    if (!stays) {
      forgotten.push_back(next->first);
      by_key_.erase(&*next);
    }
    next = stays ? std::next(next) : workers_.erase(next);
  }
  last_forget_ = limit;
  return forgotten;
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
