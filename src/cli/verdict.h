// What the server says of an event and a pattern, {"matches", "why": [{path, expected, seen}]}, for people. Pure.
#pragma once

#include <string>

#include "cli/table.h"
#include "json/value.h"

namespace millrace::cli {

bool matches(json::Value verdict);

// "yes" or "no".
Cell verdict_cell(json::Value verdict);

// "detail.id: expected …, seen … (and 1 more)"; "" where there is none.
std::string first_reason(json::Value verdict);

// A line for each field that fails, the first one first; "" where there is none.
std::string render_reasons(json::Value verdict, const Terminal& terminal);

}  // namespace millrace::cli
