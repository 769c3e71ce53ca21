// The store on PostgreSQL 13 or later: real tables in schema millrace, any number of nodes, one of which
// owns the shards. See README.md in this folder.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "store/store.h"

namespace millrace::store {

struct PostgresOptions {
  std::string url;      // as libpq takes it; several hosts for a server that fails over
  std::string node_id;  // names this node to operators; the same after a restart
  // Opening throws not_done while another program lives under that name.
  bool name_is_unique = false;

  Millis heartbeat = std::chrono::seconds(1);       // how often the node says that it lives
  Millis node_ttl = std::chrono::seconds(4);        // silent for so long, others take its shards
  Millis answer_within = std::chrono::seconds(30);  // a server silent for so long is given up
  std::size_t read_connections = 4;

  // Bringing the schema up to date can take long. Asked ten times a second meanwhile, by the opening thread; once it
  // says true, what is under way is rolled back and open_postgres() throws not_done.
  std::function<bool()> stop_asked = {};
  // How long to wait for nodes with an earlier version, where the schema has a step they cannot live with; nullopt:
  // until they have ended. Then not_done as well.
  std::optional<Millis> older_nodes_patience = {};
};

// Connects and brings the schema up to date. Throws StoreError: not_done if the server cannot be used now,
// broken if its schema is not for this program. Closing the store without release() looks like a crash
// to the other nodes.
std::unique_ptr<Store> open_postgres(const PostgresOptions& options);

// What an operator should mend; empty if nothing is wrong. Changes nothing on the server.
Findings inspect_postgres(const std::string& url);

}  // namespace millrace::store
