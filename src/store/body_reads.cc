#include "store/body_reads.h"

#include <pthread.h>

#include <algorithm>
#include <exception>

namespace millrace::store {
namespace {

std::size_t weight(const queue::Body& body) {
  return sizeof(body) + body.title.size() + (body.description ? body.description->size() : 0) + body.tags.size() +
         body.payload.size();
}

// Claims of several workers overtake each other a little.
bool in_order(ItemId last, ItemId id, std::uint64_t reach) {
  return last.value != 0 && id.value + reach > last.value && id.value <= last.value + 2 * reach;
}

}  // namespace

BodyReads::~BodyReads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wished_.notify_one();
  thread_.join();
}

std::vector<BodyReads::BodyPtr> BodyReads::read(ShardId shard, const queue::QueueKey& queue,
                                                std::span<const ItemId> ids) {
  // Several at once share a read as it is.
  if (ids.size() != 1) return fetch_(shard, queue, ids);
  const ItemId id = ids.front();

  std::unique_lock lock(mutex_);
  const std::shared_ptr<Ahead> ahead = ahead_of(shard, queue);
  const auto holds_id = [&](const Span& span) { return span.holds(id); };
  fetched_.wait(lock, [&] { return std::ranges::none_of(ahead->under_way, holds_id); });
  if (BodyPtr body = take(*ahead, id)) {
    fetch_further(shard, queue, ahead, id);
    return {std::move(body)};
  }
  const bool goes_on = in_order(ahead->last_begin, id, kStepMax);
  const Span span = begin(*ahead, id, goes_on ? ahead->step : 1);
  ahead->end = goes_on ? span.end : ItemId{};
  return {fetch(lock, shard, queue, *ahead, span, Asked::first)};
}

BodyReads::BodyPtr BodyReads::at_hand(ShardId shard, const queue::QueueKey& queue, ItemId id) {
  const std::lock_guard lock(mutex_);
  const auto found = ahead_.find(Name{shard.value, queue});
  if (found == ahead_.end()) return nullptr;
  const std::shared_ptr<Ahead> ahead = found->second;
  BodyPtr body = take(*ahead, id);
  if (body) fetch_further(shard, queue, ahead, id);
  return body;
}

// Once half of what was fetched last is behind.
void BodyReads::fetch_further(ShardId shard, const queue::QueueKey& queue, const std::shared_ptr<Ahead>& ahead,
                              ItemId taken) {
  const ItemId end = ahead->end;
  if (end.value == 0 || taken.value + ahead->step / 2 < end.value) return;
  const Span span = begin(*ahead, end, ahead->step);
  ahead->end = span.end;
  wishes_.push_back({shard, queue, ahead, span});
  wished_.notify_one();
}

void BodyReads::fetch_wishes() {
  pthread_setname_np(pthread_self(), "bodies");
  std::unique_lock lock(mutex_);
  while (true) {
    wished_.wait(lock, [this] { return ends_ || !wishes_.empty(); });
    if (ends_) return;
    const Wish wish = std::move(wishes_.front());
    wishes_.pop_front();
    try {
      fetch(lock, wish.shard, wish.queue, *wish.ahead, wish.span, Asked::none);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      // Who asks for one of these will read it, and hear why that fails.
    }
  }
}

// The lock is free meanwhile. Returns the first body if it is asked for; the others wait for their claims.
BodyReads::BodyPtr BodyReads::fetch(std::unique_lock<std::mutex>& lock, ShardId shard, const queue::QueueKey& queue,
                                    Ahead& ahead, const Span& span, Asked asked) {
  const std::uint64_t forgotten = forgotten_;
  lock.unlock();
  std::vector<ItemId> wanted;
  for (ItemId next = span.first; next < span.end; ++next.value) wanted.push_back(next);
  std::vector<BodyPtr> bodies;
  try {
    bodies = fetch_(shard, queue, wanted);
  } catch (...) {
    lock.lock();
    end(ahead, span);
    throw;
  }
  lock.lock();
  end(ahead, span);
  BodyPtr first = asked == Asked::first ? std::exchange(bodies.front(), nullptr) : nullptr;
  if (forgotten == forgotten_) keep(ahead, span, bodies);
  return first;
}

void BodyReads::forget() {
  const std::lock_guard lock(mutex_);
  ++forgotten_;
  drop_all();
}

std::shared_ptr<BodyReads::Ahead> BodyReads::ahead_of(ShardId shard, const queue::QueueKey& queue) {
  if (ahead_.size() >= kQueuesMax) drop_all();
  std::shared_ptr<Ahead>& ahead = ahead_[Name{shard.value, queue}];
  if (ahead == nullptr) ahead = std::make_shared<Ahead>();
  return ahead;
}

BodyReads::BodyPtr BodyReads::take(Ahead& ahead, ItemId id) {
  const auto found = ahead.bodies.find(id);
  if (found == ahead.bodies.end()) return nullptr;
  BodyPtr body = std::move(found->second);
  bytes_ -= weight(*body);
  ahead.bodies.erase(found);
  return body;
}

BodyReads::Span BodyReads::begin(Ahead& ahead, ItemId id, std::size_t count) {
  ahead.last_begin = id;
  return ahead.under_way.emplace_back(id, ItemId{id.value + count});
}

void BodyReads::end(Ahead& ahead, const Span& span) {
  std::erase_if(ahead.under_way, [&](const Span& other) { return other.first == span.first; });
  fetched_.notify_all();
}

void BodyReads::keep(Ahead& ahead, const Span& span, std::vector<BodyPtr>& bodies) {
  std::size_t bytes = 0;
  for (const BodyPtr& body : bodies) bytes += body ? weight(*body) : 0;
  ahead.step = std::clamp(kStepBytes / (bytes / bodies.size() + 1), std::size_t{1}, kStepMax);
  // What is left over belongs to items that were claimed in another way.
  if (bytes_ + bytes > kBytesMax) drop_all();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i]) continue;
    const std::size_t added = weight(*bodies[i]);
    const auto [at, is_new] = ahead.bodies.try_emplace(ItemId{span.first.value + i}, std::move(bodies[i]));
    if (is_new) bytes_ += added;
  }
}

// Queues that somebody is reading stay, so that what is kept of them is counted.
void BodyReads::drop_all() {
  for (auto& [name, ahead] : ahead_) ahead->bodies.clear();
  bytes_ = 0;
  absl::erase_if(ahead_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace millrace::store
