// GET /events: listing with totals (S4.9).
#include <algorithm>
#include <numeric>

#include "api/ask.h"
#include "api/cursor.h"
#include "api/first_error.h"
#include "api/page.h"
#include "api/query.h"
#include "api/queue.h"
#include "api/queue_view.h"
#include "api/reads.h"
#include "api/tags.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "queue.events";

struct Listed {
  std::vector<store::ItemView> items;
  bool more = false;
  std::uint64_t total = 0;
};

Result<std::optional<queue::Status>> read_status(const Query& query) {
  const Result<std::optional<std::string>> text = query.text("status", 40);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  const std::optional<queue::Status> status = queue::parse_status(**text);
  if (!status) {
    return fail(Errc::bad_query,
                "query parameter \"status\" must be PENDING, PROCESSING, COMPLETED, FAILED or CANCELLED", "status");
  }
  return status;
}

Result<std::optional<ItemId>> read_before(const Query& query) {
  const Result<std::optional<std::string>> text = query.text("cursor", kCursorBytesMax);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  const std::optional<std::uint64_t> last = read_number_cursor(kListing, **text);
  if (!last) return fail(Errc::bad_query, "query parameter \"cursor\" is none that a listing gave", "cursor");
  return ItemId{*last};
}

Result<store::ItemQuery> read_list(const http::Request& request) {
  const Query query(request.target.query);
  FirstError error;
  store::ItemQuery list{.queue = queue_of_caller(request)};
  list.status = error.take(read_status(query));
  list.any_tags = sorted_tags(error.take(query.tags("tags")));
  list.limit = error.take(query.number("limit", 1, limits::kListLimitMax)).value_or(limits::kListLimitDefault);
  list.offset = error.take(query.number("offset", 0, limits::kListOffsetMax)).value_or(0);
  list.before = error.take(read_before(query));
  if (error.failed()) return error.give();
  return list;
}

bool has_any(const std::vector<std::string>& tags, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return true;
  return std::ranges::any_of(wanted, [&](const std::string& tag) { return std::ranges::binary_search(tags, tag); });
}

// As a listing shows it.
store::ItemView without_payload(store::ItemView item) {
  item.body = std::make_shared<queue::Body>(
      queue::Body{.title = item.body->title, .tags = item.body->tags, .created = item.body->created});
  return item;
}

// The items of these ids (highest first) that are still leased and fit the query; the total counts all of
// them. Leased items are few beside all there are, so this is how PROCESSING is listed.
Listed pick_leased(store::Store& store, ShardId shard, const store::ItemQuery& query, const std::vector<ItemId>& ids) {
  Listed listed;
  std::uint64_t skip = query.offset;
  std::size_t bytes = 0;
  for (const ItemId id : ids) {
    const bool in_page = listed.items.size() < query.limit && bytes < kPageBytesMax;
    const bool counted_only = query.any_tags.empty() && (!in_page || skip > 0 || (query.before && id >= *query.before));
    std::optional<store::ItemView> item;
    if (!counted_only) {
      item = store.item(shard, query.queue, id);
      if (!item || item->record.status != queue::Status::processing) continue;
      if (!has_any(item->record.lane->tags, query.any_tags)) continue;
    }
    ++listed.total;
    if (query.before && id >= *query.before) continue;
    if (skip > 0) {
      --skip;
    } else if (in_page) {
      listed.items.push_back(without_payload(*std::move(item)));
      bytes += shown_bytes(*listed.items.back().body);
    } else {
      listed.more = true;
    }
  }
  return listed;
}

Async<Result<Listed>> list_leased(Services& services, ShardId shard, const store::ItemQuery& query) {
  const Result<shard::Leased> leased =
      co_await ask<shard::Leased>(services.engine, shard, shard::ListLeased{.queue = query.queue});
  if (!leased) co_return std::unexpected(leased.error());
  co_return co_await read_range(services, [&store = services.engine.store(), shard, query, ids = leased->items] {
    return pick_leased(store, shard, query, ids);
  });
}

// Counted by the engine as items change; only a filter by tags has to be counted in the store.
Async<Result<std::uint64_t>> total_of(Services& services, ShardId shard, const store::ItemQuery& query) {
  if (!query.any_tags.empty()) {
    co_return co_await read_range(services, [&store = services.engine.store(), shard, query] {
      return store.count(shard, query, limits::kListTotalMax + 1);
    });
  }
  const Result<shard::Counts> counts =
      co_await ask<shard::Counts>(services.engine, shard, shard::CountItems{.queue = query.queue});
  if (!counts) co_return std::unexpected(counts.error());
  const auto& by_status = counts->by_status;
  if (query.status) co_return by_status[static_cast<std::size_t>(*query.status)];
  co_return std::accumulate(by_status.begin(), by_status.end(), std::uint64_t{0});
}

// The items of a page, read in batches: a listing shows no payload, so none is held but those of one batch.
store::ItemPage read_items(store::Store& store, ShardId shard, store::ItemQuery query) {
  constexpr std::size_t kBatch = 100;
  const std::size_t limit = query.limit;
  store::ItemPage page{.items = {}, .more = true};
  std::size_t bytes = 0;
  while (page.more && page.items.size() < limit && bytes < kPageBytesMax) {
    query.limit = std::min(kBatch, limit - page.items.size());
    store::ItemPage batch = store.items(shard, query);
    page.more = batch.more;
    if (batch.items.empty()) break;
    for (store::ItemView& item : batch.items) {
      page.items.push_back(without_payload(std::move(item)));
      bytes += shown_bytes(*page.items.back().body);
    }
    query.before = page.items.back().record.id;
    query.offset = 0;
  }
  return page;
}

Async<Result<Listed>> list_stored(Services& services, ShardId shard, const store::ItemQuery& query) {
  const Result<std::uint64_t> total = co_await total_of(services, shard, query);
  if (!total) co_return std::unexpected(total.error());
  store::ItemPage page = co_await read_range(
      services, [&store = services.engine.store(), shard, query] { return read_items(store, shard, query); });
  co_return Listed{.items = std::move(page.items), .more = page.more, .total = *total};
}

http::Response show(const Listed& listed, const store::ItemQuery& query) {
  return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("events");
    out.begin_array();
    for (const store::ItemView& item : listed.items) write_listed(out, item.record, *item.body);
    out.end_array();
    const bool capped = !query.any_tags.empty() && listed.total > limits::kListTotalMax;
    out.member("total", capped ? limits::kListTotalMax : listed.total);
    if (capped) out.member("total_capped", true);
    out.member("limit", query.limit);
    out.member("offset", query.offset);
    if (listed.more) out.member("next_cursor", make_number_cursor(kListing, listed.items.back().record.id.value));
    out.end_object();
  });
}

}  // namespace

Async<Answer> list_items(Services& services, http::Request& request) {
  const Result<store::ItemQuery> query = read_list(request);
  if (!query) co_return std::unexpected(query.error());
  const ShardId shard = shard_of_caller(services, request);
  const bool leased = query->status == queue::Status::processing;
  const Result<Listed> listed =
      leased ? co_await list_leased(services, shard, *query) : co_await list_stored(services, shard, *query);
  if (!listed) co_return std::unexpected(listed.error());
  co_return show(*listed, *query);
}

}  // namespace millrace::api
