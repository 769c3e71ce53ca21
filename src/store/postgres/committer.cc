#include "store/postgres/committer.h"

#include <fmt/format.h>

#include <optional>

#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

// A collision with acquire() of another node ends by itself.
constexpr int kTriesMax = 5;
// About 3 MB; beyond it lanes are written again, which changes nothing.
constexpr std::size_t kKnownLanesMax = 100'000;

// The timeout frees the locks of a node that was stopped inside a transaction. Every statement finds its
// rows by a key: rule out other plans, also where a table looks small. Whatever the role or the database has set,
// commits wait for the disk; remote_apply, which promises more, is left alone.
constexpr char kSettings[] =
    "SET idle_in_transaction_session_timeout = '2s'; SET statement_timeout = 0; SET lock_timeout = 0;"
    "SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off;"
    "SET jit = off; SET plan_cache_mode = force_generic_plan;"
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;"
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') <> "
    "'remote_apply'";

const Statement kBegin = {"begin", "BEGIN"};
const Statement kCommit = {"commit", "COMMIT"};

// Lock the lease rows until the end of the transaction, so that a new owner waits for it, and raise MR001 unless
// all are ours. Most groups are of one shard.
const Statement kHoldShard = {"hold_shard", R"sql(
WITH held AS (
  UPDATE millrace.shard_leases SET last_commit = greatest(last_commit, $2::timestamptz)
  WHERE shard = $1::smallint AND epoch = $3::bigint AND instance = $4::text
  RETURNING 1)
SELECT CASE WHEN NOT EXISTS (SELECT FROM held) THEN millrace.require_leases(0, 1) END)sql"};
const Statement kHoldShards = {"hold_shards", R"sql(
WITH held AS (
  UPDATE millrace.shard_leases l SET last_commit = greatest(l.last_commit, t.latest)
  FROM unnest($1::smallint[], $2::timestamptz[]) AS t(shard, latest)
  WHERE l.shard = t.shard AND l.epoch = $3::bigint AND l.instance = $4::text
  RETURNING 1)
SELECT millrace.require_leases((SELECT count(*) FROM held), $5::bigint))sql"};

// By dedup_expires; planned each time. The time is checked again on the locked row, which may have been renewed.
const Statement kSweep = {"", R"sql(
DELETE FROM millrace.dedup d
USING (SELECT shard, tenant, kind, key FROM millrace.dedup WHERE expires < $1::timestamptz AND expires < 'infinity'
       ORDER BY expires LIMIT $2::bigint) AS t
WHERE d.shard = t.shard AND d.tenant = t.tenant AND d.kind = t.kind AND d.key = t.key
  AND d.expires < $1::timestamptz)sql"};

void hold_shards(Pipeline& pipeline, Epoch epoch, const std::string& instance,
                 const std::vector<GroupRows::HeldShard>& held) {
  if (held.size() == 1 && held.front().latest) {
    const auto& [shard, latest] = held.front();
    pipeline.add(kHoldShard, Params().add(column(shard)).add(*latest).add(as_bigint(epoch.value)).add(instance));
    return;
  }
  Columns columns;
  for (const auto& [shard, latest] : held) columns.add(column(shard), latest);
  pipeline.add(kHoldShards,
               Params().add(columns).add(as_bigint(epoch.value)).add(instance).add(as_bigint(held.size())));
}

bool corrupt(const SqlError& error) { return error.sqlstate() == "XX001" || error.sqlstate() == "XX002"; }

// What became of a transaction of `statements` statements, the last one COMMIT, that failed with `error`.
Fate fate_of(const SqlError& error, bool commit_sent, std::size_t statements) {
  if (error.sqlstate() == "MR001") return Fate::fenced;
  if (corrupt(error)) return Fate::broken;
  if (!commit_sent) return Fate::not_done;
  // Only the server can say that it did not commit, and it says so before it starts to.
  const bool said_before_commit = !error.sqlstate().empty() && error.statement() + 1 < statements;
  if (said_before_commit || !error.lost()) return Fate::not_done;
  return Fate::unknown;
}

}  // namespace

Committer::Committer(Connection::Target target, std::string instance)
    : target_(std::move(target)), instance_(std::move(instance)) {
  target_.settings = kSettings;
}

Connection& Committer::connection() {
  if (connection_ == nullptr) {
    auto opened = std::make_unique<Connection>(target_);
    row_types_ = RowTypes::read(*opened);
    connection_ = std::move(opened);
  }
  return *connection_;
}

void Committer::start_over() {
  connection_.reset();
  written_ = {};
}

void Committer::commit(Epoch epoch, std::span<const shard::Batch> group) {
  if (group.empty()) return;
  GroupRows rows(group, written_);
  for (int tried = 1;; ++tried) {
    try {
      attempt(epoch, rows);
      return remember(rows);
    } catch (const SqlError& error) {
      // Nothing was written. A connection that died since the last commit is worth one more.
      const bool again = (error.passing() && tried < kTriesMax) || (error.lost() && tried == 1);
      if (!again) throw StoreError(Fate::not_done, fmt::format("PostgreSQL: {}", error.what()));
    }
  }
}

// Throws SqlError if nothing was written and trying again may help, StoreError otherwise.
void Committer::attempt(Epoch epoch, GroupRows& rows) {
  bool commit_sent = false;
  std::size_t statements = 0;
  try {
    Connection& current = connection();
    Pipeline pipeline(current);
    pipeline.add(kBegin);
    hold_shards(pipeline, epoch, instance_, rows.shards());
    rows.send(pipeline, row_types_);
    commit_sent = true;
    pipeline.add(kCommit);
    statements = pipeline.size();
    const std::vector<Rows> results = pipeline.finish();
    if (results.back().tag() != "COMMIT") throw SqlError("COMMIT did not commit", "25P02", false, statements);
  } catch (const SqlError& error) {
    const Fate fate = fate_of(error, commit_sent, statements);
    error.lost() ? connection_.reset() : roll_back();
    if (fate == Fate::not_done) throw;
    throw StoreError(fate, fmt::format("PostgreSQL: {}", error.what()));
  } catch (const WireError& error) {
    connection_.reset();
    throw StoreError(Fate::broken, fmt::format("the tables in PostgreSQL were changed: {}", error.what()));
  }
}

void Committer::roll_back() {
  if (connection_ == nullptr) return;  // it failed before it was of use
  try {
    connection_->script("ROLLBACK");
  } catch (const SqlError&) {
    connection_.reset();
  }
}

void Committer::remember(const GroupRows& rows) {
  if (written_.lanes.size() > kKnownLanesMax) written_.lanes.clear();
  rows.note_in(written_);
}

std::size_t Committer::sweep(Time now, std::size_t budget) {
  try {
    return connection().run(kSweep, Params().add(now).add(as_bigint(budget))).touched();
  } catch (const SqlError& error) {
    if (error.lost()) connection_.reset();
    throw StoreError(Fate::not_done, fmt::format("PostgreSQL: {}", error.what()));
  }
}

}  // namespace millrace::store::postgres
