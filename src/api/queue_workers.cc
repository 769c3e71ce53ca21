// GET /api/workers and /api/queue/stats: the queue seen from the side (S4.11).
#include "api/ask.h"
#include "api/page.h"
#include "api/queue.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "workers";

void write_worker(json::Writer& out, const shard::WorkerState& worker, bool stale) {
  out.begin_object();
  out.member("worker_id", worker.worker);
  out.member("last_seen", worker.last_seen);
  out.member("held", worker.held);
  out.member("stale", stale);
  out.end_object();
}

}  // namespace

Async<Answer> list_workers(Services& services, http::Request& request) {
  const Result<Page> page = read_page(request, kListing);
  if (!page) co_return std::unexpected(page.error());
  const ShardId shard = shard_of_caller(services, request);
  shard::ListWorkers command{
      .queue = queue_of_caller(request), .after = page->after.value_or(""), .limit = page->limit};
  const Result<shard::Workers> workers = co_await ask<shard::Workers>(services.engine, shard, std::move(command));
  if (!workers) co_return std::unexpected(workers.error());
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const shard::WorkerState& worker : workers->workers) {
      write_worker(out, worker, workers->now - worker.last_seen > services.queue.lease);
    }
    out.end_array();
    write_next_cursor(out, kListing, workers->more ? std::optional(workers->workers.back().worker) : std::nullopt);
    out.end_object();
  });
}

Async<Answer> queue_stats(Services& services, http::Request& request) {
  const ShardId shard = shard_of_caller(services, request);
  const Result<shard::Counts> counts =
      co_await ask<shard::Counts>(services.engine, shard, shard::CountItems{.queue = queue_of_caller(request)});
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
