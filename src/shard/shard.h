// A shard: the single-threaded state machine that decides everything for the tenants that live in it.
// It does no I/O, reads no clock and draws no random numbers, so the same commands at the same times
// give the same batches and answers; tests/simulation drives it through crashes and lost commits.
//
// Apply first, answer after the commit: execute() changes memory at once and puts what must be stored
// into Effects::batch. Whoever runs the shard commits the batch and only then passes the answers on,
// also those of commands that changed nothing. If a commit fails, the shard is thrown away and
// loaded again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "shard/batch.h"
#include "shard/command.h"
#include "shard/facts.h"

namespace millrace::shard {

struct ShardOptions {
  std::size_t live_items_max = 10'000'000;  // waiting items in memory; more are parked
  Millis idempotency_window = std::chrono::hours(24);
  Millis deduplication_window = std::chrono::hours(24);  // of an event's deduplication_id
  Millis event_id_window = std::chrono::hours(24);       // an event_id is known so long at least, else as its event
  Millis lease_grace = std::chrono::seconds(5);          // a loaded lease ends no earlier than this after the load
  Millis worker_memory = std::chrono::hours(24);         // a worker not seen for longer is forgotten
};

struct Answer {
  RequestId request;
  Reply reply;
};

// A wish to read parked items: Store::parked(shard, from, limit), then a Refill command.
struct RefillWish {
  Time from;
  std::size_t limit;
};

// What executing gave so far. One Effects collects the work of many commands: a group commit.
struct Effects {
  Batch batch;
  std::vector<Answer> answers;  // to be passed on once `batch` is durable
  std::optional<RefillWish> refill;
};

class Shard {
 public:
  Shard(ShardState state, Epoch epoch, ShardOptions options, Time now);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // Decides and applies `command`. If the decision needs facts from the store, nothing changes, the
  // needs are returned and the command is left as it was: read them once everything in `effects`
  // so far is durable, then call again with the same request and the facts. A claim that waits, or for which
  // something may be parked, is answered by a later call.
  // REQUIRES: `facts` answer the Need that the last call for `request` returned, or are null.
  std::optional<Need> execute(RequestId request, Command& command, const Facts* facts, Time now, Effects& effects);

  // The facts of a returned Need will not come.
  void abandon(RequestId request);

  // Timers: due items, leases that ran out, claims that waited long enough.
  void tick(Time now, Effects& effects);
  // When tick() next has something to do; kNever if only a command can change that.
  Time next_tick() const;

  // Completes effects.batch (counters, workers) before it is committed.
  void seal(Effects& effects);

  // Another ShardOptions::live_items_max, from now on. What is in memory stays, and so does what is known of lanes that
  // have parked items; of these it goes on to tell 1,000 apart if `most` is less.
  void set_live_items_max(std::size_t most);

  std::size_t live_items() const;
  // Those that live_items_max is for: all that nobody holds but the first of each ordered group.
  std::size_t bounded_items() const;
  // Also those that are held though they did not ask to wait.
  std::size_t waiting_claims() const;
  // Whether the store may hold parked items: a claim that gets nothing may be held while they are read.
  bool has_parked() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace millrace::shard
