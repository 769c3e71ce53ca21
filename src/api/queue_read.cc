// GET /events/{id}: one item and its history (S4.8).
#include <algorithm>

#include "api/ask.h"
#include "api/page.h"
#include "api/payload_overflow.h"
#include "api/query.h"
#include "api/queue.h"
#include "api/queue_view.h"
#include "api/reads.h"
#include "shard/facts.h"

namespace millrace::api {
namespace {

constexpr std::size_t kFirstLook = 128;  // entries; few items have more
static_assert(kFirstLook <= shard::kHistoryMax);

struct Found {
  store::ItemView item;
  std::vector<queue::LogEntry> log;  // the newest kHistoryMax, as far as they fit on a page
  bool older = false;                // there were more
};

// Leaves the newest entries that fit; true if some had to go.
bool cut_to_page(std::vector<queue::LogEntry>& log) {
  std::size_t bytes = 0;
  const auto last = std::find_if(log.rbegin(), log.rend(), [&](const queue::LogEntry& entry) {
    const bool full = bytes >= kPageBytesMax;
    bytes += entry.error_message.value_or("").size() + entry.reason.value_or("").size();
    return full;
  });
  const bool cut = last != log.rend();
  log.erase(log.begin(), last.base());
  return cut;
}

std::optional<Found> find(store::Store& store, ShardId shard, const queue::QueueKey& queue, ItemId id, bool with_log) {
  std::optional<store::ItemView> item = store.item(shard, queue, id);
  if (!item) return std::nullopt;
  Found found{.item = *std::move(item), .log = {}};
  if (!with_log) return found;
  // Messages can be long: twice as much of a log is only read where its newest part leaves room.
  for (std::size_t most = kFirstLook;; most = std::min(2 * most, shard::kHistoryMax)) {
    found.log = store.log(shard, queue, id, most + 1);
    found.older = found.log.size() > most;
    if (found.older) found.log.erase(found.log.begin());
    const bool cut = cut_to_page(found.log);
    if (cut || !found.older || most == shard::kHistoryMax) {
      found.older = found.older || cut;
      return found;
    }
  }
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
