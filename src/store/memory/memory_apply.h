// Applies one Batch to a shard in memory.
#pragma once

#include "store/memory/memory_store.h"

namespace millrace::store {

// Asserts that every `prior` and every drop describes what the shard holds.
void apply(MemoryShard& shard, const shard::Batch& batch);

}  // namespace millrace::store
