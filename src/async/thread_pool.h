// A few threads for work that blocks: files, DNS, password hashes. An io thread awaits it instead of
// standing still. Owned by main; destroyed before the IoThreads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <expected>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "async/async.h"
#include "async/one_shot.h"

namespace millrace::async {

class ThreadPool {
 public:
  // Work beyond `queued_max` waiting pieces is refused.
  explicit ThreadPool(std::size_t threads, std::size_t queued_max = 1024);
  // Finishes what runs, drops what waits (its callers see Unavailable).
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `work` on a pool thread and resumes on the calling io thread with its result; what it throws is
  // thrown here. Throws Unavailable if too much waits already.
  template <class Work>
  Async<std::invoke_result_t<Work&>> run(Work work) {
    using R = std::invoke_result_t<Work&>;
    using Outcome = std::expected<R, std::exception_ptr>;
    OneShot<Outcome> outcome;
    submit([work = std::move(work), sender = outcome.sender()]() mutable { sender(attempt<Outcome>(work)); });
    Outcome done = co_await outcome.wait();
    if (!done) std::rethrow_exception(done.error());
    if constexpr (!std::is_void_v<R>) co_return *std::move(done);
  }

 private:
  template <class Outcome, class Work>
  static Outcome attempt(Work& work) noexcept {
    try {
      if constexpr (std::is_void_v<typename Outcome::value_type>) {
        work();
        return {};
      } else {
        return work();
      }
    } catch (...) {
      return std::unexpected(std::current_exception());
    }
  }

  void submit(std::move_only_function<void()> piece);
  void work_until_stopped();

  std::size_t queued_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::move_only_function<void()>> queue_;  // guarded by mutex_
  bool stopping_ = false;                              // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace millrace::async
