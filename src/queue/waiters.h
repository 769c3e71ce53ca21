// Claims that wait for an item (long polls), oldest first. An item that becomes ready finds the waiter
// that asked first for any of its tags.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "queue/item.h"

namespace millrace::queue {

// Content is what the owner keeps with a waiter; this class only orders them.
template <class Content>
class Waiters {
 public:
  void add(RequestId request, const QueueKey& queue, std::span<const std::string> tags, Time deadline,
           Content content) {
    const std::uint64_t order = ++last_;
    Waiter waiter{request, queue, {tags.begin(), tags.end()}, deadline, std::move(content)};
    for (const std::string& tag : waiter.tags) by_tag_[TagKey(queue, tag)].insert(order);
    by_deadline_.emplace(deadline, order);
    by_request_[request] = order;
    waiters_.emplace(order, std::move(waiter));
  }

  // The waiter that came first for any of the tags, taken out.
  std::optional<Content> take_first(const QueueKey& queue, std::span<const std::string> tags) {
    std::uint64_t first = 0;
    for (const std::string& tag : tags) {
      const auto found = by_tag_.find(TagKey(queue, tag));
      if (found == by_tag_.end()) continue;
      const std::uint64_t order = *found->second.begin();
      if (first == 0 || order < first) first = order;
    }
    if (first == 0) return std::nullopt;
    return take(first);
  }

  std::optional<Content> take_request(RequestId request) {
    const auto found = by_request_.find(request);
    if (found == by_request_.end()) return std::nullopt;
    return take(found->second);
  }

  // Null where it does not wait.
  const Content* find(RequestId request) const {
    const auto found = by_request_.find(request);
    return found == by_request_.end() ? nullptr : &waiters_.find(found->second)->second.content;
  }
  bool wants(const QueueKey& queue, std::span<const std::string> tags) const {
    return std::ranges::any_of(tags, [&](const std::string& tag) { return by_tag_.contains(TagKey(queue, tag)); });
  }
  // Calls visit(queue, tag) for every tag that somebody waits for.
  template <class Visit>
  void each_tag(Visit visit) const {
    for (const auto& [key, orders] : by_tag_) visit(key.first, key.second);
  }

  // One whose deadline has come.
  std::optional<Content> take_late(Time now) {
    if (by_deadline_.empty() || by_deadline_.begin()->first > now) return std::nullopt;
    return take(by_deadline_.begin()->second);
  }

  Time next_deadline() const { return by_deadline_.empty() ? kNever : by_deadline_.begin()->first; }
  bool empty() const { return waiters_.empty(); }
  std::size_t size() const { return waiters_.size(); }

 private:
  using TagKey = std::pair<QueueKey, std::string>;
  struct Waiter {
    RequestId request;
    QueueKey queue;
    absl::btree_set<std::string> tags;
    Time deadline;
    Content content;
  };

  Content take(std::uint64_t order) {
    auto node = waiters_.extract(order);
    Waiter& waiter = node.mapped();
    for (const std::string& tag : waiter.tags) {
      const auto found = by_tag_.find(TagKey(waiter.queue, tag));
      found->second.erase(order);
      if (found->second.empty()) by_tag_.erase(found);
    }
    by_deadline_.erase(std::pair(waiter.deadline, order));
    by_request_.erase(waiter.request);
    return std::move(waiter.content);
  }

  std::uint64_t last_ = 0;  // order of arrival
  absl::btree_map<std::uint64_t, Waiter> waiters_;
  absl::flat_hash_map<TagKey, absl::btree_set<std::uint64_t>> by_tag_;
  absl::btree_set<std::pair<Time, std::uint64_t>> by_deadline_;
  absl::flat_hash_map<RequestId, std::uint64_t> by_request_;
};

}  // namespace millrace::queue
