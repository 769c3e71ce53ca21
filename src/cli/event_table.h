// Events as rows for people: position, time, type, subject, data. Pure.
#pragma once

#include "cli/table.h"
#include "json/value.h"

namespace millrace::cli {

Table event_table();

// REQUIRES: `event` in the native form. On a terminal, data that cannot fit is cut before it widens the column.
void add_event_row(Table& table, json::Value event, const Terminal& terminal);

}  // namespace millrace::cli
