// POST /events: one item or many (S4.1, S4.12, S4.16).
#include <fmt/format.h>

#include "api/ask.h"
#include "api/payload_overflow.h"
#include "api/queue.h"
#include "api/queue_new_items.h"
#include "api/queue_view.h"
#include "api/reads.h"

namespace millrace::api {
namespace {

struct Shown {
  queue::ItemRecord record;
  std::shared_ptr<const queue::Body> body;
};

// The answer has the payload that was sent, wherever it is kept.
Shown show_new(shard::CreatedItem& item, std::string moved) {
  if (moved.empty()) return {std::move(item.record), std::move(item.body)};
  auto whole = std::make_shared<queue::Body>(*item.body);
  whole->payload = std::move(moved);
  return {std::move(item.record), std::move(whole)};
}

// An item that an idempotency key made before is shown as it is now. The shard found it a moment ago.
Async<Result<Shown>> show_stored(Services& services, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                 std::string key_field) {
  auto found = co_await read_point(
      services, [&store = services.engine.store(), shard, queue, id] { return store.item(shard, queue, id); });
  if (!found) {
    std::string detail =
        fmt::format("the item that the {} made expired this moment; whatever is new was created", key_field);
    co_return fail(Errc::conflict, std::move(detail), std::move(key_field));  // a 503 would invite to repeat it
  }
  Bodies body{std::move(found->body)};
  co_await inline_payloads(services, queue.tenant, PayloadForm::inlined, body);
  co_return Shown{std::move(found->record), std::move(body.front())};
}

void write_items(json::Writer& out, const std::vector<Shown>& items) {
  for (const Shown& item : items) {
    out.begin_object();
    write_item_members(out, item.record, *item.body);
    out.end_object();
  }
}

}  // namespace

Async<Answer> create_items(Services& services, http::Request& request) {
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  Result<CreateRequest> wanted = read_create(*body, services.queue, services.clock.now());
  if (!wanted) co_return std::unexpected(std::move(wanted.error()));
  const std::optional<ShardId> known = known_shard(services, request);
  const Result<ShardId> shard = known ? *known : co_await register_caller(services, request);
  if (!shard) co_return std::unexpected(shard.error());

  const queue::QueueKey queue = queue_of_caller(request);
  std::vector<std::string> moved;  // payloads, by the items' order; empty if none was
  if (any_is_large(services, wanted->items)) moved = co_await move_large_payloads(services, queue, wanted->items);
  shard::Create command{.queue = queue, .items = std::move(wanted->items)};
  Result<shard::Created> created = co_await ask<shard::Created>(services.engine, *shard, std::move(command));
  if (!created) co_return std::unexpected(std::move(created.error()));

  bool any_new = false;
  std::vector<Shown> shown;
  shown.reserve(created->items.size());
  for (std::size_t i = 0; i < created->items.size(); ++i) {
    shard::CreatedItem& item = created->items[i];
    any_new = any_new || !item.existing;
    if (!item.existing) {
      shown.push_back(show_new(item, moved.empty() ? std::string() : std::move(moved[i])));
      continue;
    }
    const std::string place = wanted->is_array ? json::element_path("", i) + "." : "";
    Result<Shown> stored = co_await show_stored(services, *shard, queue, item.id, place + "idempotency_key");
    if (!stored) co_return std::unexpected(std::move(stored.error()));
    shown.push_back(*std::move(stored));
  }
  std::size_t bytes = 0;
  for (const Shown& item : shown) bytes += shown_bytes(*item.body);
  const auto write = [&](json::Writer& out) {
    if (wanted->is_array) out.begin_array();
    write_items(out, shown);
    if (wanted->is_array) out.end_array();
  };
  co_return respond(any_new ? 201 : 200, write, bytes);
}

}  // namespace millrace::api
