// Schemas that would look at the same value forever. Pure.
#pragma once

#include <optional>

#include "base/result.h"
#include "registry/json_schema/program.h"

namespace millrace::registry::json_schema {

// Errc::invalid for a schema that comes back to itself, or goes through too many others, without going into the
// value. A $dynamicRef leads to where it is bound first; other ways are bounded while they run.
std::optional<Error> find_endless_reference(const Program& program);

}  // namespace millrace::registry::json_schema
