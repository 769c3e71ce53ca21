// Which required properties may be missing because their default stands in for them. One thread.
#pragma once

#include "registry/json_schema/program.h"

namespace millrace::registry::json_schema {

// Marks every required property whose schema, in the `properties` beside `required`, has a default: itself, in a part
// of its allOf or where it refers to. REQUIRES: the program is complete.
void let_defaults_stand_in(Program& program);

}  // namespace millrace::registry::json_schema
