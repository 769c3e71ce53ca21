// Two threads: one makes a group durable, the other makes the group before it visible to reads and passes its
// answers on. Nothing is answered before its group is both, and groups are never reordered.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <thread>

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

  Committer(store::Store& store, const Clock& clock, Inbox& inbox, Hooks hooks);
  ~Committer();
  // Commits what was handed over, passes its answers on, ends the threads.
  void stop();

  // REQUIRES: the CommitPersisted or CommitFailed of the last group was received.
  void commit(Epoch epoch, Group group);

  double last_seconds() const { return last_seconds_.load(std::memory_order_relaxed); }
  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  // Groups that are durable and not answered yet. More would only wait.
  static constexpr std::ptrdiff_t kUnfinishedMax = 2;

  struct Work {
    Epoch epoch;
    Group group;
  };
  void loop();
  void persist(Work work);
  void finish(std::unique_ptr<store::Store::Persisted> persisted, Group group);
  void fail(Group& group, const std::exception& error);
  void sweep();

  store::Store& store_;
  const Clock& clock_;
  Inbox& inbox_;
  Hooks hooks_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<Work> work_;
  bool ends_ = false;
  Time last_sweep_{};
  std::atomic<double> last_seconds_ = 0;
  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::counting_semaphore<kUnfinishedMax> room_{kUnfinishedMax};
  std::unique_ptr<JobThread> finisher_ = std::make_unique<JobThread>("apply");
  std::thread thread_;
};

}  // namespace millrace::engine
