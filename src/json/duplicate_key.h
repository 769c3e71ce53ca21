// Finds a key that one object has twice, comparing what the keys say, not how they are written. Linear,
// also for objects that were made to hurt.
#pragma once

#include "json/value.h"

namespace millrace::json {

// The later of two keys of `object` with equal content, or nullptr. REQUIRES: object[0].span is final.
const Node* find_duplicate_key(const Node* object, const char* text);

}  // namespace millrace::json
