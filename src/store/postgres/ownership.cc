#include "store/postgres/ownership.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/log.h"
#include "store/postgres/namesake.h"
#include "store/postgres/records.h"
#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

// How long taking the shards waits for a transaction of the former owner before it looks around.
constexpr char kSettings[] =
    "SET lock_timeout = '1s'; SET idle_in_transaction_session_timeout = '10s'; SET synchronous_commit = on";
// A former owner's transaction ends by itself within two seconds (idle_in_transaction_session_timeout)
// unless its last message was cut short; then its connection is ended for it.
constexpr int kLockTimeoutsMax = 3;
constexpr Millis kLookAgainMax = std::chrono::seconds(1);
constexpr Millis kReconnectAfter = Millis(250);

const Statement kRegister = {"register_node", R"sql(
INSERT INTO millrace.nodes (instance, node, started, heartbeat, ttl)
VALUES ($1::text, $2::text, clock_timestamp(), clock_timestamp(), $3::bigint * interval '1 millisecond')
ON CONFLICT (instance) DO UPDATE SET heartbeat = clock_timestamp(), ttl = excluded.ttl, gone = false)sql"};

// And whether the shards, which are always taken together, are still this node's.
const Statement kBeat = {"beat", R"sql(
WITH beat AS (
  UPDATE millrace.nodes SET heartbeat = clock_timestamp() WHERE instance = $1::text AND NOT gone RETURNING 1)
SELECT EXISTS (SELECT FROM beat) AND EXISTS (
  SELECT FROM millrace.shard_leases WHERE shard = 0 AND instance = $1::text))sql"};

const Statement kLeave = {"leave", "UPDATE millrace.nodes SET gone = true WHERE instance = $1::text"};
const Statement kGiveUpShards = {"give_up_shards",
                                 "UPDATE millrace.shard_leases SET instance = '' WHERE instance = $1::text"};
const Statement kForgetDead = {"forget_dead", R"sql(
DELETE FROM millrace.nodes n
WHERE n.heartbeat < clock_timestamp() - interval '1 day'
  AND NOT EXISTS (SELECT FROM millrace.shard_leases l WHERE l.instance = n.instance))sql"};
const Statement kTellOthers = {"tell_others", "SELECT pg_notify('millrace_shards', '')"};

// The milliseconds after which to look again whether another owner is still alive; no row: there is none. A
// former program of this node has ended when its connections are gone: no need to wait for its time to run out.
constexpr char kLiveOwners[] = R"sql(
SELECT CASE WHEN n.node = $2::text THEN 50
            ELSE greatest(1, ceil(extract(epoch FROM n.heartbeat + n.ttl - clock_timestamp()) * 1000)) END::bigint
FROM millrace.nodes n
WHERE n.instance <> $1::text AND NOT n.gone AND n.heartbeat + n.ttl > clock_timestamp()
  AND EXISTS (SELECT FROM millrace.shard_leases l WHERE l.instance = n.instance)
  AND NOT (n.node = $2::text AND NOT EXISTS (
        SELECT FROM pg_stat_activity a WHERE a.application_name = 'millrace ' || n.instance)))sql";
const Statement kOwnerLives = {"owner_lives", fmt::format("{} ORDER BY 1 DESC LIMIT 1", kLiveOwners)};

// In the order in which commits lock them. Waits for those under way.
const Statement kLockShards = {"lock_shards", "SELECT shard FROM millrace.shard_leases ORDER BY shard FOR UPDATE"};
const Statement kTakeShards = {"take_shards", fmt::format(R"sql(
UPDATE millrace.shard_leases
SET epoch = (SELECT max(epoch) + 1 FROM millrace.shard_leases), instance = $1::text, node = $2::text,
    taken = clock_timestamp()
WHERE NOT EXISTS ({})
RETURNING epoch)sql",
                                                          kLiveOwners)};

const Statement kEndBlockers = {"end_blockers", R"sql(
SELECT count(pg_terminate_backend(a.pid))
FROM pg_stat_activity a
WHERE a.usename = current_user AND a.pid <> pg_backend_pid() AND a.xact_start < clock_timestamp() - interval '3 seconds'
  AND a.application_name IN (SELECT 'millrace ' || l.instance FROM millrace.shard_leases l))sql"};

// The steady clock stands still while the machine is suspended; other nodes' patience does not.
std::chrono::nanoseconds since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Becomes readable when stop is requested, so that a wait on a socket ends.
class StopSignal {
 public:
  explicit StopSignal(const std::stop_token& stop) : callback_(stop, [this] { raise(); }) {}
  int fd() const { return event_.fd; }

 private:
  struct Event {
    Event() : fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~Event() { close(fd); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    const int fd;
  };
  void raise() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(event_.fd, &one, sizeof one);
  }
  Event event_;
  // Last, so that it goes first: its end waits for a raise() under way, which would else write to a number that
  // is closed or already someone else's.
  std::stop_callback<std::function<void()>> callback_;
};

// Until something arrives on one of them, or the time is over. A negative socket is left out.
void wait_for(int socket, const StopSignal& stop, Millis at_most) {
  pollfd waiting[] = {{.fd = stop.fd(), .events = POLLIN, .revents = 0},
                      {.fd = socket, .events = POLLIN, .revents = 0}};
  poll(waiting, 2, static_cast<int>(at_most.count()));
}

}  // namespace

std::string application_name(const std::string& instance) { return "millrace " + instance; }

Ownership::Ownership(const PostgresOptions& options, Connection::Target target, std::string instance)
    : options_(options),
      target_([&] {
        target.settings = kSettings;
        // A heartbeat that takes longer proves nothing any more.
        target.answer_within = std::min(target.answer_within, options.node_ttl);
        return std::move(target);
      }()),
      instance_(std::move(instance)) {}

Ownership::~Ownership() = default;

bool Ownership::holds() const { return taken_ && since_boot() - last_beat_.load() <= options_.node_ttl; }

void Ownership::claim_name(const std::function<bool()>& stop_asked) {
  presence_ = std::make_unique<Connection>(target_);
  register_node(*presence_);
  try {
    refuse_namesake(*presence_, instance_, stop_asked);
  } catch (const StoreError&) {
    heartbeat_ = {};
    presence_->run(kLeave, Params().add(instance_));
    throw;
  }
}

std::optional<Epoch> Ownership::acquire(const std::stop_token& stop) {
  taken_ = false;
  const StopSignal stopped(stop);
  std::unique_ptr<Connection> connection;
  bool said_away = false;
  while (!stop.stop_requested()) {
    try {
      if (connection == nullptr) {
        connection = std::make_unique<Connection>(target_);
        connection->script("LISTEN millrace_shards");
        register_node(*connection);
        presence_.reset();  // from here on this one shows that we live
      }
      const Verdict verdict = take_or_wait(*connection);
      if (verdict.taken) {
        taken_ = true;
        presence_ = std::move(connection);
        return verdict.taken;
      }
      wait_for(connection->socket(), stopped, verdict.look_again_in);
      connection->drain_notifications();
    } catch (const SqlError& error) {
      if (!std::exchange(said_away, true)) spdlog::warn("waiting for PostgreSQL: {}", error.what());
      connection.reset();
      wait_for(-1, stopped, kReconnectAfter);
    }
  }
  return std::nullopt;
}

void Ownership::register_node(Connection& connection) {
  const auto sent = since_boot();
  connection.run(kRegister, Params().add(instance_).add(options_.node_id).add(std::int64_t{options_.node_ttl.count()}));
  last_beat_ = sent;
  connection.run(kForgetDead);
  if (!heartbeat_.joinable()) heartbeat_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
}

Ownership::Verdict Ownership::take_or_wait(Connection& connection) {
  const Rows alive = connection.run(kOwnerLives, Params().add(instance_).add(options_.node_id));
  if (alive.size() > 0) {
    Row row;
    alive.read(0, row);
    return {.taken = std::nullopt, .look_again_in = std::min(Millis(row.i64()), kLookAgainMax)};
  }
  return {.taken = take(connection), .look_again_in = Millis(0)};
}

// nullopt: another node was faster, or the former owner's transaction is not over yet.
std::optional<Epoch> Ownership::take(Connection& connection) {
  connection.script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  try {
    connection.run(kLockShards);
    const Rows taken = connection.run(kTakeShards, Params().add(instance_).add(options_.node_id));
    connection.script("COMMIT");
    lock_timeouts_ = 0;
    if (taken.size() == 0) return std::nullopt;
    Row row;
    taken.read(0, row);
    return Epoch{row.u64()};
  } catch (const SqlError& error) {
    const bool waited = error.sqlstate() == "55P03";
    if (!waited && !error.passing()) throw;
    connection.script("ROLLBACK");
    if (waited && ++lock_timeouts_ >= kLockTimeoutsMax) end_blockers(connection);
    return std::nullopt;
  }
}

void Ownership::end_blockers(Connection& connection) {
  spdlog::warn("a transaction of the former owner does not end; closing its connection");
  connection.run(kEndBlockers);
  lock_timeouts_ = 0;
}

void Ownership::release() {
  heartbeat_ = {};
  taken_ = false;
  presence_.reset();
  try {
    Connection connection(target_);
    connection.script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
    connection.run(kLockShards);
    connection.run(kGiveUpShards, Params().add(instance_));
    connection.run(kLeave, Params().add(instance_));
    connection.run(kTellOthers);
    connection.script("COMMIT");
  } catch (const SqlError& error) {
    spdlog::warn("could not give up the shards, others take them in {} ms: {}", options_.node_ttl.count(),
                 error.what());
  }
}

void Ownership::beat_once(Connection& connection) {
  const bool held = taken_;
  const auto sent = since_boot();
  const Rows rows = connection.run(kBeat, Params().add(instance_));
  Row row;
  rows.read(0, row);
  // A node that was stopped for a while and goes on: its beat arrives, too late.
  if (const bool ours = row.boolean(); held && !ours) {
    taken_ = false;
    spdlog::warn("another node has taken the shards");
  }
  last_beat_ = sent;
}

void Ownership::beat(const std::stop_token& stop) {
  const StopSignal stopped(stop);
  std::unique_ptr<Connection> connection;
  while (wait_for(-1, stopped, options_.heartbeat), !stop.stop_requested()) {
    try {
      if (connection == nullptr) connection = std::make_unique<Connection>(target_);
      beat_once(*connection);
    } catch (const SqlError& error) {
      spdlog::warn("the heartbeat to PostgreSQL failed: {}", error.what());
      connection.reset();
    }
  }
}

}  // namespace millrace::store::postgres
