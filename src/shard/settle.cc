// The holder's calls: start, heartbeat, complete, fail. Whoever does not hold the lease gets what was
// recorded for the same call before, or a conflict, and changes nothing.
#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/mix.h"
#include "shard/impl.h"

namespace millrace::shard {

using queue::Action;
using queue::LogEntry;
using queue::Status;

namespace {

Action action_of(const Outcome& outcome) { return outcome.success ? Action::completed : Action::failed; }

// Does the outcome say again what `entry` says, as far as it names the lease?
bool repeats(const Outcome& outcome, const LogEntry& entry) {
  const Holder& holder = outcome.holder;
  if (entry.item != holder.item || entry.worker != holder.worker || entry.action != action_of(outcome)) return false;
  return (!holder.attempt || *holder.attempt == entry.attempt) && (!holder.token || *holder.token == entry.token);
}

// Without attempt and token the latest lease is meant.
const LogEntry* recorded(const Outcome& outcome, const ItemHistory& history) {
  const bool named = outcome.holder.attempt || outcome.holder.token;
  for (const LogEntry& entry : history.log) {
    if (repeats(outcome, entry) && (named || entry.attempt == history.record.attempt)) return &entry;
  }
  return nullptr;
}

bool was_started(const ItemHistory& history, std::uint32_t attempt) {
  return std::ranges::any_of(
      history.log, [&](const LogEntry& entry) { return entry.action == Action::started && entry.attempt == attempt; });
}

}  // namespace

bool Shard::Impl::holds(SlotIndex slot, const Holder& holder) const {
  if (slot == kNoSlot || items[slot].where != queue::Where::leased) return false;
  const queue::Lease& lease = items.leases().at(slot).lease;
  if (*lease.worker != holder.worker) return false;
  if (holder.attempt && *holder.attempt != items[slot].attempt) return false;
  return !holder.token || *holder.token == lease.token;
}

Error Shard::Impl::not_held(const queue::QueueKey& queue, const Holder& holder, const queue::ItemRecord& stored) const {
  const SlotIndex slot = items.find(queue, holder.item);
  const queue::ItemRecord present = slot == kNoSlot ? stored : items.record(slot);
  if (present.status == Status::processing) {
    return {Errc::conflict, fmt::format("item {} is held by worker {} (attempt {})", holder.item.value,
                                        *present.lease.worker, present.attempt)};
  }
  return {Errc::conflict, fmt::format("item {} is {}; worker {} does not hold it", holder.item.value,
                                      queue::status_name(present.status), holder.worker)};
}

std::optional<Need> Shard::Impl::run(Step& step, Touch& command) {
  const Holder& holder = command.holder;
  workers.seen_if_known(command.queue, holder.worker, now);
  const SlotIndex slot = items.find(command.queue, holder.item);
  if (!holds(slot, holder)) {
    const auto* history = step.history({command.queue, holder.item});
    if (history == nullptr) return Need{.items = {{command.queue, holder.item}}};
    answer(step, *history ? not_held(command.queue, holder, (*history)->record) : unknown_item(holder.item));
    return std::nullopt;
  }
  queue::HeldLease& held = items.leases()[slot];
  if (command.kind == Touch::Kind::start && held.loaded) {
    const auto* history = step.history({command.queue, holder.item});
    if (history == nullptr) return Need{.items = {{command.queue, holder.item}}};
    held.started = *history && was_started(**history, items[slot].attempt);
    held.loaded = false;
  }
  const Time until = std::max(held.lease.until, now + command.lease);
  if (command.kind == Touch::Kind::start && !held.started) {
    held.started = true;
    log(command.queue,
        {.item = holder.item,
         .action = Action::started,
         .attempt = items[slot].attempt,
         .token = held.lease.token,
         .worker = holder.worker,
         .retry_count = items[slot].retry_count},
        step.effects);
  }
  items.leases().extend(slot, until);
  write(slot, prior_of(slot), step.effects);
  answer(step, Touched{holder.item, holder.worker, items[slot].attempt, now, until});
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, Settle& command) {
  Need need;
  bool missing = false;
  for (const Outcome& outcome : command.outcomes) {
    if (holds(items.find(command.queue, outcome.holder.item), outcome.holder)) continue;
    const ItemRef ref{command.queue, outcome.holder.item};
    need.items.push_back(ref);
    missing = missing || step.history(ref) == nullptr;
  }
  if (missing) return need;

  Settled settled;
  settled.outcomes.reserve(command.outcomes.size());
  for (std::size_t i = 0; i < command.outcomes.size(); ++i) {
    settled.outcomes.push_back(settle_one(step, command, i, settled.outcomes));
  }
  if (command.claim) {
    wait_or_answer(step, std::move(*command.claim), std::move(settled));
  } else {
    answer(step, std::move(settled));
  }
  return std::nullopt;
}

Result<OutcomeRecorded> Shard::Impl::settle_one(Step& step, const Settle& command, std::size_t index,
                                                const std::vector<Result<OutcomeRecorded>>& before) {
  const Outcome& outcome = command.outcomes[index];
  const Holder& holder = outcome.holder;
  workers.seen_if_known(command.queue, holder.worker, now);
  const SlotIndex slot = items.find(command.queue, holder.item);
  if (holds(slot, holder)) {
    return outcome.success ? complete(slot, outcome, step.effects) : fail_try(slot, outcome, step.effects);
  }
  // An earlier outcome of the same call may have ended the lease; the facts know nothing of it.
  for (const auto& earlier : before) {
    const bool ended = earlier && !earlier->repeated;
    if (ended && repeats(outcome, earlier->entry)) return OutcomeRecorded{earlier->entry, earlier->max_retries, true};
  }
  if (const auto* history = step.history({command.queue, holder.item})) {
    if (!*history) return std::unexpected(unknown_item(holder.item));
    if (const LogEntry* entry = recorded(outcome, **history)) {
      return OutcomeRecorded{*entry, (*history)->record.max_retries, true};
    }
    return std::unexpected(not_held(command.queue, holder, (*history)->record));
  }
  return fail(Errc::conflict, fmt::format("item {} was already settled by this call", holder.item.value));
}

OutcomeRecorded Shard::Impl::complete(SlotIndex slot, const Outcome& outcome, Effects& effects) {
  const queue::QueueKey& queue = items.lane_key(slot).queue;
  const LogEntry& entry = log(queue,
                              {.item = outcome.holder.item,
                               .action = Action::completed,
                               .attempt = items[slot].attempt,
                               .token = items.leases().at(slot).lease.token,
                               .worker = outcome.holder.worker,
                               .status_code = outcome.status_code,
                               .execution_time_ms = outcome.execution_time_ms,
                               .retry_count = items[slot].retry_count},
                              effects);
  OutcomeRecorded recorded{entry, items[slot].max_retries};
  const PriorItem prior = prior_of(slot);
  end_lease(slot);
  finish(slot, Status::completed, prior, effects);
  return recorded;
}

OutcomeRecorded Shard::Impl::fail_try(SlotIndex slot, const Outcome& outcome, Effects& effects) {
  const Slot& item = items[slot];
  const std::uint32_t max_retries = item.max_retries;
  const queue::RetryPolicy policy = items.record(slot).retry;
  const Millis delay = queue::retry_delay(policy, item.retry_count + 1u, mix64(item.id) ^ item.attempt);
  LogEntry entry{.item = outcome.holder.item,
                 .action = Action::failed,
                 .attempt = item.attempt,
                 .token = items.leases().at(slot).lease.token,
                 .worker = outcome.holder.worker,
                 .status_code = outcome.status_code,
                 .execution_time_ms = outcome.execution_time_ms,
                 .error_message = outcome.error_message};
  return {end_try(slot, std::move(entry), delay, effects), max_retries};
}

// A try failed (or its lease ran out): the item waits for the next one, or it was the last.
LogEntry Shard::Impl::end_try(SlotIndex slot, LogEntry entry, Millis delay, Effects& effects) {
  const queue::QueueKey queue = items.lane_key(slot).queue;
  const PriorItem prior = prior_of(slot);
  end_lease(slot);
  Slot& item = items[slot];
  entry.retry_count = ++item.retry_count;
  const bool last = item.retry_count >= queue::tries_allowed(item.max_retries);
  const auto mode = items.order_mode(slot);

  if (last && mode == queue::GroupMode::block_on_error) {
    change_status(slot, Status::failed);  // stays in memory: its group waits for it
    items.reschedule(slot, now);
    write(slot, prior, effects);
  } else if (last) {
    finish(slot, Status::failed, prior, effects);
  } else {
    change_status(slot, Status::pending);
    item.due_ms = to_ms(now + delay);
    item.retry_wait = entry.action == Action::failed;
    entry.next_retry_at = now + delay;
    if (mode == queue::GroupMode::next_on_error) items.set_aside(slot, now);
    items.reschedule(slot, now);
    write(slot, prior, effects);
  }
  return log(queue, std::move(entry), effects);
}

}  // namespace millrace::shard
