// Runs the shards of this node on a store: one thread executes commands and makes what they want written durable, a
// group at a time; every answer waits for the commit that it rests on. Reads that need no decision go to the store
// directly.
//
// Threads: submit() and the accessors may be called from any thread. A `Done` runs on the engine's
// threads and must not block.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "engine/log_watch.h"
#include "shard/command.h"
#include "shard/shard.h"
#include "store/store.h"

namespace millrace::engine {

struct EngineOptions {
  shard::ShardOptions shard;
  // What came during the last commit is the next group; it never grows past these.
  std::size_t group_commands_max = 2048;
  std::size_t group_bytes_max = 4 * 1024 * 1024;
  // Beyond this many commands on their way, or bytes of bodies, submit() answers `overloaded`.
  std::size_t pending_commands_max = 20'000;
  std::size_t pending_bytes_max = 256 * 1024 * 1024;
  std::size_t body_cache_bytes = 64 * 1024 * 1024;
  // Runs the deliveries of one group, given as a function, on the thread that finishes it; lets the owner gather
  // the wake-ups that they cause. Empty: they just run.
  std::function<void(const std::function<void()>& deliver)> around_deliveries;
  Millis retention = std::chrono::hours(24 * 30);  // of done items; zero keeps them for ever
  Millis event_retention{0};                       // of events, since they were received; zero keeps them for ever

  // How far back events are kept, at this time.
  store::Horizon event_horizon(Time now) const;
};

enum class State { starting, standby, recovering, ready, stopped, failed };
std::string_view state_name(State state);

// The catalog as of the last durable commit: kind -> key -> document. Immutable.
using Catalog = std::map<std::string, std::map<std::string, shard::Document, std::less<>>, std::less<>>;

struct EngineNumbers {
  std::uint64_t commits = 0;
  std::uint64_t commands = 0;
  std::uint64_t commit_failures = 0;
  std::size_t pending_commands = 0;
  std::size_t live_items = 0;
  std::size_t waiting_claims = 0;
  Millis clock_ahead{0};  // the shards' time before the clock; see ShardClock
  double last_commit_seconds = 0;
  double recovery_seconds = 0;
};

class Engine {
 public:
  using Done = std::move_only_function<void(shard::Reply)>;
  // Called once when the engine can't go on (a failed fsync, a corrupt file): say why and exit.
  using Broken = std::move_only_function<void(std::string why)>;

  // The store outlives the engine.
  Engine(store::Store& store, const Clock& clock, const EngineOptions& options, Broken broken);
  ~Engine();

  // Starts the threads; ownership, recovery and readiness follow in the background: see state().
  void start();
  // Answers held claims empty and refuses new waits; everything else goes on.
  void drain();
  // Finishes what was submitted, gives up ownership, joins the threads.
  void stop();

  // Executes a command at the shard and calls `done` once the answer is durable; Error{unavailable}
  // where it can't be, Error{overloaded} where too much is under way (nothing was done then).
  // The number can be given to end_wait().
  RequestId submit(ShardId shard, shard::Command command, Done done);
  // Whether a claim that does not ask to wait may be held all the same, while parked items are read. Known a moment
  // after it came to be so.
  bool may_hold() const;
  // Ends a held claim early; it is then answered empty (or with what it got just before).
  void end_wait(ShardId shard, RequestId request);

  // Where the tenant lives, or nullopt if it has never been seen (register it first: see api/tenants).
  std::optional<ShardId> shard_of(const TenantId& tenant) const;
  std::shared_ptr<const Catalog> catalog() const;
  // Another number after every change to a document of the tenant; never an earlier one again.
  std::uint64_t catalog_version(const TenantId& tenant) const;

  // A body just created or read, if still in memory; null if not: read it from the store, then keep it.
  std::shared_ptr<const queue::Body> cached_body(const queue::QueueKey& queue, ItemId id);
  void keep_body(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body);

  // Calls `grown` after every commit that appended to the tenant's event log: all up to the position can be read. It
  // runs on the engine's threads, must not block and must not end the watch. The engine outlives the watch.
  std::unique_ptr<LogWatch> watch_log(const TenantId& tenant, LogWatchers::Grown grown);

  store::Store& store();
  // What reads of events hide: what is dropped sooner or later.
  store::Horizon event_horizon(Time now) const;
  State state() const;
  EngineNumbers numbers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Kinds of catalog documents that the engine itself reads.
inline constexpr std::string_view kTenantKind = "tenant";  // body: {"shard": n, ...}

}  // namespace millrace::engine
