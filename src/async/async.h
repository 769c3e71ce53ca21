// The one name for a coroutine in Millrace. An Async<T> does nothing until it is awaited or spawned
// (io_threads.h); it runs on one io thread from start to end.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace millrace::async {

template <class T = void>
using Async = boost::asio::awaitable<T>;

// Deadlines are points on the steady clock: they do not move when somebody sets the wall clock.
using Steady = std::chrono::steady_clock;
using Deadline = Steady::time_point;

}  // namespace millrace::async
