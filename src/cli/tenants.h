// `millrace tenants …`: the owners of data.
#pragma once

#include "cli/command.h"

namespace millrace::cli {

void add_tenants(CLI::App& parent, Chosen& chosen);

}  // namespace millrace::cli
