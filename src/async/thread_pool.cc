#include "async/thread_pool.h"

#include "base/assert.h"
#include "base/unavailable.h"

namespace millrace::async {

ThreadPool::ThreadPool(std::size_t threads, std::size_t queued_max) : queued_max_(queued_max) {
  MR_ASSERT(threads > 0, "somebody has to do the work");
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work_until_stopped(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::submit(std::move_only_function<void()> piece) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_ || queue_.size() >= queued_max_) throw Unavailable("too much blocking work is waiting");
    queue_.push_back(std::move(piece));
  }
  changed_.notify_one();
}

void ThreadPool::work_until_stopped() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    auto piece = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    piece();
  }
}

}  // namespace millrace::async
