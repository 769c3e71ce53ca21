// The command line of `millrace serve`.
#pragma once

#include <variant>

#include "app/serve_options.h"
#include "app/settings.h"
#include "cli/failure.h"

namespace millrace::app {

// Exit codes of serve: what is wrong with the command line as in every other command, the rest after sysexits(3).
// --help and docs/operations.md list them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = static_cast<int>(cli::Exit::usage);
inline constexpr int kExitUnavailable =
    69;                                 // the store cannot be opened: in use, no permission, damaged, not reachable
inline constexpr int kExitListen = 71;  // the address cannot be listened on
inline constexpr int kExitBroken = 74;  // the store failed while running; nothing more was acknowledged

// The settings of serve, bound to `options`.
std::vector<Setting> serve_settings(ServeOptions& options);

// The options, or the exit code where there is nothing to serve: help was asked for, or something is wrong and
// has been said on stderr. `argv[0]` is the word "serve".
std::variant<ServeOptions, int> parse_serve(int argc, const char* const* argv, const Environment& environment);

}  // namespace millrace::app
