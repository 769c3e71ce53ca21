// GET /api/events/…: one event, the listing, the eight access patterns (S0.3, S3.4).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/cursor.h"
#include "api/event_pages.h"
#include "api/event_view.h"
#include "api/events.h"
#include "api/first_error.h"
#include "api/query.h"
#include "api/reads.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "event/keys.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "events";
constexpr std::string_view kQuery = "events.query";
constexpr std::size_t kPageDefault = 50;
// A sort key has all the parts of an event in it, and a cursor the whole of one.
constexpr std::size_t kKeyBytesMax = 4096;

Result<std::size_t> read_limit(const Query& query) {
  const auto limit = query.number("limit", 1, limits::kListLimitMax);
  if (!limit) return std::unexpected(limit.error());
  return limit->value_or(kPageDefault);
}

Error bad_cursor() { return {Errc::bad_query, "query parameter \"cursor\" is none that this listing gave", "cursor"}; }

// "<number>:<text>".
std::string pair_text(std::uint64_t number, std::string_view text) { return fmt::format("{}:{}", number, text); }
std::optional<std::pair<std::uint64_t, std::string>> parse_pair(const std::string& pair) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), number);
  if (error != std::errc() || end == pair.data() + pair.size() || *end != ':') return std::nullopt;
  return std::pair(number, std::string(end + 1, pair.data() + pair.size()));
}

// A cursor belongs to the question that it was given for: elsewhere it names a place that means nothing. Bounds (time,
// sort key) and the page's size are no part of it.
std::string scope_of(const store::EventListing& listing) {
  std::string scope(kListing);
  put_string(scope, listing.tenant.text());
  for (const auto* text : {&listing.type, &listing.source, &listing.subject, &listing.correlation_id}) {
    put_string(scope, text->value_or(""));
  }
  for (const event::ContextPair& pair : listing.context) {
    put_string(scope, pair.key);
    put_string(scope, pair.value);
  }
  return scope;
}
std::string scope_of(const store::EventQuery& query) {
  std::string scope(kQuery);
  put_string(scope, query.tenant.text());
  put_string(scope, event::name_of(query.index));
  put_string(scope, query.partition);
  put_string(scope, query.order == store::Order::ascending ? "asc" : "desc");
  return scope;
}

// The cursor's content; nullopt without one.
Result<std::optional<std::pair<std::uint64_t, std::string>>> read_pair_cursor(const Query& query,
                                                                              std::string_view scope) {
  const auto text = query.text("cursor", 2 * kKeyBytesMax);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  const auto content = read_cursor(scope, **text);
  auto pair = content ? parse_pair(*content) : std::nullopt;
  if (!pair) return std::unexpected(bad_cursor());
  return pair;
}

// A filter that is there says something: by nothing, everything would be listed.
Result<std::optional<std::string>> read_filter(const http::Request& request, std::string_view name,
                                               std::size_t bytes_max) {
  for (const auto& [key, value] : request.target.query) {
    if (key == name && value.empty()) {
      return fail(Errc::bad_query, fmt::format("query parameter \"{}\" must not be empty", name), std::string(name));
    }
  }
  return Query(request.target.query).text(name, bytes_max);
}

std::vector<event::ContextPair> read_context(const http::Request& request) {
  constexpr std::string_view kPrefix = "context.";
  std::vector<event::ContextPair> pairs;
  for (const auto& [name, value] : request.target.query) {
    if (name.starts_with(kPrefix)) pairs.push_back({name.substr(kPrefix.size()), value});
  }
  return pairs;
}

Result<store::EventListing> read_listing(const http::Request& request, const store::Horizon& horizon) {
  const Query query(request.target.query);
  FirstError error;
  store::EventListing listing{.tenant = caller_of(request).tenant, .horizon = horizon};
  listing.type = error.take(read_filter(request, "type", limits::kEventTypeBytesMax));
  listing.source = error.take(read_filter(request, "source", limits::kEventSourceBytesMax));
  listing.subject = error.take(read_filter(request, "subject", limits::kEventSubjectBytesMax));
  listing.correlation_id = error.take(read_filter(request, "correlationId", limits::kCorrelationIdBytesMax));
  listing.context = read_context(request);
  listing.from = error.take(query.time("from"));
  listing.to = error.take(query.time("to"));
  listing.limit = error.take(read_limit(query));
  const auto cursor = error.take(read_pair_cursor(query, scope_of(listing)));
  if (std::ranges::any_of(listing.context, [](const event::ContextPair& pair) { return pair.key.empty(); })) {
    error.refuse({Errc::bad_query, "a context filter is context.KEY=VALUE, and KEY must not be empty", "context"});
  }
  if (listing.context.size() > limits::kContextPairsMax) {
    error.refuse({Errc::bad_query, fmt::format("at most {} context filters", limits::kContextPairsMax), "context"});
  }
  if (error.failed()) return error.give();
  if (cursor) {
    const auto rest = parse_pair(cursor->second + ":");
    if (!rest) return std::unexpected(bad_cursor());
    listing.before = {.time = time_from_ms(static_cast<std::int64_t>(cursor->first)),
                      .position = Position{rest->first}};
  }
  return listing;
}

// The bounds of the sort key: skPrefix, or skFrom/skAfter and skTo/skBefore.
Result<store::SortRange> read_sort(const Query& query) {
  FirstError error;
  const auto take = [&](std::string_view name) { return error.take(query.text(name, kKeyBytesMax)); };
  const auto prefix = take("skPrefix");
  const auto from = take("skFrom");
  const auto after = take("skAfter");
  const auto to = take("skTo");
  const auto before = take("skBefore");
  if (error.failed()) return error.give();
  if (from && after)
    return fail(Errc::bad_query, "give skFrom (inclusive) or skAfter (exclusive), not both", "skAfter");
  if (to && before) return fail(Errc::bad_query, "give skTo (inclusive) or skBefore (exclusive), not both", "skBefore");
  store::SortRange range;
  if (from) range.from = store::SortBound{*from, true};
  if (after) range.from = store::SortBound{*after, false};
  if (to) range.to = store::SortBound{*to, true};
  if (before) range.to = store::SortBound{*before, false};
  return prefix ? store::narrowed(store::starting_with(*prefix), range) : range;
}

Result<store::Order> read_order(const Query& query) {
  const auto text = query.text("order", 10);
  if (!text) return std::unexpected(text.error());
  if (!*text || **text == "asc") return store::Order::ascending;
  if (**text == "desc") return store::Order::descending;
  return fail(Errc::bad_query, "query parameter \"order\" must be asc or desc", "order");
}

Result<event::Index> read_index(const Query& query) {
  const auto text = query.text("index", 10);
  if (!text) return std::unexpected(text.error());
  const auto index = event::parse_index((*text).value_or("table"));
  if (!index) return fail(Errc::bad_query, "query parameter \"index\" must be table or GSI1 to GSI7", "index");
  return *index;
}

Result<store::EventQuery> read_query(const http::Request& request, const store::Horizon& horizon) {
  const Query query(request.target.query);
  FirstError error;
  store::EventQuery wanted{.tenant = caller_of(request).tenant, .horizon = horizon};
  wanted.index = error.take(read_index(query));
  wanted.partition = error.take(query.required_text("pk", kKeyBytesMax));
  wanted.sort = error.take(read_sort(query));
  wanted.order = error.take(read_order(query));
  wanted.limit = error.take(read_limit(query));
  auto cursor = error.take(read_pair_cursor(query, scope_of(wanted)));
  if (error.failed()) return error.give();
  if (cursor) wanted.after = {.sort = std::move(cursor->second), .position = Position{cursor->first}};
  return wanted;
}

// ?resolve=true brings the fields back that are in the blob store (S0.9).
Async<Result<void>> resolve_if_asked(Services& services, const http::Request& request,
                                     std::vector<event::Record>& events, LostBlob lost) {
  const Result<std::optional<bool>> asked = Query(request.target.query).boolean("resolve");
  if (!asked) co_return std::unexpected(asked.error());
  if (!asked->value_or(false) || events.empty()) co_return Result<void>();
  co_return co_await resolve_events(services.blobs, events, lost);
}

Error unknown_event() { return {Errc::not_found, "there is no event with this id; it may have expired"}; }

}  // namespace

Async<Result<event::Record>> find_event(Services& services, const http::Request& request) {
  const TenantId tenant = caller_of(request).tenant;
  const std::optional<ShardId> shard = services.engine.shard_of(tenant);
  if (!shard) co_return std::unexpected(unknown_event());
  auto found = co_await read_point(services, [&store = services.engine.store(), shard = *shard, tenant,
                                              id = request.param("id"), horizon = horizon_of(services)] {
    const std::optional<std::uint64_t> tsid = parse_tsid(id);
    auto record = tsid ? store.event_by_tsid(shard, tenant, *tsid, horizon) : std::nullopt;
    return record ? std::move(record) : store.event_by_id(shard, tenant, id, horizon);
  });
  if (!found) co_return std::unexpected(unknown_event());
  co_return *std::move(found);
}

Async<Answer> get_event(Services& services, http::Request& request) {
  const Result<event::Envelope> format = read_format(request);
  if (!format) co_return std::unexpected(format.error());
  Result<event::Record> found = co_await find_event(services, request);
  if (!found) co_return std::unexpected(found.error());
  std::vector<event::Record> events{*std::move(found)};
  const Result<void> resolved = co_await resolve_if_asked(services, request, events, LostBlob::refused);
  if (!resolved) co_return std::unexpected(resolved.error());
  http::Response response = respond(200, [&](json::Writer& out) { write_event(out, events.front(), *format); });
  response.content_type = media_type_of(*format);
  co_return response;
}

Async<Answer> list_events(Services& services, http::Request& request) {
  const Result<event::Envelope> format = read_format(request);
  if (!format) co_return std::unexpected(format.error());
  const Result<store::EventListing> listing = read_listing(request, horizon_of(services));
  if (!listing) co_return std::unexpected(listing.error());
  const std::optional<ShardId> shard = services.engine.shard_of(listing->tenant);
  if (!shard) co_return event_list({}, *format, std::nullopt);
  store::EventList found =
      co_await read_range(services, [&store = services.engine.store(), shard = *shard, listing = *listing] {
        return list_events_bounded(store, shard, listing);
      });
  const Result<void> resolved = co_await resolve_if_asked(services, request, found.events, LostBlob::shown);
  if (!resolved) co_return std::unexpected(resolved.error());
  std::optional<std::string> next;
  if (found.next) {
    next = make_cursor(scope_of(*listing), pair_text(static_cast<std::uint64_t>(to_ms(found.next->time)),
                                                     std::to_string(found.next->position.value)));
  }
  co_return event_list(found.events, *format, next);
}

Async<Answer> query_events(Services& services, http::Request& request) {
  const Result<event::Envelope> format = read_format(request);
  if (!format) co_return std::unexpected(format.error());
  const Result<store::EventQuery> query = read_query(request, horizon_of(services));
  if (!query) co_return std::unexpected(query.error());
  const std::optional<ShardId> shard = services.engine.shard_of(query->tenant);
  if (!shard) co_return event_list({}, *format, std::nullopt);
  store::EventPage page =
      co_await read_range(services, [&store = services.engine.store(), shard = *shard, query = *query] {
        return query_events_bounded(store, shard, query);
      });
  const Result<void> resolved = co_await resolve_if_asked(services, request, page.events, LostBlob::shown);
  if (!resolved) co_return std::unexpected(resolved.error());
  std::optional<std::string> next;
  if (page.next) next = make_cursor(scope_of(*query), pair_text(page.next->position.value, page.next->sort));
  co_return event_list(page.events, *format, next);
}

}  // namespace millrace::api
