#include "api/key_watch.h"

#include <utility>

namespace millrace::api {

// Under the lock, so that a watch that is gone is never told.
void KeyWatchers::tell(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return;
  for (KeyWatch* watch : found->second) watch->revoked_();
}

KeyWatch::KeyWatch(KeyWatchers& watchers, std::string key, std::move_only_function<void()> revoked)
    : watchers_(watchers), key_(std::move(key)), revoked_(std::move(revoked)) {
  if (key_.empty()) return;
  const std::lock_guard lock(watchers_.mutex_);
  watchers_.by_key_[key_].insert(this);
}

KeyWatch::~KeyWatch() {
  if (key_.empty()) return;
  const std::lock_guard lock(watchers_.mutex_);
  const auto found = watchers_.by_key_.find(key_);
  found->second.erase(this);
  if (found->second.empty()) watchers_.by_key_.erase(found);
}

}  // namespace millrace::api
