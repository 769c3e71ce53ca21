// GET /events/subscribe: a worker asks for work, and may wait for it (S4.2, S4.3).
#include "api/ask.h"
#include "api/claimed.h"
#include "api/first_error.h"
#include "api/payload_overflow.h"
#include "api/query.h"
#include "api/queue.h"
#include "api/queue_view.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

struct ClaimRequest {
  shard::Claim claim;
  bool is_array = false;  // asked for with limit=
};

Result<ClaimRequest> read_claim(const http::Request& request, const QueueSettings& settings) {
  const Query query(request.target.query);
  FirstError error;
  ClaimRequest wanted{.claim = {.queue = queue_of_caller(request), .tags = {}, .worker = {}, .lease = settings.lease}};
  wanted.claim.tags = error.take(query.tags("tags"));
  if (wanted.claim.tags.empty()) {
    const Result<std::optional<std::string>> worker = query.text("worker_id", limits::kWorkerIdBytesMax);
    const bool both = worker && !*worker;
    error.refuse(
        {Errc::bad_query,
         both ? "query parameters \"tags\" and \"worker_id\" are required" : "query parameter \"tags\" is required",
         "tags"});
  }
  wanted.claim.worker = error.take(query.required_text("worker_id", limits::kWorkerIdBytesMax));
  const auto limit = error.take(query.number("limit", 1, limits::kClaimLimitMax));
  const auto wait = error.take(query.number("wait", 0, limits::kClaimWaitSecondsMax));
  error.take(read_payload_form(request));
  if (error.failed()) return error.give();
  wanted.is_array = limit.has_value();
  wanted.claim.limit = limit.value_or(1);
  wanted.claim.wait = std::chrono::seconds(wait.value_or(0));
  return wanted;
}

http::Response show(const std::vector<queue::ItemRecord>& items, const Bodies& bodies, bool is_array) {
  std::size_t bytes = 0;
  for (const auto& body : bodies) bytes += shown_bytes(*body);
  const auto write = [&](json::Writer& out) {
    if (is_array) out.begin_array();
    for (std::size_t i = 0; i < items.size(); ++i) write_claimed(out, items[i], *bodies[i]);
    if (is_array) out.end_array();
  };
  return respond(200, write, bytes);
}

}  // namespace

Async<Answer> subscribe(Services& services, http::Request& request) {
  Result<ClaimRequest> wanted = read_claim(request, services.queue);
  if (!wanted) co_return std::unexpected(std::move(wanted.error()));
  const ShardId shard = shard_of_caller(services, request);

  const queue::QueueKey queue = wanted->claim.queue;
  const Asked asked = wanted->claim.wait > Millis(0) ? Asked::to_wait : Asked::at_once;
  const bool waits = asked == Asked::to_wait || services.engine.may_hold();
  const Result<shard::Claimed> claimed =
      waits ? answer_of<shard::Claimed>(co_await ask_held(services, shard, std::move(wanted->claim), request, asked))
            : co_await ask<shard::Claimed>(services.engine, shard, std::move(wanted->claim));
  if (!claimed) co_return std::unexpected(claimed.error());
  if (claimed->items.empty()) {
    // The wait may have ended with the key.
    Result<void> valid;
    if (waits) valid = check_again(*services.engine.catalog(), caller_of(request), services.clock.now());
    if (!valid) co_return std::unexpected(std::move(valid.error()));
    co_return http::Response{.status = 204};
  }

  const auto bodies = co_await bodies_or_release(services, shard, queue, claimed->items, request);
  if (!bodies) co_return http::Response{.status = 204};
  co_return show(claimed->items, *bodies, wanted->is_array);
}

}  // namespace millrace::api
