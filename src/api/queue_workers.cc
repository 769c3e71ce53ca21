// GET /api/workers and /api/queue/stats: the queue seen from the side (S4.11).
#include "api/ask.h"
#include "api/queue.h"

namespace millrace::api {

Async<Answer> list_workers(Services& services, http::Request& request) {
  const Result<ShardId> shard = co_await shard_of_caller(services, request);
  if (!shard) co_return std::unexpected(shard.error());
  const Result<shard::Workers> workers =
      co_await ask<shard::Workers>(services.engine, *shard, shard::ListWorkers{.queue = queue_of_caller(request)});
  if (!workers) co_return std::unexpected(workers.error());
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const shard::WorkerState& worker : workers->workers) {
      out.begin_object();
      out.member("worker_id", worker.worker);
      out.member("last_seen", worker.last_seen);
      out.member("held", worker.held);
      out.member("stale", workers->now - worker.last_seen > services.queue.lease);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  });
}

Async<Answer> queue_stats(Services& services, http::Request& request) {
  const Result<ShardId> shard = co_await shard_of_caller(services, request);
  if (!shard) co_return std::unexpected(shard.error());
  const Result<shard::Counts> counts =
      co_await ask<shard::Counts>(services.engine, *shard, shard::CountItems{.queue = queue_of_caller(request)});
  if (!counts) co_return std::unexpected(counts.error());
  co_return respond(200, [&](json::Writer& out) {
    std::uint64_t total = 0;
    out.begin_object();
    for (std::size_t i = 0; i < queue::kStatuses; ++i) {
      out.member(queue::status_name(static_cast<queue::Status>(i)), counts->by_status[i]);
      total += counts->by_status[i];
    }
    out.member("total", total);
    out.end_object();
  });
}

}  // namespace millrace::api
