// `millrace doctor`: names what is wrong with the environment of a server, and what to do about it.
#pragma once

#include "cli/command.h"

namespace millrace::cli {

void add_doctor(CLI::App& parent, Chosen& chosen);

}  // namespace millrace::cli
