// The compiled policies of every tenant that publishes, compiled again when its documents change. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/ids.h"
#include "engine/engine.h"
#include "intake/policies.h"

namespace millrace::api {

class PolicyBook {
 public:
  // The engine outlives the book.
  explicit PolicyBook(const engine::Engine& engine) : engine_(engine) {}

  // As of the catalog of this moment: a change that was answered is in it.
  std::shared_ptr<const intake::Policies> of(const TenantId& tenant);

 private:
  struct Page {
    std::uint64_t version = 0;
    std::shared_ptr<const intake::Policies> policies;
  };

  const engine::Engine& engine_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Page> pages_;
};

}  // namespace millrace::api
