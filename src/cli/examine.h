// The doctor's eyes: each function looks at one part of the environment and says what it found. They change
// nothing, wherever they look, and throw nothing.
#pragma once

#include <optional>
#include <string>

#include "cli/api.h"
#include "cli/finding.h"
#include "cli/terminal.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::cli {

// Descriptors and clock of this machine.
Findings examine_machine(Time now);
// Also reads the journal of one that is stopped, which takes a while if it is large: `progress` hears of it.
Findings examine_data(const std::string& path, const store::JournalProgress& progress);
Findings examine_postgres(const std::string& url);
// The installation of a store; nullopt, with nothing said, where there is none yet.
std::optional<std::string> examine_installation(const std::string& data, const std::string& store, Findings& findings);
// Whose the place is that `--blobs` names; "" is the folder in `data`. REQUIRES: it names no table.
Findings examine_blobs(const std::string& blobs, const std::string& data,
                       const std::optional<std::string>& installation, const Environment& environment);
// Readable, fitting each other, closed to other users, not expired. REQUIRES: both are named.
Findings examine_tls(const std::string& certificate, const std::string& key, Time now);
// Reachable, ready, without warnings of its own; the key is accepted, if there is one.
Findings examine_server(Api& api, const Place& place, const Clock& clock);

}  // namespace millrace::cli
