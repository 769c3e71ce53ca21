#include "store/rocksdb/fronts.h"

#include "store/rocksdb/keys.h"

namespace millrace::store::rocks {

std::string Fronts::of(Table table, ShardId shard) const {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find({table, shard});
  return known == known_.end() ? shard_prefix(shard) : known->second;
}

void Fronts::note(Table table, ShardId shard, std::string first) {
  const std::lock_guard lock(mutex_);
  if (first.empty()) {
    known_.erase({table, shard});
  } else {
    known_[{table, shard}] = std::move(first);
  }
}

}  // namespace millrace::store::rocks
