// The tables in schema millrace, as numbered steps that only go forward. A step that was released is
// never edited: the server keeps its checksum, and a difference stops the start.
#pragma once

#include <span>
#include <string>

#include "store/postgres/connection.h"

namespace millrace::store::postgres {

struct Migration {
  int version;
  const char* title;
  const char* sql;
};
std::span<const Migration> migrations();

// What schema_migrations holds for an applied step.
std::string checksum(const Migration& migration);

// Brings the schema up to date, each step in a transaction of its own. Any number of nodes may call it at
// once. Throws SqlError; StoreError{broken} if the server has a newer version or another text of a step.
void migrate(Connection& connection);

// Throws as migrate() does where it would refuse the steps that are applied; changes nothing.
void require_known_schema(Connection& connection);

}  // namespace millrace::store::postgres
