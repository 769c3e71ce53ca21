#include "async/signal.h"

#include "base/assert.h"

namespace millrace::async {

Signal::Subscription::~Subscription() {
  if (signal_ == nullptr) return;
  std::erase_if(signal_->callbacks_, [this](const auto& entry) { return entry.first == number_; });
}

void Signal::raise() {
  raised_ = true;
  // One at a time, because a callback may end other subscriptions.
  while (!callbacks_.empty()) {
    Callback callback = std::move(callbacks_.back().second);
    callbacks_.pop_back();
    callback();
  }
}

Signal::Subscription Signal::subscribe(Callback callback) {
  MR_ASSERT(!raised_, "a raised signal calls nobody any more");
  callbacks_.emplace_back(next_, std::move(callback));
  return Subscription(*this, next_++);
}

}  // namespace millrace::async
