#include "engine/mail.h"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/prompt_thread.h"

namespace millrace::engine {

void Inbox::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
}

void Inbox::close() {
  std::vector<Mail> calls;
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
    for (Mail& mail : mail_) {
      if (is_call(mail)) calls.push_back(std::move(mail));
    }
    urgent_ -= std::erase_if(mail_, is_call);
  }
  for (Mail& call : calls) turn_away_(std::move(call));
}

void Inbox::put(Mail mail) {
  bool wake = false;
  {
    std::unique_lock lock(mutex_);
    if (!open_ && is_call(mail)) {
      lock.unlock();
      return turn_away_(std::move(mail));
    }
    if (std::holds_alternative<CommitDone>(mail)) {
      done_ = true;
    } else {
      ++urgent_;
    }
    mail_.push_back(std::move(mail));
    if (is_enough()) wake = std::exchange(reader_waits_, false);
  }
  if (wake) arrived_.notify_one();
}

// A sleep would cost two changes of thread, and on busy cores take longer than what is waited for.
void Inbox::gather(std::size_t count, std::chrono::microseconds longest) const {
  const auto until = std::chrono::steady_clock::now() + longest;
  while (urgent_.load(std::memory_order_relaxed) < count && std::chrono::steady_clock::now() < until) ::sched_yield();
}

void Inbox::take(std::vector<Mail>& out, Millis longest, Done done) {
  std::unique_lock lock(mutex_);
  wanted_ = done;
  if (!is_enough()) {
    reader_waits_ = true;
    arrived_.wait_for(lock, longest, [this] { return is_enough(); });
    reader_waits_ = false;
  }
  done_ = false;
  urgent_ = 0;
  if (out.empty()) return out.swap(mail_);  // both keep their room
  std::ranges::move(mail_, std::back_inserter(out));
  mail_.clear();
}

JobThread::JobThread(const char* name) : thread_([this, name] { loop(name); }) {}

JobThread::~JobThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void JobThread::run(std::move_only_function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  arrived_.notify_one();
}

void JobThread::loop(const char* name) {
  become_prompt(name);
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace millrace::engine
