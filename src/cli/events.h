// The event log from the shell: publish, follow, look up, list, explain. Each function adds its command to `parent`.
#pragma once

#include "cli/command.h"

namespace millrace::cli {

void add_publish(CLI::App& parent, Chosen& chosen);
void add_tail(CLI::App& parent, Chosen& chosen);
void add_get(CLI::App& parent, Chosen& chosen);
void add_explain(CLI::App& parent, Chosen& chosen);
void add_query(CLI::App& parent, Chosen& chosen);

}  // namespace millrace::cli
