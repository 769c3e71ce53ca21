// A blob store that counts what passes through it and remembers how the last call of each kind ended. Any
// thread.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "blob/blob_store.h"

namespace millrace::blob {

class WatchedStore final : public BlobStore {
 public:
  // `kind` and `place` as in Report.
  WatchedStore(std::string kind, std::string place, std::unique_ptr<BlobStore> inner);

  std::string bucket() const override { return inner_->bucket(); }
  Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override;
  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override;
  void remove(const TenantId& tenant, std::string_view key, Time before) override;
  Page list(std::string_view cursor, std::size_t limit) override;
  Mark* mark() override { return inner_->mark(); }
  Report report() const override;

 private:
  // Each is judged by itself: a full disk still reads and removes, and takes nothing.
  enum class Kind { read, write, removal };

  // Runs a call and notes how it ended; what it throws goes on to the caller.
  template <class Call>
  auto watched(Kind kind, Call call);
  // REQUIRES: mutex_ is held.
  void note(Kind kind, Report::State how);

  std::unique_ptr<BlobStore> inner_;
  mutable std::mutex mutex_;
  Report report_;                        // guarded by mutex_
  std::array<Report::State, 3> last_{};  // by Kind; guarded by mutex_
};

}  // namespace millrace::blob
