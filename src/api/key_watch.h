// What stays open on a key, held claims and streams, hears here that the key has been revoked. Nothing polls: the
// request that revokes it tells them before it is answered. A key that expires is the waiting side's own business,
// which knows when. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <functional>
#include <mutex>
#include <string>

namespace millrace::api {

class KeyWatch;

class KeyWatchers {
 public:
  // This key is refused from now on.
  void tell(const std::string& key);

 private:
  friend class KeyWatch;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, absl::flat_hash_set<KeyWatch*>> by_key_;
};

// For as long as it lives, `revoked` is called when the key is revoked: on the thread of who does so, where it must not
// block nor end a watch. Who starts one looks at the key afterwards, which may have been revoked just before.
class KeyWatch {
 public:
  // The watchers outlive the watch. An empty key is none, and never revoked.
  KeyWatch(KeyWatchers& watchers, std::string key, std::move_only_function<void()> revoked);
  ~KeyWatch();
  KeyWatch(const KeyWatch&) = delete;
  KeyWatch& operator=(const KeyWatch&) = delete;

 private:
  friend class KeyWatchers;
  KeyWatchers& watchers_;
  std::string key_;
  std::move_only_function<void()> revoked_;
};

}  // namespace millrace::api
