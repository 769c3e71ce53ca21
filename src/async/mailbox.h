// How other threads hand work to an io thread. One mailbox an io thread, owned by its IoThread and
// alive until that is destroyed; whoever pushes must be gone by then.
#pragma once

#include <boost/asio/io_context.hpp>

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace millrace::async {

class Mailbox {
 public:
  // Must not throw: nobody is there to catch it.
  using Task = std::move_only_function<void()>;

  explicit Mailbox(boost::asio::io_context& io) : io_(io) {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Any thread. The task runs later on the io thread, after everything this thread pushed before it.
  // Tasks never run if the io thread has been stopped; they are destroyed with the mailbox.
  void push(Task task);

  // The mailbox of the io thread that calls. REQUIRES: called on an io thread.
  static Mailbox& current();
  bool is_current() const;
  // Called once by the io thread before it runs, and with nullptr when it has ended.
  static void set_current(Mailbox* mailbox);

  // While one lives, pushes of its thread are held back and then delivered with one lock and one
  // wake-up a mailbox. For a thread that answers many requests in a row. Do not nest.
  class Gather {
   public:
    Gather();
    ~Gather();
    Gather(const Gather&) = delete;
    Gather& operator=(const Gather&) = delete;

   private:
    friend class Mailbox;
    void add(Mailbox& mailbox, Task task);
    std::vector<std::pair<Mailbox*, std::vector<Task>>> held_;
  };

 private:
  void push_all(std::vector<Task>& tasks);
  void wake();
  void drain();

  boost::asio::io_context& io_;
  std::mutex mutex_;
  std::vector<Task> waiting_;  // guarded by mutex_
  bool woken_ = false;         // guarded by mutex_; a drain is on its way
  std::vector<Task> running_;  // io thread only; kept for its capacity
};

}  // namespace millrace::async
