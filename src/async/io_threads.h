// The threads that do all network I/O: each runs one io_context of its own, so what lives on it needs
// no locks. Owned by main; outlives the servers on it and everybody who holds a Sender or pushes to a
// Mailbox.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "async/async.h"
#include "async/mailbox.h"

namespace millrace::async {

class IoThread {
 public:
  IoThread();
  ~IoThread() { stop(); }
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  boost::asio::io_context& context() { return io_; }
  Mailbox& mailbox() { return mailbox_; }
  // It runs on this core alone from now on.
  void keep_on(int core);
  // Ends the thread as soon as what it is running returns. Idempotent; not from the thread itself.
  void stop();

 private:
  void run();

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  Mailbox mailbox_{io_};  // after io_: what it still holds when it goes may post to io_
  std::thread thread_;
};

class IoThreads {
 public:
  // Starts so many, where the kernel puts them. REQUIRES: count > 0.
  explicit IoThreads(std::size_t count);
  // One on each of these cores, where it stays: left to itself, the kernel puts a thread that was woken beside its
  // waker, and one core has all of them while others rest (docs/adr/0018). REQUIRES: not empty.
  explicit IoThreads(const std::vector<int>& cores);
  ~IoThreads() { stop(); }

  std::size_t size() const { return threads_.size(); }
  IoThread& at(std::size_t index) { return *threads_.at(index); }
  // Round robin; any thread.
  IoThread& next();
  void stop();

 private:
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::atomic<std::size_t> turn_{0};
};

// Starts a coroutine on the thread, from any thread. An exception that leaves it is logged under `what`
// (a string literal).
void spawn(IoThread& thread, Async<> coroutine, const char* what);

// Waits on the calling io thread. OneShot::wait_until is the wait that can be interrupted.
Async<> sleep_until(Deadline deadline);

}  // namespace millrace::async
