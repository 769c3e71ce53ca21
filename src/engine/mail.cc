#include "engine/mail.h"

#include <utility>

#include "engine/prompt_thread.h"

namespace millrace::engine {

void Inbox::put(Mail mail) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    urgent_ = urgent_ || !std::holds_alternative<Call>(mail);
    mail_.push_back(std::move(mail));
    if (is_enough()) wake = std::exchange(reader_waits_, false);
  }
  if (wake) arrived_.notify_one();
}

std::deque<Mail> Inbox::take(std::chrono::system_clock::time_point until, std::size_t calls) {
  std::unique_lock lock(mutex_);
  wanted_ = calls;
  if (!is_enough()) {
    reader_waits_ = true;
    arrived_.wait_until(lock, until, [this] { return is_enough(); });
    reader_waits_ = false;
  }
  urgent_ = false;
  return std::exchange(mail_, {});
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
