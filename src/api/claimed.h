// Items that a claim leased, on their way to the worker: their bodies, and giving them back if nobody is there
// to take them.
#pragma once

#include <memory>
#include <vector>

#include "api/respond.h"
#include "api/services.h"
#include "queue/item.h"

namespace millrace::api {

using Bodies = std::vector<std::shared_ptr<const queue::Body>>;

// The bodies in the items' order, from memory or the store, payloads in the form that the request asks for; nullopt if
// the peer has gone, and then, as when a store fails (Unavailable), the items are given back first: the next worker
// need not wait until the leases run out. REQUIRES: read_payload_form() takes the request.
Async<std::optional<Bodies>> bodies_or_release(Services& services, ShardId shard, const queue::QueueKey& queue,
                                               const std::vector<queue::ItemRecord>& items,
                                               const http::Request& request);

}  // namespace millrace::api
