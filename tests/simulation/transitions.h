// The state machine of a work item as S4 tells it, one log entry at a time: what each entry requires of
// the item and of the command that caused it, and what it makes of the item.
#pragma once

#include "shard/command.h"
#include "view.h"

namespace millrace::simulation {

// Why an entry was written.
struct Cause {
  const shard::Command* command = nullptr;     // null: a timer
  const shard::Claim* claim = nullptr;         // of a PICKED: whose answer carries the lease
  const queue::ItemRecord* written = nullptr;  // the item as the same call wrote it after the entry
  Time now{};
};

// Moves the item on by `entry`. Throws Violation if the item, the cause or the entry forbid it.
void advance(Item& item, const queue::LogEntry& entry, const Cause& cause);

// What the rules say to a call about a lease.
enum class Verdict { accepted, repeated, conflict, not_found };
struct Judged {
  Verdict verdict = Verdict::not_found;
  std::optional<queue::LogEntry> entry = {};  // accepted: as written; repeated: as recorded
  std::uint32_t max_retries = 0;
};
bool holds_lease(const Item& item, const shard::Holder& holder);
Judged judge(const Item* item, const shard::Outcome& outcome);

}  // namespace millrace::simulation
