// Messages between the engine's threads: what other threads want of the runner, and a queue of jobs
// for a thread that may block.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"
#include "shard/command.h"
#include "shard/facts.h"
#include "store/store_error.h"

namespace millrace::engine {

// One caller's command on its way.
struct Call {
  ShardId shard;
  RequestId request;
  shard::Command command;
  Engine::Done done;  // empty for the engine's own commands
  std::size_t bytes = 0;
};

// A call whose facts were read; without facts the read failed.
struct CallWithFacts {
  Call call;
  std::optional<shard::Facts> facts;
  std::uint64_t generation = 0;  // of the shards that asked
};

// Reads see the group.
struct CommitDone {
  std::uint64_t group = 0;
};
struct CommitFailed {
  store::Fate fate;
  std::string why;
};
struct DrainWanted {};

using Mail = std::variant<Call, CallWithFacts, CommitDone, CommitFailed, DrainWanted>;

// Many writers, one reader, who takes all there is at once.
//
// Calls are taken while it is open. Before that, and after it was closed, they are turned away, so that none waits for
// shards that are not there, to be executed when they are back and nobody remembers. Other mail is always taken.
class Inbox {
 public:
  // Told of a call, with or without facts, that is turned away. On any thread; no lock is held.
  using TurnAway = std::function<void(Mail&& call)>;

  // REQUIRES: called once, before anything is put here.
  void set_turn_away(TurnAway turn_away) { turn_away_ = std::move(turn_away); }
  void open();
  // Calls that lie here are turned away too.
  void close();
  void put(Mail mail);
  // Whether a CommitDone alone is worth waking up for: somebody waits for it.
  enum class Done { passes, wakes };
  // Lets other threads run until so much mail but CommitDone is here, for so long at the longest.
  void gather(std::size_t count, std::chrono::microseconds longest) const;
  // Waits for mail, for so long at the longest; appends what has come, possibly nothing.
  void take(std::vector<Mail>& out, Millis longest, Done done);

 private:
  static bool is_call(const Mail& mail) {
    return std::holds_alternative<Call>(mail) || std::holds_alternative<CallWithFacts>(mail);
  }
  bool is_enough() const { return urgent_ > 0 || (wanted_ == Done::wakes && done_); }

  TurnAway turn_away_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  bool open_ = false;
  std::vector<Mail> mail_;
  Done wanted_ = Done::wakes;
  bool done_ = false;                    // some of the mail is a CommitDone
  std::atomic<std::size_t> urgent_ = 0;  // how much of it is not; read without the lock by gather()
  bool reader_waits_ = false;
};

// A thread that runs jobs in order.
class JobThread {
 public:
  explicit JobThread(const char* name);
  // Runs what is queued, then ends.
  ~JobThread();
  void run(std::move_only_function<void()> job);

 private:
  void loop(const char* name);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::move_only_function<void()>> jobs_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace millrace::engine
