// Messages between the engine's threads: what other threads want of the runner, and a queue of jobs
// for a thread that may block.
#pragma once

#include <condition_variable>
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

// The group is on disk: the next one can be committed.
struct CommitPersisted {
  std::uint64_t group = 0;
};
// And reads see it.
struct CommitDone {
  std::uint64_t group = 0;
};
struct CommitFailed {
  store::Fate fate;
  std::string why;
};
struct DrainWanted {};

using Mail = std::variant<Call, CallWithFacts, CommitPersisted, CommitDone, CommitFailed, DrainWanted>;

// Many writers, one reader, who takes all there is at once. A reader who has nothing to do with a single call yet
// lets several gather: each time it is woken costs as much as executing a command.
class Inbox {
 public:
  void put(Mail mail);
  // Waits until `calls` calls have come or mail of another kind, at the longest until `until`; what has come, possibly
  // nothing.
  std::deque<Mail> take(std::chrono::system_clock::time_point until, std::size_t calls = 1);

 private:
  bool is_enough() const { return urgent_ || mail_.size() >= wanted_; }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Mail> mail_;
  std::size_t wanted_ = 1;
  bool urgent_ = false;  // some of the mail is no call
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
