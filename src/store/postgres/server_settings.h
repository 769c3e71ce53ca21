// What the server's settings mean for the promise that an acknowledged write is on disk.
#pragma once

#include <string>

#include "store/finding.h"
#include "store/postgres/connection.h"

namespace millrace::store::postgres {

struct ServerSettings {
  int version = 0;  // 150004
  bool fsync = true;
  bool full_page_writes = true;
  std::string synchronous_commit;
  bool data_checksums = true;
  std::string encoding;
  bool may_create = true;  // tables in schema millrace, or the schema itself
  bool has_schema = true;
  int connections = 0;
  int connections_max = 0;
  Time server_time{};
};
ServerSettings read_server_settings(Connection& connection);

// Those that can lose acknowledged writes. synchronous_commit is not among them: commits set their own.
Findings durability_findings(const ServerSettings& settings);

// Throws StoreError{broken} if this server can never be used: too old, or not UTF-8.
void require_usable(Connection& connection);

}  // namespace millrace::store::postgres
