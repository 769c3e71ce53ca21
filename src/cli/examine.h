// The doctor's eyes: each function looks at one part of the environment and says what it found. They change
// nothing, wherever they look, and throw nothing.
#pragma once

#include <string>

#include "cli/api.h"
#include "cli/finding.h"

namespace millrace::cli {

// Descriptors and clock of this machine.
Findings examine_machine(Time now);
Findings examine_data(const std::string& path);
Findings examine_postgres(const std::string& url);
// Readable, fitting each other, closed to other users, not expired. REQUIRES: both are named.
Findings examine_tls(const std::string& certificate, const std::string& key, Time now);
// Reachable, ready, without warnings of its own; the key is accepted, if there is one.
Findings examine_server(Api& api, const Place& place, const Clock& clock);

}  // namespace millrace::cli
