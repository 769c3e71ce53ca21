// Reads of the store from an io thread: at once where that takes microseconds, on a reader thread where it may
// block. A store that fails is Unavailable: the answer is 503.
#pragma once

#include <type_traits>
#include <utility>

#include "api/services.h"
#include "async/async.h"
#include "base/unavailable.h"
#include "store/store_error.h"

namespace millrace::api {

// What reads of events hide, as of now.
inline store::Horizon horizon_of(const Services& services) {
  return services.engine.event_horizon(services.clock.now());
}

// One item, one log, a few bodies.
template <class Read>
async::Async<std::invoke_result_t<Read&>> read_point(Services& services, Read read) {
  try {
    if (services.engine.store().reads_are_local()) co_return read();
    co_return co_await services.readers.run(std::move(read));
  } catch (const store::StoreError& error) {
    throw Unavailable(error.what());
  }
}

// A listing or a count, which may touch many rows.
template <class Read>
async::Async<std::invoke_result_t<Read&>> read_range(Services& services, Read read) {
  try {
    co_return co_await services.readers.run(std::move(read));
  } catch (const store::StoreError& error) {
    throw Unavailable(error.what());
  }
}

}  // namespace millrace::api
