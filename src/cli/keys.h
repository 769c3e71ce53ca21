// `millrace keys …`: who may use a server. One function a command; each adds itself to `parent`.
#pragma once

#include "cli/command.h"

namespace millrace::cli {

void add_keys(CLI::App& parent, Chosen& chosen);

void add_keys_create(CLI::App& parent, Chosen& chosen);
void add_keys_list(CLI::App& parent, Chosen& chosen);
void add_keys_revoke(CLI::App& parent, Chosen& chosen);

}  // namespace millrace::cli
