#include "api/respond.h"

#include "json/parse.h"

namespace millrace::api {

namespace {

// A larger body's nodes are not kept for the next one: a thread would hold on to the largest it ever saw.
constexpr std::size_t kKeptBodyBytes = 256 * 1024;

}  // namespace

Result<json::Value> json_body(const http::Request& request) {
  thread_local json::Document document;
  thread_local bool large = false;
  if (large) document = json::Document();
  large = request.body.size() > kKeptBodyBytes;
  auto parsed = json::parse_into(document, request.body);
  if (!parsed) return std::unexpected(json::to_error(parsed.error()));
  return document.root();
}

Async<Result<ShardId>> register_caller(Services& services, const http::Request& request) {
  co_return co_await services.tenants.shard_for(caller_of(request).tenant, asker_of(request));
}

}  // namespace millrace::api
