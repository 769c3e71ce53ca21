// `millrace event-types …`: the types of events and the versions of their schemas (S3.5). One function a command; each
// adds itself to `parent`.
#pragma once

#include "cli/command.h"

namespace millrace::cli {

void add_event_types(CLI::App& parent, Chosen& chosen);

void add_event_types_list(CLI::App& parent, Chosen& chosen);
void add_event_types_show(CLI::App& parent, Chosen& chosen);
void add_event_types_put(CLI::App& parent, Chosen& chosen);

}  // namespace millrace::cli
