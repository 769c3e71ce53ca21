// `millrace rules …`: which events go where (S2.8). One function a command; each adds itself to `parent`.
#pragma once

#include "cli/command.h"

namespace millrace::cli {

void add_rules(CLI::App& parent, Chosen& chosen);

void add_rules_list(CLI::App& parent, Chosen& chosen);
void add_rules_show(CLI::App& parent, Chosen& chosen);
void add_rules_put(CLI::App& parent, Chosen& chosen);
void add_rules_test(CLI::App& parent, Chosen& chosen);

}  // namespace millrace::cli
