#include "store/postgres/connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

namespace millrace::store::postgres {
namespace {

constexpr int kBinary = 1;

std::string trimmed(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "PostgreSQL gave no reason" : text;
}

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text == nullptr ? "" : text;
}

// How often a wait without a deadline looks around: soon enough for a stop, seldom enough to cost nothing.
constexpr int kGlanceMs = 100;

// Defaults of ours stand before the URL, so that what the URL says wins. Keepalives find a machine that is gone, also
// where a wait has no deadline.
auto with_parameters(const Connection::Target& target, auto call) {
  const char* const keywords[] = {
      "connect_timeout",      "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
      "target_session_attrs", "dbname",          "application_name",    "client_encoding",  nullptr};
  const char* const values[] = {
      "5", "5", "2", "3", "10000", "read-write", target.url.c_str(), target.application_name.c_str(), "UTF8", nullptr};
  return call(keywords, values, 1);
}

// Whether libpq reads the URL as it was meant. It quotes what it cannot read, which may be a password.
bool is_readable(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(PQconninfoParse(url.c_str(), nullptr),
                                                                               PQconninfoFree);
  if (options == nullptr) return false;
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    const std::string_view keyword = each->keyword;
    const std::string_view value = each->val == nullptr ? "" : each->val;
    // A password with an "@" or a "/" of its own ends up in these.
    if (keyword == "host" && value.find('@') != value.npos) return false;
    if (keyword == "port" && value.find_first_not_of("0123456789,") != value.npos) return false;
  }
  return true;
}

std::string why_not_connected(const Connection::Target& target, const PGconn* conn) {
  if (conn == nullptr) return "out of memory";
  if (is_readable(target.url)) return trimmed(PQerrorMessage(conn));
  return "the URL cannot be read (it is not shown, for it may have a password): write "
         "postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %XX for what is not a letter or digit in a name or the "
         "password";
}

// The binary COPY format: a header, then rows of length-prefixed fields, then -1 in place of a row.
class CopyReader {
 public:
  explicit CopyReader(const std::function<void(Row&)>& take) : take_(take) {}

  void read(std::string_view chunk) {
    rest_ = chunk;
    if (std::exchange(at_start_, false)) {
      bytes(kSignature);
      const std::int32_t extension = i32();
      bytes(static_cast<std::size_t>(extension));
    }
    while (!rest_.empty()) {
      const std::int16_t fields = static_cast<std::int16_t>(number(2));
      if (fields < 0) return;
      row_.clear();
      for (std::int16_t i = 0; i < fields; ++i) {
        const std::int32_t size = i32();
        row_.push({size < 0 ? nullptr : bytes(static_cast<std::size_t>(size)).data(), size});
      }
      take_(row_);
    }
  }

 private:
  static constexpr std::size_t kSignature = 11 + 4;  // the signature and the flags

  std::string_view bytes(std::size_t n) {
    if (n > rest_.size()) throw WireError("a copied row is shorter than it says");
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  std::uint32_t number(std::size_t n) {
    std::uint32_t v = 0;
    for (const char c : bytes(n)) v = v << 8 | static_cast<unsigned char>(c);
    return v;
  }
  std::int32_t i32() { return static_cast<std::int32_t>(number(4)); }

  const std::function<void(Row&)>& take_;
  std::string_view rest_;
  bool at_start_ = true;
  Row row_;
};

}  // namespace

Rows::Rows(pg_result* result) : result_(result, [](pg_result* r) { PQclear(r); }) {}
int Rows::size() const { return PQntuples(result_.get()); }
bool Rows::is_copy() const { return PQresultStatus(result_.get()) == PGRES_COPY_OUT; }
std::string_view Rows::tag() const { return PQcmdStatus(result_.get()); }

std::size_t Rows::touched() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::size_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

void Rows::read(int i, Row& row) const {
  row.clear();
  const int columns = PQnfields(result_.get());
  for (int c = 0; c < columns; ++c) {
    const bool null = PQgetisnull(result_.get(), i, c) != 0;
    row.push({PQgetvalue(result_.get(), i, c), null ? -1 : PQgetlength(result_.get(), i, c)});
  }
}

Connection::Connection(const Target& target)
    : conn_(with_parameters(target, PQconnectdbParams), [](pg_conn* c) { PQfinish(c); }),
      answer_within_(target.answer_within),
      meanwhile_(target.meanwhile) {
  if (conn_ == nullptr || PQstatus(conn_.get()) != CONNECTION_OK) {
    throw SqlError(why_not_connected(target, conn_.get()), "", true, 0);
  }
  // Notices (a table that exists already) concern nobody.
  PQsetNoticeReceiver(conn_.get(), [](void*, const PGresult*) {}, nullptr);
  PQsetnonblocking(conn_.get(), 1);
  if (!target.settings.empty()) script(target.settings);
}

bool Connection::answers(const Target& target) {
  const PGPing answer = with_parameters(target, PQpingParams);
  return answer == PQPING_OK || answer == PQPING_REJECT;
}

SqlError Connection::broken_off(std::size_t statement) const {
  return SqlError(trimmed(PQerrorMessage(conn_.get())), "", true, statement);
}

SqlError Connection::error_of(const PGresult* result, std::size_t statement) const {
  const std::string sqlstate = field(result, PG_DIAG_SQLSTATE);
  const std::string severity = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const bool lost = sqlstate.empty() || severity == "FATAL" || severity == "PANIC";
  return SqlError(trimmed(PQresultErrorMessage(result)), sqlstate, lost, statement);
}

void Connection::await(short events, Deadline until, std::size_t statement) {
  pollfd waiting{.fd = PQsocket(conn_.get()), .events = events, .revents = 0};
  if (meanwhile_) {
    while (poll(&waiting, 1, kGlanceMs) == 0) meanwhile_();
    return;
  }
  const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
  if (left > Millis(0) && poll(&waiting, 1, static_cast<int>(left.count())) != 0) return;
  throw SqlError("PostgreSQL did not answer in time", "", true, statement);
}

void Connection::flush(Deadline until, std::size_t statement) {
  for (;;) {
    const int pending = PQflush(conn_.get());
    if (pending == 0) return;
    if (pending < 0) throw broken_off(statement);
    // A server that waits for us to read would never take the rest.
    await(POLLIN | POLLOUT, until, statement);
    if (PQconsumeInput(conn_.get()) == 0) throw broken_off(statement);
  }
}

PGresult* Connection::next_result(Deadline until, std::size_t statement) {
  while (PQisBusy(conn_.get()) != 0) {
    await(POLLIN, until, statement);
    if (PQconsumeInput(conn_.get()) == 0 && PQisBusy(conn_.get()) != 0) throw broken_off(statement);
  }
  return PQgetResult(conn_.get());
}

void Connection::finish_command(Deadline until) {
  std::optional<SqlError> failed;
  while (PGresult* result = next_result(until, 0)) {
    const Rows rows(result);
    if (PQresultStatus(result) != PGRES_FATAL_ERROR || failed) continue;
    failed = error_of(result, 0);
    if (failed->lost()) break;
  }
  if (failed) throw *failed;
}

void Connection::script(const std::string& sql) {
  if (PQsendQuery(conn_.get(), sql.c_str()) == 0) throw broken_off(0);
  const Deadline until = deadline();
  flush(until, 0);
  finish_command(until);
}

Rows Connection::run(const Statement& statement, const Params& params) {
  Pipeline pipeline(*this);
  pipeline.add(statement, params);
  return std::move(pipeline.finish().front());
}

void Connection::copy_out(const std::string& sql, const std::function<void(Row&)>& take) {
  if (PQsendQuery(conn_.get(), sql.c_str()) == 0) throw broken_off(0);
  flush(deadline(), 0);
  const Rows opened(next_result(deadline(), 0));
  if (!opened.is_copy()) {
    const SqlError error = error_of(opened.raw(), 0);
    if (!error.lost()) finish_command(deadline());
    throw error;
  }
  CopyReader reader(take);
  char* chunk = nullptr;
  int size = 0;
  while ((size = PQgetCopyData(conn_.get(), &chunk, 1)) >= 0) {
    if (size == 0) {
      await(POLLIN, deadline(), 0);
      if (PQconsumeInput(conn_.get()) == 0) throw broken_off(0);
      continue;
    }
    const std::unique_ptr<char, void (*)(void*)> owned(chunk, PQfreemem);
    reader.read({chunk, static_cast<std::size_t>(size)});
  }
  if (size == -2) throw broken_off(0);
  finish_command(deadline());
}

void Connection::cancel() {
  const std::unique_ptr<PGcancel, void (*)(PGcancel*)> request(PQgetCancel(conn_.get()), PQfreeCancel);
  char why[256];
  if (request != nullptr) PQcancel(request.get(), why, sizeof why);
}

int Connection::socket() const { return PQsocket(conn_.get()); }

void Connection::drain_notifications() {
  if (PQconsumeInput(conn_.get()) == 0) throw broken_off(0);
  while (PGnotify* notification = PQnotifies(conn_.get())) PQfreemem(notification);
}

Pipeline::Pipeline(Connection& connection) : connection_(connection) {
  if (PQenterPipelineMode(connection.conn_.get()) == 0) throw connection.broken_off(0);
}

// Left early only by an exception, and then the connection is of no more use.
Pipeline::~Pipeline() { PQexitPipelineMode(connection_.conn_.get()); }

void Pipeline::add(const Statement& statement, const Params& params) {
  PGconn* conn = connection_.conn_.get();
  const bool kept = *statement.name != '\0';
  const bool preparing = std::ranges::any_of(sent_, [&](const Sent& sent) { return sent.prepares == &statement; });
  if (!kept || (!preparing && !connection_.prepared_.contains(&statement))) {
    if (PQsendPrepare(conn, statement.name, statement.sql.c_str(), 0, nullptr) == 0)
      throw connection_.broken_off(statements_);
    sent_.push_back({&statement, statements_});
  }
  const std::vector<const char*> values = params.values();
  const std::vector<int> lengths = params.lengths();
  const std::vector<int> formats(values.size(), kBinary);
  if (PQsendQueryPrepared(conn, statement.name, params.count(), values.data(), lengths.data(), formats.data(),
                          kBinary) == 0) {
    throw connection_.broken_off(statements_);
  }
  sent_.push_back({nullptr, statements_++});
}

std::vector<Rows> Pipeline::finish() {
  PGconn* conn = connection_.conn_.get();
  const std::size_t last = statements_ == 0 ? 0 : statements_ - 1;
  if (PQpipelineSync(conn) == 0) throw connection_.broken_off(last);
  const auto until = connection_.deadline();
  connection_.flush(until, last);

  std::vector<Rows> results;
  std::optional<SqlError> failed;
  for (const Sent& sent : sent_) {
    PGresult* result = connection_.next_result(until, sent.statement);
    if (result == nullptr) throw connection_.broken_off(sent.statement);
    Rows rows(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_FATAL_ERROR && !failed) failed = connection_.error_of(result, sent.statement);
    if (failed && failed->lost()) throw *failed;
    if (status == PGRES_COMMAND_OK && sent.prepares != nullptr) connection_.prepared_.insert(sent.prepares);
    if (sent.prepares == nullptr) results.push_back(std::move(rows));
    // A null ends each command's results.
    while (PGresult* more = connection_.next_result(until, sent.statement)) const Rows discarded(more);
  }
  Rows synced(connection_.next_result(until, last));
  if (failed) throw *failed;
  return results;
}

}  // namespace millrace::store::postgres
