// The documentation of one event type as a Markdown page (S2.6): purpose, versions with their fields, what broke
// between them, examples.
#pragma once

#include <string>
#include <string_view>

#include "registry/event_type.h"

namespace millrace::registry {

// "time_entry.created.md".
std::string docs_file_name(std::string_view code);

// The same text for the same type. Schemas that do not compile are said to be so.
std::string docs_page(const EventType& type);

}  // namespace millrace::registry
