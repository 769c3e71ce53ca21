// Where the rows of a shard begin in a table that is emptied from its front. A scan that starts there does not pass
// what was dropped before it and no merge has taken away yet: without it the rounds of a long expiry cost ever more.
//
// Known only while somebody takes as much as they may, round after round. Rows may also come in front of it, when a
// clock went back; they are found once a round has found less.
//
// Any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/ids.h"
#include "store/rocksdb/tables.h"

namespace millrace::store::rocks {

class Fronts {
 public:
  // Where to start; the first possible key of the shard if nothing better is known.
  std::string of(Table table, ShardId shard) const;
  // `first` is where the next scan may start, if there was as much as the round may take; else "".
  void note(Table table, ShardId shard, std::string first);

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<Table, ShardId>, std::string> known_;
};

}  // namespace millrace::store::rocks
