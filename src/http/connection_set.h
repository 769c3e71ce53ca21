// The connections of one io thread, and the clock that watches them: one timer for all, because a timer for
// each would cost more than serving the request. Lives on its io thread; every call comes from there.
#pragma once

#include <absl/container/flat_hash_set.h>

#include "async/async.h"

namespace millrace::http {

class Connection {
 public:
  virtual ~Connection() = default;
  // The deadline has passed: end what the peer is waited for.
  virtual void expire() = 0;
  // Finish the request in flight, take no further one.
  virtual void drain() = 0;
  virtual void abort() = 0;

 protected:
  friend class ConnectionSet;
  async::Deadline deadline_ = async::Deadline::max();
};

class ConnectionSet {
 public:
  // The connection takes itself out before it goes.
  void add(Connection& connection) {
    connections_.insert(&connection);
    if (aborted_) connection.abort();
  }
  void remove(Connection& connection) { connections_.erase(&connection); }

  void expire(async::Deadline now);
  void drain();
  void abort();
  bool draining() const { return draining_; }
  // Whether there is nothing left to watch, now and later.
  bool finished() const { return aborted_ && connections_.empty(); }

 private:
  absl::flat_hash_set<Connection*> connections_;
  bool draining_ = false;
  bool aborted_ = false;
};

}  // namespace millrace::http
