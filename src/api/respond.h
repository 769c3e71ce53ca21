// Small steps that most endpoints share: the body as JSON, the caller's shard and queue.
#pragma once

#include <string>
#include <utility>

#include "api/access.h"
#include "api/services.h"
#include "async/async.h"
#include "base/result.h"
#include "http/request.h"
#include "http/response.h"
#include "json/value.h"
#include "json/writer.h"
#include "queue/item.h"

namespace millrace::api {

using async::Async;
using Answer = Result<http::Response>;

// The body as JSON, in a buffer of the calling thread: valid until the next call or co_await.
// Errc::malformed says where it stops being JSON.
Result<json::Value> json_body(const http::Request& request);

inline Asker asker_of(const http::Request& request) { return {caller_of(request).actor, request.correlation_id}; }

// Where the caller's items are, for what creates nothing: a tenant that is new stays unknown.
inline ShardId shard_of_caller(const Services& services, const http::Request& request) {
  return services.tenants.shard_to_ask(caller_of(request).tenant);
}
// Where they are, for what creates something; registers a tenant that is new.
Async<Result<ShardId>> register_caller(Services& services, const http::Request& request);
// The same without waiting, which where requests are many is worth a line; nullopt for a tenant that is new.
inline std::optional<ShardId> known_shard(const Services& services, const http::Request& request) {
  return services.engine.shard_of(caller_of(request).tenant);
}
inline queue::QueueKey queue_of_caller(const http::Request& request) {
  return {caller_of(request).tenant, kEventsQueue};
}

// A response whose body `write` fills in; `bytes` is about how much that will be.
template <class Write>
http::Response respond(int status, Write write, std::size_t bytes = 256) {
  http::Response response{.status = status};
  response.body.reserve(bytes);
  json::Writer out(response.body);
  write(out);
  return response;
}

}  // namespace millrace::api
