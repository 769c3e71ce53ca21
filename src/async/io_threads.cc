#include "async/io_threads.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "async/cores.h"
#include "base/assert.h"
#include "base/log.h"

namespace millrace::async {

IoThread::IoThread() : thread_([this] { run(); }) {}

void IoThread::run() {
  Mailbox::set_current(&mailbox_);
  io_.run();
  Mailbox::set_current(nullptr);
}

void IoThread::keep_on(int core) { async::keep_on(thread_, core); }

void IoThread::stop() {
  if (!thread_.joinable()) return;
  io_.stop();
  thread_.join();
}

IoThreads::IoThreads(std::size_t count) {
  MR_ASSERT(count > 0, "somebody has to do the I/O");
  for (std::size_t i = 0; i < count; ++i) threads_.push_back(std::make_unique<IoThread>());
}

IoThreads::IoThreads(const std::vector<int>& cores) : IoThreads(cores.size()) {
  for (std::size_t i = 0; i < cores.size(); ++i) threads_[i]->keep_on(cores[i]);
}

IoThread& IoThreads::next() { return *threads_[turn_.fetch_add(1, std::memory_order_relaxed) % threads_.size()]; }

// All are stopped before any is destroyed, because a coroutine on one may push to another.
void IoThreads::stop() {
  for (auto& thread : threads_) thread->stop();
}

void spawn(IoThread& thread, Async<> coroutine, const char* what) {
  boost::asio::co_spawn(thread.context(), std::move(coroutine), [what](std::exception_ptr failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      spdlog::error(R"("msg":"a coroutine failed","what":"{}","error":{})", what, quoted(error.what()));
    } catch (...) {
      spdlog::error(R"("msg":"a coroutine failed","what":"{}")", what);
    }
  });
}

Async<> sleep_until(Deadline deadline) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, deadline);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace millrace::async
