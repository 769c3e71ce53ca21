#include "store/postgres/server_settings.h"

#include <fmt/format.h>

#include "store/postgres/migrations.h"
#include "store/postgres/postgres_store.h"
#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

constexpr int kOldestVersion = 130000;
constexpr Millis kSkewMax = std::chrono::seconds(2);

const Statement kSettings = {"settings", R"sql(
SELECT current_setting('server_version_num')::integer, current_setting('fsync')::boolean,
       current_setting('full_page_writes')::boolean, current_setting('synchronous_commit'),
       current_setting('data_checksums')::boolean, current_setting('server_encoding'),
       CASE WHEN to_regnamespace('millrace') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
            ELSE has_schema_privilege('millrace', 'CREATE') END,
       to_regnamespace('millrace') IS NOT NULL,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer,
       current_setting('max_connections')::integer, clock_timestamp())sql"};

std::string version_text(int version) { return fmt::format("{}.{}", version / 10000, version % 100); }

std::string too_old(int version) {
  return fmt::format("the server is PostgreSQL {}; version {} or later is needed", version_text(version),
                     kOldestVersion / 10000);
}
std::string not_utf8(const std::string& encoding) {
  return fmt::format("the database is encoded in {}; create one with ENCODING 'UTF8'", encoding);
}

// What is wrong beyond durability, but not with the clock.
Findings other_findings(const ServerSettings& s) {
  Findings findings;
  if (s.version < kOldestVersion) findings.push_back(fault(too_old(s.version)));
  if (s.encoding != "UTF8") findings.push_back(fault(not_utf8(s.encoding)));
  if (!s.may_create) {
    findings.push_back(s.has_schema
                           ? warning("the role may not create tables in schema millrace, which an upgrade may "
                                     "need: GRANT CREATE ON SCHEMA millrace to it")
                           : fault("the role may not create the schema millrace, which a first start needs: GRANT "
                                   "CREATE ON DATABASE to it"));
  }
  if (s.connections * 10 > s.connections_max * 9) {
    findings.push_back(warning(
        fmt::format("{} of {} connections are in use: raise max_connections", s.connections, s.connections_max)));
  }
  if (s.synchronous_commit == "off") {
    findings.push_back(
        warning("synchronous_commit is off: Millrace's own commits turn it on, other programs' writes can be lost"));
  }
  if (!s.data_checksums) {
    findings.push_back(warning("data checksums are off, so PostgreSQL cannot notice a damaged disk"));
  }
  return findings;
}

}  // namespace

ServerSettings read_server_settings(Connection& connection) {
  const Rows rows = connection.run(kSettings);
  Row row;
  rows.read(0, row);
  return {.version = row.i32(),
          .fsync = row.boolean(),
          .full_page_writes = row.boolean(),
          .synchronous_commit = row.text(),
          .data_checksums = row.boolean(),
          .encoding = row.text(),
          .may_create = row.boolean(),
          .has_schema = row.boolean(),
          .connections = row.i32(),
          .connections_max = row.i32(),
          .server_time = row.time()};
}

Findings durability_findings(const ServerSettings& s) {
  Findings findings;
  if (!s.fsync) {
    findings.push_back(
        fault("fsync is off: acknowledged writes are lost when the server's machine fails; set fsync = on in "
              "postgresql.conf and SELECT pg_reload_conf()"));
  }
  if (!s.full_page_writes) {
    findings.push_back(
        fault("full_page_writes is off: a power failure can damage the tables beyond repair; set "
              "full_page_writes = on in postgresql.conf and SELECT pg_reload_conf()"));
  }
  return findings;
}

void require_usable(Connection& connection) {
  const ServerSettings settings = read_server_settings(connection);
  if (settings.version < kOldestVersion) throw StoreError(Fate::broken, too_old(settings.version));
  if (settings.encoding != "UTF8") throw StoreError(Fate::broken, not_utf8(settings.encoding));
}

}  // namespace millrace::store::postgres

namespace millrace::store {

Findings inspect_postgres(const std::string& url) {
  using postgres::Connection;
  try {
    Connection connection({.url = url, .application_name = "millrace doctor"});
    const SystemClock clock;
    const Time asked = clock.now();
    const postgres::ServerSettings settings = postgres::read_server_settings(connection);
    const Time answered = clock.now();
    Findings findings = postgres::durability_findings(settings);
    for (Finding& finding : postgres::other_findings(settings)) findings.push_back(std::move(finding));
    const Millis ahead = asked + (answered - asked) / 2 - settings.server_time;
    if (std::chrono::abs(ahead) > postgres::kSkewMax) {
      findings.push_back(
          warning(fmt::format("this machine's clock is {} ms {} the server's: synchronise both",
                              std::chrono::abs(ahead).count(), ahead.count() > 0 ? "ahead of" : "behind")));
    }
    postgres::require_known_schema(connection);
    return findings;
  } catch (const std::exception& error) {
    return {fault(
        fmt::format("the server cannot be used: {} (docs/operations.md says what it has to be like)", error.what()))};
  }
}

}  // namespace millrace::store
