// An instance of a JSON Schema for people to look at: the schema's own examples where it has some, values made up
// from its keywords elsewhere. A best effort; only validation can say whether it fits.
#pragma once

#include <string>

#include "json/value.h"

namespace millrace::registry {

// JSON text, compact.
std::string example_of(json::Value schema);

// The same value with two spaces of indentation a level.
std::string indented(json::Value value);

}  // namespace millrace::registry
