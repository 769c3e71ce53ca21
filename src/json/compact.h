// A value without the whitespace between its tokens; every token keeps its bytes.
#pragma once

#include <cstddef>
#include <string>

#include "json/value.h"

namespace millrace::json {

void append_compact(std::string& out, Value value);

// How many bytes append_compact() would append.
std::size_t compact_size(Value value);

}  // namespace millrace::json
