// GET /events/{id}: one item and its history (S4.8).
#include "api/ask.h"
#include "api/payload_overflow.h"
#include "api/query.h"
#include "api/queue.h"
#include "api/queue_view.h"
#include "api/reads.h"
#include "shard/facts.h"

namespace millrace::api {
namespace {

struct Found {
  store::ItemView item;
  std::vector<queue::LogEntry> log;  // the newest kHistoryMax
  bool older = false;                // there were more
};

std::optional<Found> find(store::Store& store, ShardId shard, const queue::QueueKey& queue, ItemId id, bool with_log) {
  std::optional<store::ItemView> item = store.item(shard, queue, id);
  if (!item) return std::nullopt;
  Found found{.item = *std::move(item), .log = {}};
  if (!with_log) return found;
  found.log = store.log(shard, queue, id, shard::kHistoryMax + 1);
  found.older = found.log.size() > shard::kHistoryMax;
  if (found.older) found.log.erase(found.log.begin());
  return found;
}

}  // namespace

Async<Answer> get_item(Services& services, http::Request& request) {
  const Result<ItemId> id = item_in_path(request);
  if (!id) co_return std::unexpected(id.error());
  const Result<std::optional<bool>> include_logs = Query(request.target.query).boolean("include_logs");
  if (!include_logs) co_return std::unexpected(include_logs.error());
  const bool with_log = include_logs->value_or(false);
  const Result<PayloadForm> form = read_payload_form(request);
  if (!form) co_return std::unexpected(form.error());
  const ShardId shard = shard_of_caller(services, request);

  const std::optional<Found> found =
      co_await read_point(services, [&store = services.engine.store(), shard, queue = queue_of_caller(request),
                                     id = *id, with_log] { return find(store, shard, queue, id, with_log); });
  if (!found) co_return unknown_item(request.param("id"));
  Bodies body{found->item.body};
  co_await inline_payloads(services, caller_of(request).tenant, *form, body);
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    write_item_members(out, found->item.record, *body.front());
    if (with_log) {
      out.key("logs");
      out.begin_array();
      for (const queue::LogEntry& entry : found->log) write_log_entry(out, entry);
      out.end_array();
      if (found->older) out.member("logs_truncated", true);
    }
    out.end_object();
  });
}

}  // namespace millrace::api
