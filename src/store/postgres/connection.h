// One connection to PostgreSQL: statements prepared once and kept, binary both ways, several statements
// in one round trip, and a bound on every wait. Used by one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include "base/time.h"
#include "store/postgres/wire.h"

struct pg_conn;
struct pg_result;

namespace millrace::store::postgres {

// What PostgreSQL, or libpq in its place, says went wrong. Stays inside this folder: the store turns it
// into a StoreError.
class SqlError : public std::runtime_error {
 public:
  SqlError(const std::string& message, std::string sqlstate, bool lost, std::size_t statement)
      : std::runtime_error(message), sqlstate_(std::move(sqlstate)), lost_(lost), statement_(statement) {}

  const std::string& sqlstate() const { return sqlstate_; }  // "" if the server did not say it
  bool lost() const { return lost_; }                        // the connection is of no more use
  std::size_t statement() const { return statement_; }       // of a Pipeline: which one failed, from 0
  // A collision with another transaction: the same again may well succeed.
  bool passing() const { return sqlstate_ == "40001" || sqlstate_ == "40P01"; }

 private:
  std::string sqlstate_;
  bool lost_;
  std::size_t statement_;
};

// A statement that is prepared under `name` the first time a connection meets it; one without a name is
// prepared, and so planned, each time.
struct Statement {
  const char* name;
  std::string sql;
};

class Rows {
 public:
  explicit Rows(pg_result* result);
  int size() const;
  // How many rows an INSERT, UPDATE or DELETE touched.
  std::size_t touched() const;
  std::string_view tag() const;  // "COMMIT", "INSERT 0 1"
  bool is_copy() const;
  const pg_result* raw() const { return result_.get(); }
  // Fills `row` with the fields of row `i`; they live as long as this object.
  void read(int i, Row& row) const;

 private:
  std::shared_ptr<pg_result> result_;
};

class Connection {
 public:
  struct Target {
    std::string url;
    std::string application_name;
    Millis answer_within = std::chrono::seconds(30);  // of every wait but listening
    std::string settings = {};                        // SET statements, run once connected
    // In place of answer_within, where nobody knows how long the server will take: called ten times a second while it
    // works, and throws to give it up.
    std::function<void()> meanwhile = {};
  };
  // Throws SqlError with lost() if no server answers.
  explicit Connection(const Target& target);

  // Whether a server answers there at all, even if it takes no more connections. Waits for about five seconds.
  static bool answers(const Target& target);

  // One prepared statement, one round trip.
  Rows run(const Statement& statement, const Params& params = {});
  // SQL text without parameters, possibly several statements; not prepared.
  void script(const std::string& sql);
  // COPY (…) TO STDOUT (FORMAT binary): `take` gets each row.
  void copy_out(const std::string& sql, const std::function<void(Row&)>& take);

  // Asks the server to break off what it is running for this connection, which then fails with 57014. Best effort;
  // of use in Target::meanwhile.
  void cancel();

  // For waiting on NOTIFY.
  int socket() const;
  // Throws SqlError with lost() if the server closed the connection.
  void drain_notifications();

 private:
  friend class Pipeline;
  using Deadline = std::chrono::steady_clock::time_point;

  Deadline deadline() const { return std::chrono::steady_clock::now() + answer_within_; }
  void await(short events, Deadline until, std::size_t statement);
  void flush(Deadline until, std::size_t statement);
  pg_result* next_result(Deadline until, std::size_t statement);
  // Reads results up to the end of the running command and throws the first error.
  void finish_command(Deadline until);
  SqlError broken_off(std::size_t statement) const;
  SqlError error_of(const pg_result* result, std::size_t statement) const;

  std::unique_ptr<pg_conn, void (*)(pg_conn*)> conn_;
  Millis answer_within_;
  std::function<void()> meanwhile_;
  absl::flat_hash_set<const Statement*> prepared_;
};

// Statements sent together and answered together. An error skips the rest.
class Pipeline {
 public:
  explicit Pipeline(Connection& connection);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void add(const Statement& statement, const Params& params = {});
  std::size_t size() const { return statements_; }
  // The results in order. Throws SqlError for the first failed statement, after reading all answers.
  std::vector<Rows> finish();

 private:
  struct Sent {
    const Statement* prepares;  // null: it runs
    std::size_t statement;
  };
  Connection& connection_;
  std::vector<Sent> sent_;
  std::size_t statements_ = 0;
};

}  // namespace millrace::store::postgres
