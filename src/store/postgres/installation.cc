#include "store/installation.h"

#include <fmt/format.h>

#include "store/postgres/connection.h"
#include "store/store_error.h"

namespace millrace::store {
namespace {

using postgres::Connection;
using postgres::Params;
using postgres::Row;
using postgres::Rows;
using postgres::SqlError;
using postgres::Statement;

constexpr char kSettings[] = "SET synchronous_commit = on";

const Statement kHasTable = {"has_installation", "SELECT to_regclass('millrace.installation') IS NOT NULL"};
const Statement kFind = {"find_installation", "SELECT id FROM millrace.installation WHERE shard = 1024"};
// Of nodes that start together the first one's stays.
const Statement kMake = {
    "make_installation",
    "INSERT INTO millrace.installation (shard, id) VALUES (1024, $1::text) ON CONFLICT (shard) DO NOTHING"};

std::optional<std::string> find(Connection& connection) {
  const Rows rows = connection.run(kFind);
  if (rows.size() == 0) return std::nullopt;
  Row row;
  rows.read(0, row);
  return row.text();
}

template <class Ask>
auto ask_server(const std::string& url, Ask ask) {
  try {
    Connection connection({.url = url, .application_name = "millrace", .settings = kSettings});
    return ask(connection);
  } catch (const SqlError& error) {
    throw StoreError(Fate::not_done, fmt::format("PostgreSQL: {}", error.what()));
  } catch (const postgres::WireError& error) {
    throw StoreError(Fate::broken, fmt::format("PostgreSQL: {}", error.what()));
  }
}

}  // namespace

std::string postgres_installation(const std::string& url) {
  return ask_server(url, [](Connection& connection) {
    if (auto found = find(connection)) return *std::move(found);
    connection.run(kMake, Params().add(make_installation()));
    return find(connection).value();
  });
}

std::optional<std::string> find_postgres_installation(const std::string& url) {
  return ask_server(url, [](Connection& connection) -> std::optional<std::string> {
    const Rows rows = connection.run(kHasTable);
    Row row;
    rows.read(0, row);
    if (!row.boolean()) return std::nullopt;
    return find(connection);
  });
}

}  // namespace millrace::store
