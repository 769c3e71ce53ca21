#include "postgres/earlier_schema.h"

#include <fmt/format.h>

#include "postgres/test_cluster.h"

namespace millrace::test {

void make_earlier_schema(const std::string& url, std::size_t steps) {
  run_sql(url, "CREATE SCHEMA millrace");
  run_sql(url,
          "CREATE TABLE millrace.schema_migrations (version integer PRIMARY KEY, title text NOT NULL, "
          "checksum text NOT NULL, applied timestamptz NOT NULL DEFAULT clock_timestamp());"
          "INSERT INTO millrace.schema_migrations (version, title, checksum) VALUES (0, 'lock', '')");
  for (const store::postgres::Migration& step : store::postgres::migrations().first(steps)) {
    run_sql(url, step.sql);
    run_sql(url,
            fmt::format("INSERT INTO millrace.schema_migrations (version, title, checksum) VALUES ({}, '{}', '{}')",
                        step.version, step.title, checksum(step)));
  }
}

}  // namespace millrace::test
