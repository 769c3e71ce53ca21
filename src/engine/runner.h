// The thread that runs the shards: takes all the mail there is, executes it, makes it durable as one group, and takes
// what has come meanwhile. Owns every Shard; nobody else touches them.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/committer.h"
#include "engine/engine.h"
#include "engine/group.h"
#include "engine/mail.h"
#include "engine/shard_clock.h"

namespace millrace::engine {

class Runner {
 public:
  struct Hooks {
    std::function<void(State)> state;
    std::function<void(const std::vector<shard::Document>&)> recovered;  // every document of the loaded shards
    std::function<void(Delivery&&, const std::string& why)> refuse;
    std::function<void(std::size_t bytes)> held;  // a call turned into a held claim: no longer pending
    std::function<void(std::string why)> broken;
  };

  Runner(store::Store& store, const Clock& clock, EngineOptions options, Inbox& inbox, Hooks hooks);
  ~Runner();

  void start(Committer& committer);
  // Finishes what is under way, then ends the thread.
  void stop();

  double recovery_seconds() const { return recovery_seconds_.load(); }
  std::size_t live_items() const { return live_items_.load(std::memory_order_relaxed); }
  std::size_t waiting_claims() const { return waiting_claims_.load(std::memory_order_relaxed); }
  bool has_parked() const { return has_parked_.load(std::memory_order_relaxed); }
  Millis clock_ahead() const { return clock_ahead_.load(std::memory_order_relaxed); }
  std::uint64_t commands() const { return commands_.load(std::memory_order_relaxed); }

 private:
  struct Running {
    std::unique_ptr<shard::Shard> shard;
    shard::Effects effects;
    bool in_group = false;
    Time ticks_at = kNever;
    Time expiry_at{};  // when the last round of expiry began
    Time event_expiry_at{};
  };
  // A call that must not read the store before a group is durable.
  struct Waiting {
    std::uint64_t group;
    std::move_only_function<void()> read;
  };
  // The last round of expiry left more.
  struct OwedRound {
    ShardId shard;
    bool events;
  };
  struct Caller {
    Engine::Done done;
    ShardId shard;
    std::size_t bytes;
    bool counted;
  };

  void loop();
  void take_mail();
  void accept(Mail mail);
  void execute(Call&& call, const shard::Facts* facts);
  bool answers_at_once(Call& call, shard::Effects& effects);
  void ask(Call call, shard::Need need);
  void after_durable(std::move_only_function<void()> read);
  void refill(ShardId id, shard::RefillWish wish);
  void collect(ShardId id, Running& running);
  void tick_due();
  void commit_group();
  void commit_done(std::uint64_t group);
  void commit_failed(const CommitFailed& failed);
  void drain();
  void expire();
  void expire_items_of(ShardId id, Time now);
  void expire_events_of(ShardId id, Time now);
  void expire_further(ShardId id, const shard::Command& command);
  void expire_owed();
  void note_finished(const shard::Batch& batch);
  std::size_t take_round();
  bool dropped_a_round(RequestId request, const shard::Effects& effects) const;
  void note_numbers(Time now);
  void share_memory();
  void to_shard_time(shard::Command& command) const;

  bool recover();
  void load();
  void mend_counts(shard::ShardState& state) const;
  void step_down();
  void lose(const std::string& why);
  void say_unread(const char* what, const std::exception& error);
  void refuse_unread(const std::string& why);
  void turn_away(Mail&& call, const std::string& why);
  void refuse(Call call, const std::string& why);
  std::optional<shard::Facts> read(const Call& call, const shard::Need& need);
  bool group_is_full() const;
  bool unseen() const;
  RequestId own_request();
  Running& running(ShardId id);
  bool idle() const;
  Millis longest_rest();

  store::Store& store_;
  ShardClock clock_;
  EngineOptions options_;
  Inbox& inbox_;
  Hooks hooks_;
  Committer* committer_ = nullptr;

  Epoch epoch_;
  std::map<ShardId, Running> shards_;
  absl::btree_set<std::pair<Time, ShardId>> ticks_;
  absl::flat_hash_map<RequestId, Caller> callers_;
  std::vector<Mail> unread_;  // being read, from next_unread_ on; empty between two rounds
  std::size_t next_unread_ = 0;
  std::vector<Mail> put_aside_;  // calls for which the group had no room
  Group group_;
  std::vector<ShardId> group_shards_;
  std::uint64_t next_group_ = 1;
  std::uint64_t done_ = 0;              // number of the last group that reads see
  std::deque<Waiting> waiting_;         // by group
  std::atomic<std::size_t> reads_ = 0;  // under way on the reader
  std::uint64_t generation_ = 1;
  bool draining_ = false;
  Time last_expire_{};
  std::deque<OwedRound> owed_rounds_;
  std::size_t expiry_allowance_ = 0;  // items and events that may be dropped beside callers
  std::chrono::steady_clock::time_point allowance_at_{};
  Time last_numbers_{};
  std::size_t group_bytes_ = 0;
  std::size_t company_ = 0;   // callers' commands in the groups of late
  std::size_t answered_ = 0;  // those in the last group
  std::size_t expected_ = 0;  // so many are worth waiting for before the next one is made
  std::uint64_t own_requests_ = 0;

  std::atomic<double> recovery_seconds_ = 0;
  std::atomic<std::size_t> live_items_ = 0;
  std::atomic<std::size_t> waiting_claims_ = 0;
  std::atomic<bool> has_parked_ = false;
  std::atomic<Millis> clock_ahead_{Millis(0)};
  std::atomic<std::uint64_t> commands_ = 0;
  std::atomic<bool> said_unread_ = false;
  std::stop_source stop_;
  std::unique_ptr<JobThread> reader_;
  std::thread thread_;
};

}  // namespace millrace::engine
