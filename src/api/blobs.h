// Large payloads on their way to the blob store and back (S0.9, S4.13). A blob is durable before the command that
// names it is submitted. What a failed command, a duplicate or an expiry leaves without an owner, blob_sweep.h removes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/async.h"
#include "async/thread_pool.h"
#include "base/unavailable.h"
#include "blob/blob_store.h"
#include "event/event.h"
#include "event/overflow.h"
#include "shard/command.h"

namespace millrace::api {

// The store outlives it. Any io thread.
struct Blobs {
  blob::BlobStore& store;
  async::ThreadPool& threads;  // the store's calls block
  event::OverflowSettings events;
};

// The store cannot be used just now. what() is for the log; `told` for who asked: which store it is, and where more is
// said.
struct BlobsAway : Unavailable {
  BlobsAway(const Unavailable& cause, const blob::BlobStore& store);

  std::string told;
};

// Runs a call that uses the store on its threads. Throws BlobsAway for what the store throws.
template <class Call>
auto run_on_blobs(Blobs& blobs, Call call) {
  return blobs.threads.run([&store = blobs.store, call = std::move(call)] {
    try {
      return call();
    } catch (const Unavailable& cause) {
      throw BlobsAway(cause, store);
    }
  });
}

// Every event over the threshold loses its large fields to the store. Throws BlobsAway; nothing refers to what was
// written until then.
async::Async<void> move_large_fields(Blobs& blobs, TenantId tenant, std::vector<shard::NewEvent>& events);

// What becomes of an event whose blob is missing or damaged.
enum class LostBlob {
  refused,  // Errc::conflict names the blob
  shown,    // it stays as it is stored, with the reference: the others must be seen
};
// The large fields come back. Errc::too_large where the events together are more than limits::kResolvedBytesMax.
// Throws BlobsAway.
async::Async<Result<void>> resolve_events(Blobs& blobs, std::vector<event::Record>& events, LostBlob lost);

}  // namespace millrace::api
