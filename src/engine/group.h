// A group commit in the making: the batches of all shards that changed, and the answers that rest on
// them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "shard/shard.h"

namespace millrace::engine {

struct Delivery {
  Engine::Done done;
  shard::Reply reply;
  std::size_t bytes = 0;  // of the call, to be taken off what is pending
  bool counted = true;    // as pending; a held claim was taken off before
};

struct Group {
  std::uint64_t number = 0;
  std::vector<shard::Batch> batches;
  std::vector<Delivery> deliveries;
};

}  // namespace millrace::engine
