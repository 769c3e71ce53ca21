// The process's structured log: one JSON object a line on stderr. Never put a secret in it.
#pragma once

#include <spdlog/spdlog.h>

namespace millrace {

// Call once in main, before threads. Level: "debug" | "info" | "warn" | "error" | "off".
void start_log(const char* level);
// Writes what is buffered; call before exit.
void stop_log();

}  // namespace millrace
