// Hears from RocksDB when writes are stopped or a background task failed, so that asking costs one
// atomic read. Called by RocksDB's threads, asked by any.
#pragma once

#include <rocksdb/listener.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

namespace millrace::store::rocks {

class WriteWatch final : public rocksdb::EventListener {
 public:
  // Writes are stopped until flushes or compactions catch up. Not so after a background error: the next commit
  // must meet it, fail and end the process, instead of being refused at the door for ever.
  bool blocked() const { return blocked_.load(std::memory_order_relaxed); }
  // The background error that is not over yet; "" if there is none.
  std::string background_error() const;

  void OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override;

 private:
  void update();  // REQUIRES: mutex_ is held

  mutable std::mutex mutex_;
  std::map<std::string, bool> stopped_;  // by family
  std::string error_;
  std::atomic<bool> blocked_ = false;
};

}  // namespace millrace::store::rocks
