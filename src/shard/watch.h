// Keeps facts honest. While a command waits for facts from the store, other commands go on; Watch
// notices whether one of them changed what is being read, so that the command asks again instead
// of deciding on old news.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "shard/facts.h"

namespace millrace::shard {

class Watch {
 public:
  // `request` is about to have `need` read.
  void begin(RequestId request, const Need& need);
  // The facts have come (or never will). What they answer, if nothing of it changed since begin();
  // nullopt if something did, or without a begin() for the request.
  std::optional<Need> end(RequestId request);

  void changed(const queue::QueueKey& queue, ItemId id) {
    if (!items_.empty()) mark(items_, ItemRef{queue, id});
  }
  void changed(const DedupKey& key) {
    if (!dedup_.empty()) mark(dedup_, key);
  }

 private:
  struct Watched {
    std::uint32_t readers = 0;
    std::uint64_t last_change = 0;
  };
  struct Reading {
    Need need;
    std::uint64_t since;
  };

  template <class Map, class Key>
  void mark(Map& map, const Key& key) {
    if (const auto found = map.find(key); found != map.end()) found->second.last_change = ++changes_;
  }

  std::uint64_t changes_ = 0;
  absl::flat_hash_map<ItemRef, Watched> items_;
  absl::flat_hash_map<DedupKey, Watched> dedup_;
  absl::flat_hash_map<RequestId, Reading> readings_;
};

}  // namespace millrace::shard
