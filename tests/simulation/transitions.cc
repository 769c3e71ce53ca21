#include "transitions.h"

#include <algorithm>

#include "describe.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

using queue::Action;
using queue::LogEntry;
using queue::Status;

void require_lease(const Item& item, const LogEntry& entry) {
  const queue::ItemRecord& r = item.record;
  MR_REQUIRE(r.status == Status::processing, "{}: {} without a lease", describe(r), describe(entry));
  MR_REQUIRE(entry.token == r.lease.token && entry.attempt == r.attempt, "{}: {} is about another lease", describe(r),
             describe(entry));
  MR_REQUIRE(entry.worker == *r.lease.worker, "{}: {} names another worker", describe(r), describe(entry));
}

template <class CommandType>
const CommandType& require_cause(const Item& item, const LogEntry& entry, const Cause& cause) {
  const CommandType* command = cause.command ? std::get_if<CommandType>(cause.command) : nullptr;
  MR_REQUIRE(command != nullptr, "{}: nobody asked for {}", describe(item.record), describe(entry));
  return *command;
}

void require_about(const Item& item, const LogEntry& entry, const queue::QueueKey& queue, ItemId id) {
  MR_REQUIRE(item.record.lane->queue == queue && item.record.id == id, "{}: {} but the command is about another item",
             describe(item.record), describe(entry));
}

void end_lease(Item& item) {
  item.record.lease = {};
  item.lease_floor = {};
}

// Back to waiting, ready at once. The exact due time is the shard's choice as long as it is not later.
void wait_again(Item& item, const LogEntry& entry, const Cause& cause) {
  end_lease(item);
  item.record.status = Status::pending;
  MR_REQUIRE(cause.written != nullptr, "{}: {} without a write of the item", describe(item.record), describe(entry));
  item.record.due = cause.written->due;
}

void require_due_by(const Item& item, const LogEntry& entry, Time now) {
  MR_REQUIRE(item.record.due <= now, "{}: {} must make it due at once", describe(item.record), describe(entry));
}

void pick(Item& item, const LogEntry& entry, const Cause& cause) {
  queue::ItemRecord& r = item.record;
  MR_REQUIRE(cause.claim != nullptr, "{}: {} is in nobody's answer", describe(r), describe(entry));
  MR_REQUIRE(r.status == Status::pending, "{}: leased while {}", describe(r), queue::status_name(r.status));
  MR_REQUIRE(r.due <= cause.now, "{}: leased before it is due, at {}", describe(r), describe(cause.now));
  MR_REQUIRE(entry.attempt == r.attempt + 1, "{}: {} must be the next attempt", describe(r), describe(entry));
  MR_REQUIRE(entry.token.value != 0, "{}: {} has no token", describe(r), describe(entry));
  MR_REQUIRE(entry.worker == cause.claim->worker, "{}: {} names another worker", describe(r), describe(entry));
  r.status = Status::processing;
  r.placement = queue::Placement::live;
  r.attempt = entry.attempt;
  r.lease = {entry.token, cause.now + cause.claim->lease, std::make_shared<const std::string>(entry.worker)};
}

void start(Item& item, const LogEntry& entry, const Cause& cause) {
  const auto& touch = require_cause<shard::Touch>(item, entry, cause);
  require_about(item, entry, touch.queue, touch.holder.item);
  require_lease(item, entry);
  MR_REQUIRE(touch.kind == shard::Touch::Kind::start && holds_lease(item, touch.holder),
             "{}: {} for a caller without it", describe(item.record), describe(entry));
  MR_REQUIRE(
      std::ranges::none_of(
          item.log, [&](const LogEntry& e) { return e.action == Action::started && e.attempt == entry.attempt; }),
      "{}: {} is the second of its attempt", describe(item.record), describe(entry));
}

// A try that failed: FAILED for good exactly when all are used up.
void count_try(Item& item, const LogEntry& entry) {
  queue::ItemRecord& r = item.record;
  ++r.retry_count;
  end_lease(item);
  const bool last = r.retry_count >= queue::tries_allowed(r.max_retries);
  MR_REQUIRE(last == !entry.next_retry_at.has_value(), "{}: {} must {}be the last try", describe(r), describe(entry),
             last ? "" : "not ");
  r.status = last ? Status::failed : Status::pending;
}

void require_backoff(const queue::ItemRecord& r, const LogEntry& entry, Time now) {
  const std::uint32_t doublings = r.retry.kind == queue::Backoff::fixed ? 0 : r.retry_count - 1;
  Millis wait = r.retry.base * (std::int64_t{1} << std::min(doublings, 30u));
  if (r.retry.kind == queue::Backoff::exponential) wait = std::min(wait, r.retry.cap);
  const Millis least = r.retry.jitter ? wait / 2 : wait;
  const Millis seen = *entry.next_retry_at - now;
  MR_REQUIRE(least <= seen && seen <= wait, "{}: {} waits {} ms, expected {} to {}", describe(r), describe(entry),
             seen.count(), least.count(), wait.count());
}

void settle(Item& item, const LogEntry& entry, const Cause& cause) {
  const auto& command = require_cause<shard::Settle>(item, entry, cause);
  require_lease(item, entry);
  const bool success = entry.action == Action::completed;
  const auto asked = std::ranges::find_if(command.outcomes, [&](const shard::Outcome& o) {
    return o.success == success && o.holder.item == item.record.id && command.queue == item.record.lane->queue &&
           holds_lease(item, o.holder) && o.status_code == entry.status_code &&
           o.execution_time_ms == entry.execution_time_ms && (success || o.error_message == entry.error_message);
  });
  MR_REQUIRE(asked != command.outcomes.end(), "{}: no outcome asked for {}", describe(item.record), describe(entry));
  if (success) {
    end_lease(item);
    item.record.status = Status::completed;
    return;
  }
  count_try(item, entry);
  if (item.record.status != Status::pending) return;
  require_backoff(item.record, entry, cause.now);
  item.record.due = *entry.next_retry_at;
}

void time_out(Item& item, const LogEntry& entry, const Cause& cause) {
  require_lease(item, entry);
  MR_REQUIRE(item.lease_end() <= cause.now, "{}: timed out at {} before its end at {}", describe(item.record),
             describe(cause.now), describe(item.lease_end()));
  count_try(item, entry);
  if (item.record.status != Status::pending) return;
  wait_again(item, entry, cause);
  require_due_by(item, entry, cause.now);
}

void reset(Item& item, const LogEntry& entry, const Cause& cause) {
  const auto& command = require_cause<shard::Reset>(item, entry, cause);
  require_about(item, entry, command.queue, command.item);
  MR_REQUIRE(item.record.status != Status::completed && item.record.status != Status::cancelled,
             "{}: reset although it ended", describe(item.record));
  MR_REQUIRE(entry.reason == command.reason, "{}: {} lost its reason", describe(item.record), describe(entry));
  // What a reset does to the tries of an item that has not failed for good is left open.
  const bool kept = entry.retry_count == item.record.retry_count && item.record.status != Status::failed;
  if (!kept) item.record.retry_count = 0;
  wait_again(item, entry, cause);
  require_due_by(item, entry, cause.now);
}

void release(Item& item, const LogEntry& entry, const Cause& cause) {
  const auto& command = require_cause<shard::Release>(item, entry, cause);
  require_about(item, entry, command.queue, command.item);
  require_lease(item, entry);
  MR_REQUIRE(command.token == item.record.lease.token, "{}: released by another lease's token", describe(item.record));
  wait_again(item, entry, cause);
  require_due_by(item, entry, cause.now);
}

void cancel(Item& item, const LogEntry& entry, const Cause& cause) {
  const auto& command = require_cause<shard::Cancel>(item, entry, cause);
  require_about(item, entry, command.queue, command.item);
  MR_REQUIRE(item.record.status != Status::completed && item.record.status != Status::cancelled,
             "{}: cancelled although it ended", describe(item.record));
  MR_REQUIRE(entry.reason == command.reason, "{}: {} lost its reason", describe(item.record), describe(entry));
  end_lease(item);
  item.record.status = Status::cancelled;
}

}  // namespace

void advance(Item& item, const LogEntry& entry, const Cause& cause) {
  MR_REQUIRE(entry.created == cause.now, "{}: {} is not of now, {}", describe(item.record), describe(entry),
             describe(cause.now));
  switch (entry.action) {
    case Action::picked:
      pick(item, entry, cause);
      break;
    case Action::started:
      start(item, entry, cause);
      break;
    case Action::completed:
    case Action::failed:
      settle(item, entry, cause);
      break;
    case Action::timed_out:
      time_out(item, entry, cause);
      break;
    case Action::reset:
      reset(item, entry, cause);
      break;
    case Action::released:
      release(item, entry, cause);
      break;
    case Action::cancelled:
      cancel(item, entry, cause);
      break;
  }
  MR_REQUIRE(entry.attempt == item.record.attempt, "{}: {} has the wrong attempt", describe(item.record),
             describe(entry));
  MR_REQUIRE(entry.retry_count == item.record.retry_count, "{}: {} counts tries wrongly", describe(item.record),
             describe(entry));
  item.note(entry);
}

bool holds_lease(const Item& item, const shard::Holder& holder) {
  const queue::ItemRecord& r = item.record;
  return r.status == Status::processing && *r.lease.worker == holder.worker &&
         (!holder.attempt || *holder.attempt == r.attempt) && (!holder.token || *holder.token == r.lease.token);
}

Judged judge(const Item* item, const shard::Outcome& outcome) {
  if (item == nullptr) return {};
  const queue::ItemRecord& r = item->record;
  const shard::Holder& holder = outcome.holder;
  if (holds_lease(*item, holder)) return {Verdict::accepted, std::nullopt, r.max_retries};
  const bool named = holder.attempt || holder.token;
  for (const LogEntry& entry : item->log) {
    if (entry.action != (outcome.success ? Action::completed : Action::failed) || entry.worker != holder.worker)
      continue;
    if (named ? (holder.attempt && *holder.attempt != entry.attempt) || (holder.token && *holder.token != entry.token)
              : entry.attempt != r.attempt) {
      continue;
    }
    return {Verdict::repeated, entry, r.max_retries};
  }
  return {Verdict::conflict, std::nullopt, r.max_retries};
}

}  // namespace millrace::simulation
