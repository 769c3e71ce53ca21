#include "store/postgres/migration_run.h"

#include <fmt/format.h>

#include <optional>
#include <thread>
#include <utility>

#include "base/log.h"
#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

using Clock = std::chrono::steady_clock;

// Timeouts of the role or the database are for other work. A node that vanishes must not keep the others waiting: the
// server looks for its client as the client looks for the server.
constexpr char kSettings[] =
    "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = '30s';"
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;"
    "SET tcp_user_timeout = 10000;"
    "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'";
// Also in the middle of a statement. Servers before version 14 cannot, nor can some systems.
constexpr char kLookForClient[] =
    "SELECT set_config(name, '2s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'";

// How long the server may take to break off a step. Then the connection is closed, which does the same a little later.
constexpr Millis kCancelPatience = std::chrono::seconds(5);
constexpr Millis kLookAgain = Millis(250);
// IF NOT EXISTS collides with another node's at most this often.
constexpr int kLedgerTries = 5;

// Version 0 is no step: its row is what starting nodes queue up on, since advisory locks are out.
const std::string kLedger = R"sql(
CREATE TABLE IF NOT EXISTS millrace.schema_migrations (
  version  integer PRIMARY KEY,
  title    text NOT NULL,
  checksum text NOT NULL,
  applied  timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO millrace.schema_migrations (version, title, checksum) VALUES (0, 'lock', '') ON CONFLICT DO NOTHING)sql";

const Statement kHasSchema = {"has_schema", "SELECT to_regnamespace('millrace') IS NOT NULL"};
const Statement kLockLedger = {"lock_ledger",
                               "SELECT version FROM millrace.schema_migrations WHERE version = 0 FOR UPDATE"};
const Statement kRecord = {
    "record_migration",
    "INSERT INTO millrace.schema_migrations (version, title, checksum) VALUES ($1::integer, $2::text, $3::text)"};
// A node registers itself after its migrations, so these all run a program from before the missing steps. A standby
// counts as well: it would take the shards next.
const Statement kLiveNodes = {"live_nodes",
                              "SELECT coalesce(string_agg(DISTINCT node, ', '), '') FROM millrace.nodes "
                              "WHERE NOT gone AND heartbeat + ttl > clock_timestamp()"};

// IF NOT EXISTS still collides when two sessions create the same thing at once.
bool lost_race(const SqlError& error) {
  return error.sqlstate() == "23505" || error.sqlstate() == "42P06" || error.sqlstate() == "42P07" ||
         error.sqlstate() == "42710" || error.sqlstate() == "XX000";
}

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

StoreError stopped() { return {Fate::not_done, "stopped before the schema was up to date; the next start goes on"}; }

class Migrator {
 public:
  Migrator(const Connection::Target& target, const MigrationRun& run)
      : run_(run), target_(watched(target)), connection_(target_) {}

  void migrate() {
    prepare_session();
    create_ledger();
    const auto began = Clock::now();
    const Migration* first = next_step(connection_, run_.steps);
    while (advance()) {
    }
    // That the first start makes the tables is no news.
    if (first == nullptr || first->version == 1) return;
    spdlog::info(R"("msg":"the schema is up to date","from":{},"to":{},"seconds":{:.1f})", first->version - 1,
                 run_.steps.size(), seconds_since(began));
  }
  bool stop_asked() const { return run_.stop_asked && run_.stop_asked(); }

 private:
  Connection::Target watched(Connection::Target target) {
    target.meanwhile = [this] { look_around(); };
    return target;
  }

  void prepare_session() {
    connection_.script(kSettings);
    try {
      connection_.script(kLookForClient);
    } catch (const SqlError& error) {
      if (error.lost()) throw;
    }
  }

  void create_ledger() {
    for (int tried = 1;; ++tried) {
      try {
        if (has_ledger(connection_)) return;
        // Only where it is missing: a role that may not create schemas can be given a ready one.
        if (!has_schema()) connection_.script("CREATE SCHEMA IF NOT EXISTS millrace");
        return connection_.script(kLedger);
      } catch (const SqlError& error) {
        if (!lost_race(error) || tried == kLedgerTries) throw;
      }
    }
  }

  bool has_schema() {
    const Rows rows = connection_.run(kHasSchema);
    Row row;
    rows.read(0, row);
    return row.boolean();
  }

  // False once nothing is left to do.
  bool advance() {
    if (stop_asked()) throw stopped();
    begin(R"("msg":"waiting for another node, which brings the schema up to date")");
    connection_.script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
    connection_.run(kLockLedger);
    const Migration* next = next_step(connection_, run_.steps);
    const std::string older = next != nullptr && next->upgrade == Upgrade::stop ? live_nodes() : "";
    if (!older.empty()) {
      connection_.script("ROLLBACK");
      wait_for_end_of(older, *next);
      return true;
    }
    if (next != nullptr) apply(*next);
    connection_.script("COMMIT");
    return next != nullptr;
  }

  void apply(const Migration& step) {
    begin(fmt::format(R"("msg":"bringing the schema up to date","step":{},"of":{},"title":{})", step.version,
                      run_.steps.size(), quoted(step.title)));
    connection_.script(step.sql);
    connection_.run(kRecord, Params().add(step.version).add(step.title).add(checksum(step)));
  }

  std::string live_nodes() {
    const Rows rows = connection_.run(kLiveNodes);
    Row row;
    rows.read(0, row);
    return row.text();
  }

  void wait_for_end_of(const std::string& nodes, const Migration& step) {
    const auto now = Clock::now();
    if (!waiting_since_) waiting_since_ = now;
    if (run_.older_nodes_patience && now - *waiting_since_ >= *run_.older_nodes_patience) {
      throw StoreError(Fate::not_done,
                       fmt::format("step {} of the schema cannot be applied while nodes with an earlier "
                                   "version run ({}): stop them first",
                                   step.version, nodes));
    }
    if (now >= warn_again_) {
      spdlog::warn(
          R"("msg":"waiting: nodes with an earlier version cannot live with the next step of the schema, stop )"
          R"(them","step":{},"title":{},"nodes":{})",
          step.version, quoted(step.title), quoted(nodes));
      warn_again_ = now + run_.report_every;
    }
    std::this_thread::sleep_for(kLookAgain);
  }

  // What report() says from now on, as members of a line.
  void begin(std::string activity) {
    activity_ = std::move(activity);
    begun_ = reported_ = last_sign_ = Clock::now();
  }

  void report() {
    reported_ = Clock::now();
    spdlog::info(R"({},"seconds":{:.1f})", activity_, seconds_since(begun_));
  }

  // While the server works.
  void look_around() {
    if (stop_asked()) return cancel();
    if (Clock::now() - reported_ < run_.report_every) return;
    report();
    if (Connection::answers(target_)) {
      last_sign_ = Clock::now();
    } else if (Clock::now() - last_sign_ >= run_.silence_max) {
      throw SqlError("the server answers nobody any more", "", true, 0);
    }
  }

  void cancel() {
    if (!cancelled_) {
      cancelled_ = Clock::now();
      connection_.cancel();
    } else if (Clock::now() - *cancelled_ >= kCancelPatience) {
      throw SqlError("the server does not break off the step", "", true, 0);
    }
  }

  const MigrationRun& run_;
  const Connection::Target target_;
  std::string activity_ = R"("msg":"looking at the schema")";
  Clock::time_point begun_ = Clock::now();
  Clock::time_point reported_ = begun_;
  Clock::time_point last_sign_ = begun_;            // of the server's life
  std::optional<Clock::time_point> cancelled_;      // when that was asked for
  std::optional<Clock::time_point> waiting_since_;  // for nodes with an earlier version
  Clock::time_point warn_again_{};
  Connection connection_;  // last: it looks around with all of the above
};

}  // namespace

void migrate(const Connection::Target& target, const MigrationRun& run) {
  Migrator migrator(target, run);
  try {
    migrator.migrate();
  } catch (const SqlError&) {
    if (!migrator.stop_asked()) throw;
    throw stopped();
  }
}

}  // namespace millrace::store::postgres
