// Hears from RocksDB when writes are stopped or a background task failed, so that asking costs one
// atomic read. Called by RocksDB's threads, asked by any.
#pragma once

#include <rocksdb/listener.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/time.h"

namespace millrace::store::rocks {

class WriteWatch final : public rocksdb::EventListener {
 public:
  // RocksDB tries again by itself where that may help. Failed for longer than this, nothing but a start that reads what
  // the disk really holds will do.
  static constexpr Millis kPatience = std::chrono::seconds(10);

  // `broken` is told once, on a thread of its own, that background work has failed for good; empty: nobody is.
  explicit WriteWatch(std::function<void(const std::string& why)> broken = {}, Millis patience = kPatience);
  ~WriteWatch() override;

  // Writes are stopped until flushes or compactions catch up.
  bool blocked() const { return blocked_.load(std::memory_order_relaxed); }
  // Why no write can succeed since background work failed; empty if they can. Lives as long as this.
  std::string_view unwritable() const;
  // The background error that is not over yet, whether writes go on or not; "" if there is none.
  std::string background_error() const;

  void OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override;

 private:
  // REQUIRES: mutex_ is held, for these.
  void update();
  void set_unwritable(const std::string& why);
  void wait_for_recovery(Millis patience);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, bool> stopped_;  // by family
  std::string error_;
  std::list<std::string> reasons_;  // all there were, each once: unwritable() gives views of them
  bool closing_ = false;
  std::atomic<bool> blocked_ = false;
  std::atomic<const std::string*> unwritable_ = nullptr;
  std::function<void(const std::string& why)> broken_;
  std::thread patient_;  // only where somebody is to be told
};

}  // namespace millrace::store::rocks
