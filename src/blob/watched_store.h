// A blob store that counts what passes through it and remembers how the last call ended. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "blob/blob_store.h"

namespace millrace::blob {

class WatchedStore final : public BlobStore {
 public:
  // `kind` as in Report.
  WatchedStore(std::string kind, std::unique_ptr<BlobStore> inner);

  std::string bucket() const override { return inner_->bucket(); }
  Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override;
  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override;
  void remove(const TenantId& tenant, std::string_view key, Time before) override;
  Page list(std::string_view cursor, std::size_t limit) override;
  Report report() const override;

 private:
  // Runs a call and notes how it ended; what it throws goes on to the caller.
  template <class Call>
  auto watched(Call call);

  std::unique_ptr<BlobStore> inner_;
  mutable std::mutex mutex_;
  Report report_;  // guarded by mutex_
};

}  // namespace millrace::blob
