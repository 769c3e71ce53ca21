// LOCK, by which one process at a time has a data folder. RocksDB takes it at every open; here it is taken to look at a
// folder that no server may change meanwhile, and RocksDB's refusals are told apart. One thread.
#pragma once

#include <rocksdb/env.h>

#include <optional>
#include <string>

namespace millrace::store::rocks {

inline constexpr const char* kLockInUse = "another process uses this data folder";

// What to say of RocksDB's refusal to take the LOCK of the folder; nullopt if the status says something else.
std::optional<std::string> lock_refusal(const std::string& folder, const rocksdb::Status& status);

class FolderLock {
 public:
  // Takes it. A folder without a LOCK is used by nobody, and none is made.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;

  // Why it was not taken, as lock_refusal() says it; empty: it was.
  const std::string& refusal() const { return refusal_; }
  bool in_use() const { return refusal_ == kLockInUse; }

 private:
  rocksdb::Env* env_ = rocksdb::Env::Default();
  rocksdb::FileLock* lock_ = nullptr;
  std::string refusal_;
};

}  // namespace millrace::store::rocks
