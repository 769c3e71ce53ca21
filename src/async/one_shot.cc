#include "async/one_shot.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/unavailable.h"

namespace millrace::async::detail {

// What travels through the mailbox. If the io thread ends before it is delivered, the waiting
// coroutine is destroyed with it: otherwise coroutine and state would keep each other alive.
struct Waiter::Delivery {
  std::shared_ptr<Waiter> waiter;

  explicit Delivery(std::shared_ptr<Waiter> w) : waiter(std::move(w)) {}
  Delivery(Delivery&&) noexcept = default;
  ~Delivery() {
    if (waiter) std::exchange(waiter->resume_, nullptr);
  }
  void operator()() {
    auto arrived = std::move(waiter);
    arrived->settled_ = true;
    arrived->rouse();
  }
};

Async<> Waiter::suspend(std::shared_ptr<Waiter> self) {
  MR_ASSERT(self->home_.is_current(), "a OneShot is awaited where it was made");
  MR_ASSERT(!self->resume_, "one waiter at a time");
  ++self->wait_;
  auto keep = [self = std::move(self)](auto handler) { self->resume_ = std::move(handler); };
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(std::move(keep),
                                                                                   boost::asio::use_awaitable);
}

Async<> Waiter::suspend_until(std::shared_ptr<Waiter> self, Deadline deadline, Signal* interrupt) {
  if (interrupt != nullptr && interrupt->raised()) co_return;
  const auto wait = self->wait_ + 1;
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, deadline);
  timer.async_wait([self, wait](boost::system::error_code error) {
    if (!error) rouse_later(self, wait);
  });
  const auto subscription =
      interrupt == nullptr ? Signal::Subscription() : interrupt->subscribe([self, wait] { rouse_later(self, wait); });
  co_await suspend(self);
}

void Waiter::settle(std::shared_ptr<Waiter> self) {
  Mailbox& home = self->home_;
  if (home.is_current() && !self->resume_) {
    self->settled_ = true;
    return;
  }
  home.push(Delivery(std::move(self)));
}

// Never resumes inside the caller: the waiting coroutine may destroy what raised the signal. By the
// time it is delivered the wait may be over and another one begun, which is none of its business.
void Waiter::rouse_later(const std::shared_ptr<Waiter>& self, std::uint64_t wait) {
  self->home_.push([self, wait] {
    if (self->wait_ == wait) self->rouse();
  });
}

void Waiter::rouse() {
  if (auto resume = std::exchange(resume_, nullptr)) resume();
}

void throw_abandoned() { throw Unavailable("the work was given up before it was answered"); }

}  // namespace millrace::async::detail
