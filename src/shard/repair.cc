// Calls that set an item right from outside: reset, cancel, release.
#include <fmt/format.h>

#include "shard/impl.h"

namespace millrace::shard {

using queue::Action;
using queue::LogEntry;
using queue::Placement;
using queue::Status;

namespace {

Error final_item(ItemId id, Status status, std::string_view wish) {
  return {Errc::conflict, fmt::format("item {} is {} and can't be {}", id.value, queue::status_name(status), wish)};
}

PriorItem prior_of_stored(const queue::ItemRecord& stored) {
  return {stored.placement, stored.status, stored.parked_at, stored.updated};
}

const LogEntry* last_of(const ItemHistory& history, Action action) {
  const LogEntry* last = nullptr;
  for (const LogEntry& entry : history.log) {
    if (entry.action == action) last = &entry;
  }
  return last;
}

}  // namespace

std::optional<Need> Shard::Impl::run(Step& step, Reset& command) {
  LogEntry entry{.item = command.item, .action = Action::reset, .reason = command.reason};
  const SlotIndex slot = items.find(command.queue, command.item);
  if (slot != kNoSlot) {
    entry.attempt = items[slot].attempt;
    if (items[slot].where == queue::Where::leased) entry.worker = *items.leases().at(slot).lease.worker;
    reset_live(slot, step.effects);
    entry.retry_count = items[slot].retry_count;
  } else {
    const auto* history = step.history({command.queue, command.item});
    if (history == nullptr) return Need{.items = {{command.queue, command.item}}};
    if (!*history) return answer(step, unknown_item(command.item)), std::nullopt;
    const queue::ItemRecord& stored = (*history)->record;
    if (stored.placement == Placement::done && stored.status != Status::failed) {
      return answer(step, final_item(command.item, stored.status, "reset")), std::nullopt;
    }
    entry.attempt = stored.attempt;
    entry.retry_count = stored.status == Status::failed ? 0 : stored.retry_count;
    reset_stored(stored, step.effects);
  }
  answer(step, Recorded{log(command.queue, std::move(entry), step.effects)});
  return std::nullopt;
}

void Shard::Impl::reset_live(SlotIndex slot, Effects& effects) {
  const PriorItem prior = prior_of(slot);
  if (items[slot].where == queue::Where::leased) end_lease(slot);
  if (items[slot].status == Status::failed) items[slot].retry_count = 0;
  if (items[slot].status != Status::pending) change_status(slot, Status::pending);
  items[slot].retry_wait = false;
  items.set_due(slot, now, now);
  write(slot, prior, effects);
}

void Shard::Impl::reset_stored(const queue::ItemRecord& stored, Effects& effects) {
  queue::ItemRecord record = stored;
  if (stored.status == Status::failed) record.retry_count = 0;
  if (stored.status != Status::pending) count_change(record.lane->queue, stored.status, Status::pending);
  record.lane = items.ready().shared_key(*stored.lane);
  record.status = Status::pending;
  record.retry_wait = false;
  record.lease = {};
  record.due = now;
  // A parked member of a group keeps its place, behind those parked before it.
  const bool keeps_place = stored.placement == Placement::parked && queue::keeps_order(stored);
  if (!keeps_place) {
    record.placement = Placement::live;
    record.parked_at = {};
    items.admit(record, now);
  }
  write(std::move(record), prior_of_stored(stored), effects);
}

std::optional<Need> Shard::Impl::run(Step& step, Cancel& command) {
  LogEntry entry{.item = command.item, .action = Action::cancelled, .reason = command.reason};
  const SlotIndex slot = items.find(command.queue, command.item);
  if (slot != kNoSlot) {
    entry.attempt = items[slot].attempt;
    entry.retry_count = items[slot].retry_count;
    cancel_live(slot, step.effects);
  } else {
    const auto* history = step.history({command.queue, command.item});
    if (history == nullptr) return Need{.items = {{command.queue, command.item}}};
    if (!*history) return answer(step, unknown_item(command.item)), std::nullopt;
    const queue::ItemRecord& stored = (*history)->record;
    if (stored.status == Status::completed) {
      return answer(step, final_item(command.item, stored.status, "cancelled")), std::nullopt;
    }
    if (stored.status == Status::cancelled) {  // a repeat
      const LogEntry* first = last_of(**history, Action::cancelled);
      return answer(step, Recorded{first != nullptr ? *first : entry}), std::nullopt;
    }
    entry.attempt = stored.attempt;
    entry.retry_count = stored.retry_count;
    cancel_stored(stored, step.effects);
  }
  answer(step, Recorded{log(command.queue, std::move(entry), step.effects)});
  return std::nullopt;
}

void Shard::Impl::cancel_live(SlotIndex slot, Effects& effects) {
  const PriorItem prior = prior_of(slot);
  if (items[slot].where == queue::Where::leased) end_lease(slot);
  finish(slot, Status::cancelled, prior, effects);
}

void Shard::Impl::cancel_stored(queue::ItemRecord stored, Effects& effects) {
  const PriorItem prior = prior_of_stored(stored);
  count_change(stored.lane->queue, stored.status, Status::cancelled);
  stored.status = Status::cancelled;
  stored.placement = Placement::done;
  stored.parked_at = {};
  stored.retry_wait = false;
  write(std::move(stored), prior, effects);
}

std::optional<Need> Shard::Impl::run(Step& step, Release& command) {
  const SlotIndex slot = items.find(command.queue, command.item);
  const bool held = slot != kNoSlot && items[slot].where == queue::Where::leased &&
                    items.leases().at(slot).lease.token == command.token;
  if (held) {
    const PriorItem prior = prior_of(slot);
    LogEntry entry{.item = command.item,
                   .action = Action::released,
                   .attempt = items[slot].attempt,
                   .token = command.token,
                   .worker = *items.leases().at(slot).lease.worker,
                   .retry_count = items[slot].retry_count};
    end_lease(slot);
    change_status(slot, Status::pending);
    items.reschedule(slot, now);
    write(slot, prior, step.effects);
    log(command.queue, std::move(entry), step.effects);
  }
  answer(step, Ack{});
  return std::nullopt;
}

}  // namespace millrace::shard
