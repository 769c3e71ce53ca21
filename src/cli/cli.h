// The command line of the program besides `serve`: reads it, runs the command, says what is wrong. Called by
// main, once, before other threads.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace millrace::cli {

struct Session;

// Runs what `args` (without the program's name) say and returns the exit code. Also speaks for commands that
// it does not know: it suggests the nearest.
int run(std::span<char* const> args);
// The same in a session of the caller's.
int run(std::span<const std::string> args, Session& session);

// Whether run() has this command.
bool knows(std::string_view command);

// The help of the program as a whole, `serve` and `version` included.
std::string help();

}  // namespace millrace::cli
