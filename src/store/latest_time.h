// What time it was at least when a batch was made: the shard's `now` never goes back behind it, also after a restart on
// a machine whose clock is late. Pure.
#pragma once

#include <optional>

#include "base/time.h"
#include "shard/batch.h"

namespace millrace::store {

// The latest time that the batch's records carry; nullopt if none carries one.
std::optional<Time> latest_time(const shard::Batch& batch);

}  // namespace millrace::store
