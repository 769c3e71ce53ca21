// The tables in schema millrace, as numbered steps that only go forward. A step that was released is
// never edited: the server keeps its checksum, and a difference stops the start.
//
// While a step is applied, and after it, programs that know only the steps before it may be running on other nodes. So
// a step leaves them what they need: it adds a table, a column with a default, an index, and takes away only what the
// release before it no longer names (a key that an ON CONFLICT spells out is named too). One that cannot is marked
// Upgrade::stop. migration_run.h applies the steps.
#pragma once

#include <span>
#include <string>

#include "store/postgres/connection.h"

namespace millrace::store::postgres {

// What the step asks of the nodes that run an earlier program.
enum class Upgrade {
  rolling,  // nothing: they go on beside it
  stop,     // to have ended: it is not applied while one of them lives
};

struct Migration {
  int version;
  const char* title;
  const char* sql;
  Upgrade upgrade = Upgrade::rolling;
};
std::span<const Migration> migrations();

// What schema_migrations holds for an applied step.
std::string checksum(const Migration& migration);

bool has_ledger(Connection& connection);
// The first step that is not applied yet; null if all are. REQUIRES: has_ledger(). Throws SqlError; StoreError{broken}
// if the server has a step that is not among these, or another text of one.
const Migration* next_step(Connection& connection, std::span<const Migration> steps);

// Throws as next_step() does; changes nothing.
void require_known_schema(Connection& connection);

}  // namespace millrace::store::postgres
