#include "async/mailbox.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>

#include "base/assert.h"

namespace millrace::async {

namespace {
thread_local Mailbox* current_mailbox = nullptr;
thread_local Mailbox::Gather* open_gather = nullptr;
}  // namespace

Mailbox& Mailbox::current() {
  MR_ASSERT(current_mailbox != nullptr, "only an io thread has a mailbox");
  return *current_mailbox;
}

bool Mailbox::is_current() const { return current_mailbox == this; }

void Mailbox::set_current(Mailbox* mailbox) { current_mailbox = mailbox; }

void Mailbox::push(Task task) {
  if (open_gather != nullptr) return open_gather->add(*this, std::move(task));
  bool first;
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
    first = !std::exchange(woken_, true);
  }
  if (first) wake();
}

void Mailbox::push_all(std::vector<Task>& tasks) {
  bool first;
  {
    std::lock_guard lock(mutex_);
    std::ranges::move(tasks, std::back_inserter(waiting_));
    first = !std::exchange(woken_, true);
  }
  if (first) wake();
}

void Mailbox::wake() {
  boost::asio::post(io_, [this] { drain(); });
}

void Mailbox::drain() {
  {
    std::lock_guard lock(mutex_);
    running_.swap(waiting_);
    woken_ = false;
  }
  for (Task& task : running_) task();
  running_.clear();
}

Mailbox::Gather::Gather() {
  MR_ASSERT(open_gather == nullptr, "gathers do not nest");
  open_gather = this;
}

Mailbox::Gather::~Gather() {
  open_gather = nullptr;
  for (auto& [mailbox, tasks] : held_) mailbox->push_all(tasks);
}

void Mailbox::Gather::add(Mailbox& mailbox, Task task) {
  auto found = std::ranges::find(held_, &mailbox, [](const auto& held) { return held.first; });
  if (found == held_.end()) found = held_.emplace(held_.end(), &mailbox, std::vector<Task>());
  found->second.push_back(std::move(task));
}

}  // namespace millrace::async
