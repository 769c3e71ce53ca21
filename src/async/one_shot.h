// An answer that another thread will give once. Created and awaited on an io thread; its Sender goes
// to whoever answers, on any thread, and the value comes back through the io thread's Mailbox.
//
//   OneShot<Reply> answer;
//   engine.submit(command, answer.sender());
//   Reply reply = co_await answer.wait();
//
// Either side may vanish first. A Sender destroyed without a value ends the wait with Unavailable, so
// that no request hangs on work that was thrown away.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "async/async.h"
#include "async/mailbox.h"
#include "async/signal.h"
#include "base/assert.h"

namespace millrace::async {

namespace detail {

// The part of a OneShot that does not depend on the value. Everything but `home` belongs to the home thread.
class Waiter {
 public:
  Waiter() : home_(Mailbox::current()) {}

  bool settled() const { return settled_; }
  // Ends when settled, or at the deadline, or when the signal is raised; the caller looks which.
  static Async<> suspend(std::shared_ptr<Waiter> self);
  static Async<> suspend_until(std::shared_ptr<Waiter> self, Deadline deadline, Signal* interrupt);
  // Any thread, once: the value (or its absence) is final.
  static void settle(std::shared_ptr<Waiter> self);

 private:
  struct Delivery;
  static void rouse_later(const std::shared_ptr<Waiter>& self, std::uint64_t wait);
  void rouse();

  Mailbox& home_;
  bool settled_ = false;
  std::uint64_t wait_ = 0;                  // counts the waits, so that a late alarm finds its own
  std::move_only_function<void()> resume_;  // set while somebody waits
};

[[noreturn]] void throw_abandoned();

}  // namespace detail

template <class T>
class OneShot {
  struct State : detail::Waiter {
    std::optional<T> value;  // written by the sender before settle(), read at home after it
  };

 public:
  // Movable; fulfils at most once. Callable, so that it serves as a std::move_only_function<void(T)>.
  class Sender {
   public:
    Sender(Sender&&) noexcept = default;
    Sender& operator=(Sender&&) = delete;
    ~Sender() {
      if (state_) detail::Waiter::settle(std::move(state_));
    }
    void fulfil(T value) {
      MR_ASSERT(state_ != nullptr, "an answer is given once");
      state_->value.emplace(std::move(value));
      detail::Waiter::settle(std::move(state_));
    }
    void operator()(T value) { fulfil(std::move(value)); }

   private:
    friend class OneShot;
    explicit Sender(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };

  // REQUIRES: on an io thread.
  OneShot() : state_(std::make_shared<State>()) {}
  OneShot(const OneShot&) = delete;
  OneShot& operator=(const OneShot&) = delete;

  // REQUIRES: called once.
  Sender sender() {
    MR_ASSERT(!std::exchange(sent_, true), "a OneShot has one sender");
    return Sender(state_);
  }

  // The value. Throws Unavailable if the sender went without giving one.
  Async<T> wait() {
    if (!state_->settled()) co_await detail::Waiter::suspend(state_);
    co_return take();
  }
  // wait() in its steps, for where one coroutine less counts:
  //   if (!answer.settled()) co_await answer.until_settled();
  //   T value = answer.take();
  bool settled() const { return state_->settled(); }
  Async<> until_settled() { return detail::Waiter::suspend(state_); }

  // The value, or nullopt if the deadline passes or `interrupt` (may be null; outlives the wait) is raised
  // first. After nullopt the OneShot may be awaited again: the answer may still be under way.
  Async<std::optional<T>> wait_until(Deadline deadline, Signal* interrupt = nullptr) {
    if (!state_->settled()) co_await detail::Waiter::suspend_until(state_, deadline, interrupt);
    if (!state_->settled()) co_return std::nullopt;
    co_return take();
  }

  T take() {
    if (!state_->value) detail::throw_abandoned();
    return *std::move(state_->value);
  }

 private:
  std::shared_ptr<State> state_;
  bool sent_ = false;
};

}  // namespace millrace::async
