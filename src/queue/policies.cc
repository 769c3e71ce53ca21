#include "queue/policies.h"

#include "base/assert.h"

namespace millrace::queue {

std::uint32_t Policies::join(const RetryPolicy& policy) {
  const auto [found, is_new] = numbers_.try_emplace(policy, static_cast<std::uint32_t>(kept_.size()));
  if (is_new && free_.empty()) {
    kept_.push_back({policy});
  } else if (is_new) {
    found->second = free_.back();
    free_.pop_back();
    kept_[found->second] = {policy};
  }
  ++kept_[found->second].items;
  return found->second;
}

void Policies::leave(std::uint32_t number) {
  Kept& kept = kept_[number];
  MR_ASSERT(kept.items > 0, "an item leaves the policy it joined");
  if (--kept.items > 0) return;
  numbers_.erase(kept.policy);
  free_.push_back(number);
}

}  // namespace millrace::queue
