// The compiled policies of every tenant that publishes. After a change to a tenant's documents what changed is compiled
// when it is first needed. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "async/async.h"
#include "async/thread_pool.h"
#include "base/ids.h"
#include "engine/engine.h"
#include "intake/policies.h"

namespace millrace::api {

class PolicyBook {
 public:
  using Pointer = std::shared_ptr<const intake::Policies>;

  // The engine outlives the book.
  explicit PolicyBook(const engine::Engine& engine) : engine_(engine) {}

  // As of the catalog of this moment: a change that was answered is in it. Null: they are to be compiled first.
  Pointer find(const TenantId& tenant) const;
  // The same, compiled where they have to be: at once after a change, on a thread of `threads` where all of a tenant's
  // documents are to be compiled.
  async::Async<Pointer> get(TenantId tenant, async::ThreadPool& threads);

 private:
  struct Page {
    std::mutex turn;  // one thread compiles, the others wait for what it makes
    // Under the mutex of the book.
    std::uint64_t version = 0;
    Pointer policies;
  };

  std::shared_ptr<Page> page_of(const TenantId& tenant);
  Pointer renew(const TenantId& tenant, Page& page);

  const engine::Engine& engine_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<Page>> pages_;
};

}  // namespace millrace::api
