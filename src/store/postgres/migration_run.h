// Brings the schema up to date when a node starts. A step may take as long as the tables are large, so there is no
// deadline: the log says what runs and for how long, and the server is asked every few seconds whether it lives.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>

#include "base/time.h"
#include "store/postgres/connection.h"
#include "store/postgres/migrations.h"

namespace millrace::store::postgres {

struct MigrationRun {
  std::span<const Migration> steps = migrations();
  // Asked ten times a second, by the calling thread; once true, the step under way is cancelled and rolled back.
  std::function<bool()> stop_asked = {};
  // How long a step that needs a stop of earlier programs waits for them; nullopt: until they have ended.
  std::optional<Millis> older_nodes_patience = {};

  Millis report_every = std::chrono::seconds(5);
  Millis silence_max = std::chrono::minutes(1);  // a server that answers nobody for so long is given up
};

// Applies the steps that are missing, each in a transaction of its own. Any number of nodes may call it at once: one
// works, the others wait for it as long as it does. Throws SqlError; StoreError{broken} as next_step() does,
// StoreError{not_done} if it was stopped or earlier programs did not end. What was applied by then stays: the next
// call goes on from there.
void migrate(const Connection::Target& target, const MigrationRun& run);

}  // namespace millrace::store::postgres
