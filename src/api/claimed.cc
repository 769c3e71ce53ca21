#include "api/claimed.h"

#include "api/payload_overflow.h"
#include "api/reads.h"
#include "base/unavailable.h"

namespace millrace::api {

Async<Bodies> bodies_of(Services& services, ShardId shard, const queue::QueueKey& queue,
                        const std::vector<queue::ItemRecord>& items) {
  Bodies bodies;
  bodies.reserve(items.size());
  std::vector<ItemId> missing;
  for (const queue::ItemRecord& item : items) {
    bodies.push_back(services.engine.cached_body(queue, item.id));
    if (!bodies.back()) missing.push_back(item.id);
  }
  if (missing.empty()) co_return bodies;
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
  co_return bodies;
}

void release(Services& services, ShardId shard, const queue::QueueKey& queue,
             const std::vector<queue::ItemRecord>& items) {
  for (const queue::ItemRecord& item : items) {
    services.engine.submit(shard, shard::Release{.queue = queue, .item = item.id, .token = item.lease.token},
                           [](const shard::Reply&) {});
  }
}

Async<std::optional<Bodies>> bodies_or_release(Services& services, ShardId shard, const queue::QueueKey& queue,
                                               const std::vector<queue::ItemRecord>& items,
                                               const http::Request& request) {
  try {
    if (!request.peer_gone) {
      Bodies bodies = co_await bodies_of(services, shard, queue, items);
      const PayloadForm form = read_payload_form(request).value_or(PayloadForm::inlined);
      co_await inline_payloads(services, queue.tenant, form, bodies);
      co_return bodies;
    }
  } catch (const Unavailable&) {
    release(services, shard, queue, items);
    throw;
  }
  release(services, shard, queue, items);
  co_return std::nullopt;
}

}  // namespace millrace::api
