#include "store/rocksdb/write_watch.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace millrace::store::rocks {

WriteWatch::WriteWatch(std::function<void(const std::string& why)> broken, Millis patience)
    : broken_(std::move(broken)) {
  if (broken_) patient_ = std::thread([this, patience] { wait_for_recovery(patience); });
}

WriteWatch::~WriteWatch() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (patient_.joinable()) patient_.join();
}

std::string_view WriteWatch::unwritable() const {
  const std::string* why = unwritable_.load(std::memory_order_acquire);
  return why == nullptr ? std::string_view() : std::string_view(*why);
}

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
  // A soft one (a merge without room for its output) leaves writes alone.
  if (error->severity() >= rocksdb::Status::Severity::kHardError) {
    set_unwritable("the store's background work failed: " + error_);
  }
  update();
}

void WriteWatch::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  const std::scoped_lock lock(mutex_);
  if (!info.new_bg_error.ok()) return;
  error_.clear();
  unwritable_.store(nullptr, std::memory_order_release);
  changed_.notify_all();
  update();
}

void WriteWatch::update() {
  const bool stopped = std::ranges::any_of(stopped_, [](const auto& family) { return family.second; });
  blocked_.store(stopped && error_.empty(), std::memory_order_relaxed);
}

void WriteWatch::set_unwritable(const std::string& why) {
  auto found = std::ranges::find(reasons_, why);
  if (found == reasons_.end()) found = reasons_.insert(reasons_.end(), why);
  unwritable_.store(&*found, std::memory_order_release);
  changed_.notify_all();
}

void WriteWatch::wait_for_recovery(Millis patience) {
  const auto failed = [this] { return unwritable_.load(std::memory_order_acquire) != nullptr; };
  std::unique_lock lock(mutex_);
  while (!closing_) {
    changed_.wait(lock, [&] { return closing_ || failed(); });
    if (changed_.wait_for(lock, patience, [&] { return closing_ || !failed(); })) continue;
    const std::string why(unwritable());
    lock.unlock();
    return broken_(why);
  }
}

}  // namespace millrace::store::rocks
