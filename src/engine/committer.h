// Makes groups durable on the caller's thread. The answers of a small one are passed on at once, and it is made visible
// there too: reads wait for that, whoever was told sees it. For others a thread of its own makes them visible and
// passes the answers on, while the next group is made durable. Nothing is answered before its group is durable, and
// groups are never reordered.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>

#include "engine/group.h"
#include "engine/mail.h"
#include "store/store.h"

namespace millrace::engine {

class Committer {
 public:
  struct Hooks {
    std::function<void(const Group&)> durable;                 // before the answers go out
    std::function<void(Delivery&&)> deliver;                   // an answer whose group is durable
    std::function<void(const std::function<void()>&)> around;  // the deliveries of a group; may be empty
    std::function<void(Delivery&&, const std::string& why)> refuse;
  };

  Committer(store::Store& store, Inbox& inbox, Hooks hooks);
  // Passes on the answers of what was committed, ends the thread.
  void stop();

  // Returns when the group is durable; CommitDone comes by mail once reads see it, CommitFailed if it can't be made
  // visible. If it could not be made durable, its callers are refused and the failure is returned.
  std::optional<CommitFailed> commit(Epoch epoch, Group group);

  // Drops what the store keeps no longer, now and then. On the thread that commits.
  void sweep_if_due(Time now);
  // Returns when all that was committed is visible and answered.
  void wait_finished();

  double last_seconds() const { return last_seconds_.load(std::memory_order_relaxed); }
  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  // Groups that are durable and not answered yet. More would only wait.
  static constexpr std::ptrdiff_t kUnfinishedMax = 2;

  void finish_here(store::Store::Persisted* persisted, Group& group);
  void finish(store::Store::Persisted* persisted, Group& group);
  bool make_visible(store::Store::Persisted* persisted, Group& group);
  void answer(Group& group);
  CommitFailed fail(Group& group, const std::exception& error);

  store::Store& store_;
  Inbox& inbox_;
  Hooks hooks_;

  std::chrono::steady_clock::time_point next_sweep_{};
  std::atomic<double> last_seconds_ = 0;
  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::counting_semaphore<kUnfinishedMax> room_{kUnfinishedMax};
  std::atomic<int> unfinished_ = 0;  // with the finisher: what comes after them goes there too
  std::unique_ptr<JobThread> finisher_ = std::make_unique<JobThread>("apply");
};

}  // namespace millrace::engine
