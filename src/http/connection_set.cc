#include "http/connection_set.h"

namespace millrace::http {

// None of these resumes a coroutine inside the call, so the set does not change under the loop.

void ConnectionSet::expire(async::Deadline now) {
  for (Connection* connection : connections_) {
    if (connection->deadline_ > now) continue;
    connection->deadline_ = async::Deadline::max();
    connection->expire();
  }
}

void ConnectionSet::drain() {
  draining_ = true;
  for (Connection* connection : connections_) connection->drain();
}

void ConnectionSet::abort() {
  draining_ = true;
  aborted_ = true;
  for (Connection* connection : connections_) connection->abort();
}

}  // namespace millrace::http
