// Turns the indexed schemas into a Program. Without recursion: schemas wait in a queue. One thread.
#pragma once

#include <memory>

#include "base/result.h"
#include "registry/json_schema/program.h"
#include "registry/json_schema/resources.h"

namespace millrace::registry::json_schema {

// Compiles `root`, all else in its document and what they refer to. Errors as in Schema::compile().
Result<std::unique_ptr<Program>> compile_program(Resources& resources, const Position& root);

}  // namespace millrace::registry::json_schema
