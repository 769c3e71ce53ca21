#include "api/claimed.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>

#include "api/payload_overflow.h"
#include "api/reads.h"
#include "async/one_shot.h"
#include "base/log.h"
#include "base/unavailable.h"

namespace millrace::api {

namespace {

// How long an answer that brings no items waits until they are given back. A commit takes milliseconds; where it takes
// longer, the store has trouble of its own, and the worker should hear so.
constexpr auto kReleaseMax = std::chrono::seconds(5);

// Null where the body is not in memory.
Bodies cached_bodies(Services& services, ShardId shard, const queue::QueueKey& queue,
                     const std::vector<queue::ItemRecord>& items) {
  Bodies bodies;
  bodies.reserve(items.size());
  for (const queue::ItemRecord& item : items) {
    auto& body = bodies.emplace_back(services.engine.cached_body(queue, item.id));
    if (body) continue;
    body = services.engine.store().body_at_hand(shard, queue, item.id);
    if (body) services.engine.keep_body(queue, item.id, body);
  }
  return bodies;
}

// Throws Unavailable.
Async<void> read_missing(Services& services, ShardId shard, const queue::QueueKey& queue,
                         const std::vector<queue::ItemRecord>& items, Bodies& bodies) {
  std::vector<ItemId> missing;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!bodies[i]) missing.push_back(items[i].id);
  }
  Bodies found = co_await read_point(services, [&store = services.engine.store(), shard, queue, missing] {
    return store.bodies(shard, queue, missing);
  });
  auto next = found.begin();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (bodies[i]) continue;
    bodies[i] = std::move(*next++);
    if (!bodies[i]) throw Unavailable("an item has no body in the store");
    services.engine.keep_body(queue, items[i].id, bodies[i]);
  }
}

// Ends when the leases are given back, or cannot be soon: those run out by themselves.
Async<> release(Services& services, ShardId shard, const queue::QueueKey& queue,
                const std::vector<queue::ItemRecord>& items) {
  std::deque<async::OneShot<shard::Reply>> replies;
  for (const queue::ItemRecord& item : items) {
    services.engine.submit(shard, shard::Release{.queue = queue, .item = item.id, .token = item.lease.token},
                           replies.emplace_back().sender());
  }
  const async::Deadline deadline = async::Steady::now() + kReleaseMax;
  try {
    for (auto& reply : replies) {
      if (!co_await reply.wait_until(deadline)) break;
    }
  } catch (const Unavailable& gone) {
    spdlog::warn(R"("msg":"a lease could not be given back","why":{})", quoted(gone.what()));
  }
}

}  // namespace

Async<std::optional<Bodies>> bodies_or_release(Services& services, ShardId shard, const queue::QueueKey& queue,
                                               const std::vector<queue::ItemRecord>& items,
                                               const http::Request& request) {
  std::exception_ptr failure;
  try {
    if (!request.peer_gone) {
      Bodies bodies = cached_bodies(services, shard, queue, items);
      if (std::ranges::find(bodies, nullptr) != bodies.end()) {
        co_await read_missing(services, shard, queue, items, bodies);
      }
      const PayloadForm form = read_payload_form(request).value_or(PayloadForm::inlined);
      if (any_is_moved(bodies)) co_await inline_payloads(services, queue.tenant, form, bodies);
      co_return bodies;
    }
  } catch (const Unavailable&) {
    failure = std::current_exception();
  }
  co_await release(services, shard, queue, items);
  if (failure) std::rethrow_exception(failure);
  co_return std::nullopt;
}

}  // namespace millrace::api
