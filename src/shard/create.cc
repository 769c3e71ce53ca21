// Create: items with their due time, and at most one item an idempotency key.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "shard/impl.h"

namespace millrace::shard {
namespace {

DedupKey dedup_key(const Create& command, const NewItem& item) {
  return {command.queue.tenant, DedupKind::idempotency_key, *item.idempotency_key};
}

Error key_reused(const NewItem& item) {
  return {Errc::conflict,
          fmt::format("{} \"{}\" was used with another body; send the same body or another key", item.key_field,
                      *item.idempotency_key),
          item.key_field};
}

Error item_gone(const NewItem& item) {
  return {Errc::conflict,
          fmt::format("the item that the {} made has expired; nothing was done, send another key", item.key_field),
          item.key_field};
}

// What each item of the call turns out to be.
struct Known {
  std::optional<ItemId> stored;        // made by an earlier call
  std::optional<std::size_t> earlier;  // the same as this item of the call
};

}  // namespace

std::optional<Need> Shard::Impl::run(Step& step, Create& command) {
  Need need;
  for (const NewItem& item : command.items) {
    if (item.idempotency_key) need.dedup.push_back(dedup_key(command, item));
  }
  if (!need.empty() && step.facts == nullptr) return need;

  std::vector<Known> known(command.items.size());
  absl::flat_hash_map<std::string_view, std::size_t> in_call;
  for (std::size_t i = 0; i < command.items.size(); ++i) {
    const NewItem& item = command.items[i];
    if (!item.idempotency_key) continue;
    const auto* row = step.dedup(dedup_key(command, item));
    if (row != nullptr && *row && (*row)->expires > now) {
      if ((*row)->fingerprint != item.fingerprint) return answer(step, key_reused(item)), std::nullopt;
      known[i].stored = ItemId{(*row)->made};
      continue;
    }
    const auto [first, is_new] = in_call.emplace(*item.idempotency_key, i);
    if (is_new) continue;
    if (command.items[first->second].fingerprint != item.fingerprint) {
      return answer(step, key_reused(item)), std::nullopt;
    }
    known[i].earlier = first->second;
  }

  // What a key made may have expired since. All items or none: that is known before anything is created.
  bool missing = false;  // where one is, all are asked for again: facts answer one Need, not those before it
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i].stored || items.find(command.queue, *known[i].stored) != kNoSlot) continue;
    const ItemRef made{command.queue, *known[i].stored};
    const auto* history = step.history(made);
    if (history != nullptr && !*history) return answer(step, item_gone(command.items[i])), std::nullopt;
    missing = missing || history == nullptr;
    need.items.push_back(made);
  }
  need.logs = false;
  if (missing) return need;

  Created created;
  created.items.reserve(command.items.size());
  for (std::size_t i = 0; i < command.items.size(); ++i) {
    if (known[i].stored) {
      created.items.push_back({.id = *known[i].stored, .existing = true});
    } else if (known[i].earlier) {
      created.items.push_back({.id = created.items[*known[i].earlier].id, .existing = true});
    } else {
      created.items.push_back(create_one(command.queue, command.items[i], step.effects));
    }
  }
  answer(step, std::move(created));
  return std::nullopt;
}

CreatedItem Shard::Impl::create_one(const queue::QueueKey& queue, NewItem& item, Effects& effects) {
  TenantState& owner = tenant(queue.tenant);
  queue::ItemRecord record;
  record.lane = items.ready().shared_key({queue, std::move(item.bus), std::move(item.tags)});
  if (item.group) record.group = std::make_shared<const queue::GroupKey>(std::move(*item.group));
  record.id = ItemId{++owner.counters.last_item};
  record.retry = item.retry;
  record.priority = item.priority;
  record.max_retries = item.max_retries;
  record.due = item.run_at.value_or(now);
  record.updated = now;
  item.body->created = now;

  count_change(queue, std::nullopt, queue::Status::pending);
  if (must_park(record, effects)) {
    record.placement = queue::Placement::parked;
    record.parked_at = queue::keeps_order(record) ? now : record.due;
  } else {
    items.admit(record, now);
  }
  if (item.idempotency_key) {
    const DedupKey key{queue.tenant, DedupKind::idempotency_key, *item.idempotency_key};
    watch.changed(key);
    effects.batch.dedup.push_back({key, record.id.value, item.fingerprint, now + options.idempotency_window});
  }
  watch.changed(queue, record.id);
  effects.batch.items.push_back({record, item.body, std::nullopt});
  return {.id = record.id, .record = std::move(record), .body = std::move(item.body)};
}

}  // namespace millrace::shard
