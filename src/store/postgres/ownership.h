// Who may write: this node's sign of life in the table nodes, and the taking and giving up of all shards.
// Times are the server's. acquire() and release() are called by one thread; the heartbeat has its own
// thread and connection. Taking the lease rows waits for transactions of the former owner that hold them,
// and fences those that come later.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/ids.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres_store.h"

namespace millrace::store::postgres {

// Names a running program to PostgreSQL and to operators (pg_stat_activity).
std::string application_name(const std::string& instance);

class Ownership {
 public:
  Ownership(const PostgresOptions& options, Connection::Target target, std::string instance);
  ~Ownership();

  // Registers this node. Throws StoreError (not_done) if another program lives under its name, see refuse_namesake().
  void claim_name(const std::function<bool()>& stop_asked);
  // See Store::acquire. Keeps trying while the server is away.
  std::optional<Epoch> acquire(const std::stop_token& stop);
  // See Store::release. Throws nothing: a node that cannot say goodbye is found dead a little later.
  void release();

  // See Store::owns: the shards were taken, and no other node may have taken them since, because the heartbeat has
  // always come in time.
  bool holds() const;

 private:
  struct Verdict {
    std::optional<Epoch> taken;
    Millis look_again_in{};
  };
  Verdict take_or_wait(Connection& connection);
  std::optional<Epoch> take(Connection& connection);
  void register_node(Connection& connection);
  void end_blockers(Connection& connection);
  void beat(const std::stop_token& stop);
  void beat_once(Connection& connection);

  const PostgresOptions options_;
  const Connection::Target target_;
  const std::string instance_;
  int lock_timeouts_ = 0;
  std::atomic<bool> taken_ = false;
  std::atomic<std::chrono::nanoseconds> last_beat_{};  // when the last one that arrived was sent, since the boot
  // The connection that took the name or the shards, kept open: a namesake counts a node without connections as ended.
  std::unique_ptr<Connection> presence_;
  std::jthread heartbeat_;
};

}  // namespace millrace::store::postgres
