// Plays the engine's part for one shard, in simulated time and single-threaded: commands in, group
// commits with delays, facts and parked items read once what came before is durable, answers
// out after their commit. Injects the faults that an engine meets: commits that fail or whose fate is
// unknown, parked items that can't be read, crashes, late timers, a clock that steps. Tells the auditor everything it
// sees.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "auditor.h"
#include "profile.h"
#include "random.h"
#include "shard/shard.h"
#include "store/memory/memory_store.h"
#include "timeline.h"
#include "trace.h"

namespace millrace::simulation {

class Runner {
 public:
  // What a caller hears; nullopt: nothing, its connection broke or the process died.
  using Heard = std::move_only_function<void(std::optional<shard::Reply>)>;

  Runner(Random& random, const Profile& profile, Timeline& timeline, Trace& trace, Auditor& auditor);

  // A message arrives. `heard` is called once, at a later moment, unless the runner goes first.
  RequestId submit(shard::Command command, Heard heard);
  void crash();
  // The clock jumps by this much; the shard must not let time go back.
  void step_clock(Millis by);
  // From here on nothing fails.
  void calm() { calm_ = true; }
  // Every row in the store against what was committed, and memory against both.
  void check_everything();

  bool is_up() const { return shard_ != nullptr; }
  Time clock() const { return kStart + timeline_.now() + offset_; }
  store::Store& store() { return *store_; }
  ShardId shard_id() const { return kShard; }

  static constexpr ShardId kShard{7};
  static constexpr Time kStart = time_from_ms(1'800'000'000'000);

 private:
  enum class CommitFate { durable, not_done, unknown_lost, unknown_applied };
  struct Asked {
    shard::Command command;
    shard::Need need;
    std::uint64_t group;  // read once this one is durable
  };

  void open();
  void reload();
  void fail_open_requests();
  void execute(RequestId request, shard::Command& command, const shard::Facts* facts);
  void keep_need(RequestId request, shard::Command command, shard::Need need);
  void read_needs();
  void read_facts(RequestId request, Asked asked);
  void arm_timer();
  void tick();
  void arm_commit();
  void begin_commit();
  void finish_commit(CommitFate fate);
  void commit_durable(shard::Effects effects);
  void commit_failed(CommitFate fate);
  void serve_refill(const shard::RefillWish& wish);
  void answer(RequestId request, shard::Reply reply);
  CommitFate draw_fate();
  bool fault(std::uint32_t per_mille) { return !calm_ && random_.chance(per_mille); }
  Millis delay(Millis max) { return random_.millis(0, max.count()); }
  // Plans something that a reload makes void.
  void after(Millis delay, std::move_only_function<void()> what);

  Random& random_;
  const Profile& profile_;
  Timeline& timeline_;
  Trace& trace_;
  Auditor& auditor_;
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::MemoryStore> store_;
  std::unique_ptr<shard::Shard> shard_;
  Epoch epoch_{};
  Millis offset_{0};
  bool calm_ = false;

  shard::Effects filling_;
  std::optional<shard::Effects> flying_;
  std::uint64_t filling_number_ = 1;
  std::uint64_t durable_number_ = 0;
  bool commit_planned_ = false;
  std::uint64_t timer_ = 0;       // only the latest armed timer counts
  std::uint64_t generation_ = 0;  // grows with each loss of the shard

  std::map<RequestId, Heard> open_;
  std::map<RequestId, Asked> asked_;
  std::map<RequestId, int> rounds_;  // how often facts were read for a command
  std::uint64_t last_request_ = 0;
};

}  // namespace millrace::simulation
