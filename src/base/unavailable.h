// Infrastructure that is not there just now: a store, a socket, a pool that is stopping. Thrown, never
// returned; ends as a 503 in the HTTP session, a retry in a service loop, or a message in main.
#pragma once

#include <stdexcept>

namespace millrace {

struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace millrace
