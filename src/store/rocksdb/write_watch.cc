#include "store/rocksdb/write_watch.h"

#include <algorithm>

#include "base/log.h"

namespace millrace::store::rocks {

std::string WriteWatch::background_error() const {
  const std::scoped_lock lock(mutex_);
  return error_;
}

void WriteWatch::OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) {
  const std::scoped_lock lock(mutex_);
  // A delayed write is ordinary back pressure; only a stopped one is worth refusing callers for.
  stopped_[info.cf_name] = info.condition.cur == rocksdb::WriteStallCondition::kStopped;
  update();
}

void WriteWatch::OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* error) {
  const std::scoped_lock lock(mutex_);
  error_ = error->ToString();
  spdlog::error("store: background error: {}", error_);
  update();
}

void WriteWatch::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  const std::scoped_lock lock(mutex_);
  if (!info.new_bg_error.ok()) return;
  error_.clear();
  update();
}

void WriteWatch::update() {
  const bool stopped = std::ranges::any_of(stopped_, [](const auto& family) { return family.second; });
  blocked_.store(stopped && error_.empty(), std::memory_order_relaxed);
}

}  // namespace millrace::store::rocks
