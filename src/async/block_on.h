// Waits, on a thread that is not an io thread, for a coroutine that runs on one. For main and for tests.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

#include "async/io_threads.h"

namespace millrace::async {

// The coroutine's result; what it throws is thrown here.
template <class T>
T block_on(IoThread& thread, Async<T> coroutine) {
  return boost::asio::co_spawn(thread.context(), std::move(coroutine), boost::asio::use_future).get();
}

}  // namespace millrace::async
