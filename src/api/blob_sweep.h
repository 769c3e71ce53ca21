// Removes blobs that nothing refers to: of events and items past their retention, of duplicates, of commands that were
// never committed. A blob is looked at once it is an hour old: no command takes that long from its blob to its commit.
// One of an expired event goes a minute after its event: as long as the id is known, any command that brings it again
// is a repeat and refers to nothing.
//
// The key of an event's blob says which event it belongs to, so that one is looked up. The key of an item's blob does
// not, since the item has no number yet when it is written, nor does that of an event with a very long id: such blobs
// are gathered, then all items of the queue or all events of the tenant are looked through, some a round, and what none
// of them names is removed.
//
// One thread at a time; start() makes one. Engine, store and clock outlive it.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/time.h"
#include "blob/blob_store.h"
#include "engine/engine.h"

namespace millrace::api {

class BlobSweep {
 public:
  BlobSweep(engine::Engine& engine, blob::BlobStore& blobs, const Clock& clock)
      : engine_(engine), blobs_(blobs), clock_(clock) {}
  ~BlobSweep() { stop(); }

  // A round soon, and then now and then, while the engine is ready. Failures are logged, and the next round tries
  // again.
  void start();
  // Waits for the round under way.
  void stop();

  // A bounded amount of work; how many blobs were removed. Throws Unavailable.
  std::size_t round();

 private:
  // The items of one queue, looked through from the newest to the oldest.
  struct Search {
    queue::QueueKey queue;
    std::set<std::string> keys;         // not found so far
    std::optional<ItemId> before = {};  // all from here on were looked at
  };

  // The log of one tenant, looked through from its beginning.
  struct LogSearch {
    TenantId tenant;
    std::set<std::string> keys;  // not found so far
    Position after = {};
  };

  // What events say of a blob that is kept for one.
  enum class Standing {
    needed,     // one refers to it, or that cannot be known
    unclaimed,  // none does; a command under way may
    past,       // none does, and none will
  };

  std::size_t sweep_page(Time now);
  std::size_t sweep_event(const blob::Entry& entry, Time now);
  void gather_item(const blob::Entry& entry);
  void gather_event(const blob::Entry& entry);
  Standing standing_of(const blob::Entry& entry, Time now);
  std::size_t search_items(Time old);
  bool search_page(ShardId shard, Search& search);
  std::size_t search_events(Time old);
  bool search_page(ShardId shard, LogSearch& search);
  std::size_t remove_all(const TenantId& tenant, const std::set<std::string>& keys, Time old);
  void run_until_stopped();

  engine::Engine& engine_;
  blob::BlobStore& blobs_;
  const Clock& clock_;
  std::string cursor_;
  std::map<queue::QueueKey, std::set<std::string>> gathered_;
  std::optional<Search> search_;
  std::map<TenantId, std::set<std::string>> gathered_events_;
  std::optional<LogSearch> log_search_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace millrace::api
