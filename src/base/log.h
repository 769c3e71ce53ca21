// The process's structured log: one JSON object a line on stderr. Never put a secret in it.
#pragma once

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>

namespace millrace {

// Call once in main, before threads. Level: "debug" | "info" | "warn" | "error" | "off".
void start_log(const char* level);
// A text as a JSON string with its quotes, for a member of a line: spdlog::warn(R"("msg":"…","why":{})", quoted(why)).
// What is not plain ASCII becomes '?': nobody knows its encoding.
std::string quoted(std::string_view text);
// Writes what is buffered. Other threads may go on logging: this is what to call before the process ends under them.
void flush_log();
// Writes what is buffered and ends the log. REQUIRES: no other thread logs any more.
void stop_log();

}  // namespace millrace
