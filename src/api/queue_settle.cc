// How it went: start, heartbeat, complete, fail, settle, reset (S4.4 to S4.7, S4.10, S4.16).
#include <fmt/format.h>

#include "api/ask.h"
#include "api/claimed.h"
#include "api/payload_overflow.h"
#include "api/query.h"
#include "api/queue.h"
#include "api/queue_outcomes.h"
#include "api/queue_view.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

Async<Answer> touch(Services& services, http::Request& request, shard::Touch::Kind kind) {
  const Result<ItemId> item = item_in_path(request);
  if (!item) co_return std::unexpected(item.error());
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  Result<shard::Holder> holder = read_holder(*body, *item);
  if (!holder) co_return std::unexpected(std::move(holder.error()));
  const ShardId shard = shard_of_caller(services, request);
  shard::Touch command{
      .queue = queue_of_caller(request), .holder = *std::move(holder), .kind = kind, .lease = services.queue.lease};
  const Result<shard::Touched> touched = co_await ask<shard::Touched>(services.engine, shard, std::move(command));
  if (!touched) co_return std::unexpected(touched.error());
  co_return respond(200, [&](json::Writer& out) { write_touched(out, *touched, kind); });
}

Async<Answer> end_item(Services& services, http::Request& request, Verdict verdict) {
  const Result<ItemId> item = item_in_path(request);
  if (!item) co_return std::unexpected(item.error());
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  Result<shard::Outcome> outcome = read_outcome(*body, *item, verdict);
  if (!outcome) co_return std::unexpected(std::move(outcome.error()));
  const ShardId shard = shard_of_caller(services, request);

  shard::Settle command{.queue = queue_of_caller(request), .outcomes = {}, .claim = {}};
  command.outcomes.push_back(*std::move(outcome));
  const Result<shard::Settled> settled = co_await ask<shard::Settled>(services.engine, shard, std::move(command));
  if (!settled) co_return std::unexpected(settled.error());
  MR_ASSERT(settled->outcomes.size() == 1, "one outcome, one answer");
  const Result<shard::OutcomeRecorded>& ended = settled->outcomes.front();
  if (!ended) co_return std::unexpected(ended.error());
  co_return respond(outcome_status(ended), [&](json::Writer& out) {
    out.begin_object();
    write_outcome_members(out, ended);
    out.end_object();
  });
}

struct Settlement {
  const std::vector<ItemId>& ids;
  const shard::Settled& settled;
  const Bodies& bodies;
};

http::Response show(const Settlement& all) {
  return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("results");
    out.begin_array();
    for (std::size_t i = 0; i < all.ids.size(); ++i) {
      out.begin_object();
      out.member("id", all.ids[i]);
      out.member("status", outcome_status(all.settled.outcomes[i]));
      write_outcome_members(out, all.settled.outcomes[i]);
      out.end_object();
    }
    out.end_array();
    out.key("events");
    out.begin_array();
    for (std::size_t i = 0; i < all.bodies.size(); ++i) write_claimed(out, all.settled.claimed[i], *all.bodies[i]);
    out.end_array();
    out.end_object();
  });
}

std::vector<ItemId> ids_of(const std::vector<shard::Outcome>& outcomes) {
  std::vector<ItemId> ids;
  ids.reserve(outcomes.size());
  for (const shard::Outcome& outcome : outcomes) ids.push_back(outcome.holder.item);
  return ids;
}

}  // namespace

std::unexpected<Error> unknown_item(std::string_view id) {
  return fail(Errc::not_found, fmt::format("there is no event {}", id.substr(0, 40)));
}

Result<ItemId> item_in_path(const http::Request& request) {
  const std::string& text = request.param("id");
  const std::optional<ItemId> id = parse_item_id(text);
  if (!id) return unknown_item(text);
  return *id;
}

Async<Answer> start_item(Services& services, http::Request& request) {
  return touch(services, request, shard::Touch::Kind::start);
}
Async<Answer> heartbeat_item(Services& services, http::Request& request) {
  return touch(services, request, shard::Touch::Kind::heartbeat);
}
Async<Answer> complete_item(Services& services, http::Request& request) {
  return end_item(services, request, Verdict::complete);
}
Async<Answer> fail_item(Services& services, http::Request& request) {
  return end_item(services, request, Verdict::fail);
}

Async<Answer> settle_items(Services& services, http::Request& request) {
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  const queue::QueueKey queue = queue_of_caller(request);
  Result<SettleRequest> wanted = read_settle(*body, queue, services.queue);
  if (!wanted) co_return std::unexpected(std::move(wanted.error()));
  const Result<PayloadForm> form = read_payload_form(request);
  if (!form) co_return std::unexpected(form.error());
  const ShardId shard = shard_of_caller(services, request);

  const std::vector<ItemId> ids = ids_of(wanted->outcomes);
  const bool claims = wanted->claim.has_value();
  const Asked asked = claims && wanted->claim->wait > Millis(0) ? Asked::to_wait : Asked::at_once;
  const bool waits = asked == Asked::to_wait || (claims && services.engine.may_hold());
  shard::Settle command{.queue = queue, .outcomes = std::move(wanted->outcomes), .claim = std::move(wanted->claim)};
  const Result<shard::Settled> settled =
      waits ? answer_of<shard::Settled>(co_await ask_held(services, shard, std::move(command), request, asked))
            : co_await ask<shard::Settled>(services.engine, shard, std::move(command));
  if (!settled) co_return std::unexpected(settled.error());
  MR_ASSERT(settled->outcomes.size() == ids.size(), "every outcome has its answer");
  const auto bodies = co_await bodies_or_release(services, shard, queue, settled->claimed, request);
  const Bodies none;
  co_return show({ids, *settled, bodies ? *bodies : none});
}

Async<Answer> reset_item(Services& services, http::Request& request) {
  const Result<ItemId> item = item_in_path(request);
  if (!item) co_return std::unexpected(item.error());
  const Result<std::optional<std::string>> reason = Query(request.target.query).text("reason", limits::kReasonBytesMax);
  if (!reason) co_return std::unexpected(reason.error());
  const ShardId shard = shard_of_caller(services, request);
  shard::Reset command{.queue = queue_of_caller(request), .item = *item, .reason = reason->value_or("")};
  const Result<shard::Recorded> recorded = co_await ask<shard::Recorded>(services.engine, shard, std::move(command));
  if (!recorded) co_return std::unexpected(recorded.error());
  co_return respond(200, [&](json::Writer& out) { write_recorded(out, recorded->entry); });
}

}  // namespace millrace::api
