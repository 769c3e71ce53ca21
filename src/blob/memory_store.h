// Blobs in memory: for the memory store, and for tests, where it can be told to fail.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "base/unavailable.h"
#include "blob/blob_store.h"

namespace millrace::blob {

class MemoryStore final : public BlobStore {
 public:
  explicit MemoryStore(const Clock& clock) : clock_(clock) {}

  std::string bucket() const override { return "memory"; }
  Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    fail_if_told();
    const auto [found, is_new] = blobs_.try_emplace({tenant, std::string(key)}, Blob{std::string(bytes), {}});
    if (!is_new && found->second.bytes != bytes) return Put::taken;
    found->second.written = clock_.now();
    return Put::stored;
  }
  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override {
    const std::lock_guard lock(mutex_);
    fail_if_told();
    const auto found = blobs_.find({tenant, std::string(key)});
    if (found == blobs_.end()) return std::nullopt;
    return found->second.bytes;
  }
  void remove(const TenantId& tenant, std::string_view key, Time before) override {
    const std::lock_guard lock(mutex_);
    fail_if_told();
    const auto found = blobs_.find({tenant, std::string(key)});
    if (found != blobs_.end() && found->second.written < before) blobs_.erase(found);
  }
  Page list(std::string_view, std::size_t) override {
    const std::lock_guard lock(mutex_);
    fail_if_told();
    Page page;
    for (const auto& [name, blob] : blobs_) page.entries.push_back({name.first, name.second, blob.written});
    return page;
  }

  void fail_next(int calls) {
    const std::lock_guard lock(mutex_);
    failures_ = calls;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return blobs_.size();
  }

 private:
  struct Blob {
    std::string bytes;
    Time written{};
  };
  void fail_if_told() {
    if (failures_ == 0) return;
    --failures_;
    throw Unavailable("the blob store was told to fail");
  }

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::pair<TenantId, std::string>, Blob> blobs_;  // guarded by mutex_
  int failures_ = 0;                                        // guarded by mutex_
};

}  // namespace millrace::blob
