#include "conformance/workload.h"

#include <algorithm>

namespace millrace::store::conformance {
namespace {

using queue::Placement;
using queue::Status;

const std::vector<std::string> kTags = {"a", "ab", "b", "ü", "a b", "A"};

}  // namespace

std::vector<ShardId> Workload::shards() { return {ShardId{0}, ShardId{255}, ShardId{256}}; }

// Tenants stay in their shard; names that are each other's beginnings share one.
std::vector<queue::QueueKey> Workload::queues() {
  return {queue_of("a", "q"), queue_of("a", "qq"), queue_of("aa", "q"), queue_of("b", "q"), queue_of("c-1", "events")};
}

ShardId Workload::shard_of(const queue::QueueKey& queue) {
  if (queue.tenant.text().starts_with('a')) return shards()[0];
  return queue.tenant.text() == "b" ? shards()[1] : shards()[2];
}

queue::QueueKey Workload::random_queue() {
  const auto all = queues();
  return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
}

std::vector<std::string> Workload::random_tags() {
  std::vector<std::string> tags;
  std::ranges::sample(kTags, std::back_inserter(tags), below(4), random_);
  return tags;
}

ItemQuery Workload::random_query() {
  ItemQuery query{.queue = random_queue()};
  if (one_in(2)) query.status = static_cast<Status>(below(queue::kStatuses));
  if (one_in(2)) query.any_tags = random_tags();
  if (one_in(3)) query.before = ItemId{static_cast<std::uint64_t>(below(static_cast<std::int64_t>(last_id_) + 2))};
  if (one_in(3)) query.offset = static_cast<std::uint64_t>(below(10));
  query.limit = static_cast<std::size_t>(below(30));
  return query;
}

std::optional<queue::ItemRecord> Workload::random_item(ShardId shard) {
  std::vector<const ItemView*> candidates;
  for (const auto& [address, item] : model_.items()) {
    if (std::get<0>(address) == shard) candidates.push_back(&item);
  }
  if (candidates.empty()) return std::nullopt;
  return candidates[static_cast<std::size_t>(below(static_cast<std::int64_t>(candidates.size())))]->record;
}

void Workload::add_new_item(shard::Batch& batch, const queue::QueueKey& queue) {
  auto record = make_item(queue, ++last_id_, random_tags());
  record.updated = now();
  record.due = at(now_ + below(50));
  record.priority = static_cast<std::int32_t>(below(7) - 3);
  if (one_in(3)) {
    record.group = std::make_shared<const queue::GroupKey>(
        queue::GroupKey{one_in(2) ? "g" : "gg", static_cast<queue::GroupMode>(below(3))});
  }
  if (one_in(4)) record = parked(record, random_time());
  batch.items.push_back(created(record, make_body("title " + std::to_string(last_id_))));
}

// One of the moves that an item can make from where it is.
queue::ItemRecord Workload::moved(queue::ItemRecord record) {
  record.updated = now();
  if (record.placement == Placement::parked) {
    switch (below(3)) {
      case 0:
        return parked(record, random_time());
      case 1:  // stays where it is
        record.due = random_time();
        return record;
      default:
        record.placement = Placement::live;
        record.parked_at = {};
        return record;
    }
  }
  record.lease = {};
  switch (below(6)) {
    case 0:
      record.status = Status::processing;
      record.placement = Placement::live;
      record.lease = {LeaseToken{last_log_ + 1}, at(now_ + 60), std::make_shared<const std::string>("worker")};
      ++record.attempt;
      return record;
    case 1:
      record.status = Status::pending;
      record.due = random_time();
      record.retry_count = static_cast<std::uint32_t>(below(2));
      return parked(record, random_time());
    case 2:
      record.status = Status::failed;  // blocks its group
      record.placement = Placement::live;
      return record;
    case 3:
      record.status = Status::pending;
      record.placement = Placement::live;
      record.retry_wait = true;
      return record;
    default:
      return finished(record, static_cast<Status>(2 + below(3)), now());
  }
}

void Workload::add_move(shard::Batch& batch) {
  const auto before = random_item(batch.shard);
  if (!before) return;
  const auto after = moved(*before);
  batch.items.push_back(changed(*before, after));
  batch.log.push_back(logged(after, ++last_log_, static_cast<queue::Action>(below(8)), now()));
}

void Workload::add_drop(shard::Batch& batch) {
  const auto item = random_item(batch.shard);
  if (item && item->placement == Placement::done) batch.drops.push_back({*item});
}

void Workload::add_records(shard::Batch& batch, const queue::QueueKey& queue) {
  const auto n = static_cast<std::uint64_t>(below(5));
  const auto name = std::to_string(n);
  switch (below(5)) {
    case 0:
      batch.dedup.push_back(dedup_row(queue.tenant, "key" + name, last_id_, random_time()));
      batch.dedup.back().key.kind = static_cast<shard::DedupKind>(below(2));
      return;
    case 1:
      batch.counters.push_back(
          {.tenant = queue.tenant, .last_item = last_id_, .last_log = last_log_, .queues = {{queue.name, {n}}}});
      return;
    case 2:
      batch.documents.push_back({{"kind" + std::to_string(n % 2), name, queue.tenant, n, "{}", now()}, one_in(3)});
      return;
    case 3:
      batch.audit.push_back(audit_entry(queue.tenant, ++last_log_, now()));
      return;
    default:
      batch.workers.push_back({queue, "worker " + name, now()});
  }
}

// The last thing in a batch, as a store applies it.
void Workload::drop_worker(shard::Batch& batch) {
  const auto queue = random_queue();
  if (shard_of(queue) != batch.shard) return;
  const shard::WorkerDrop drop{queue, "worker " + std::to_string(below(5))};
  model_.apply({.shard = batch.shard, .worker_drops = {drop}});
  batch.worker_drops.push_back(drop);
}

std::vector<shard::Batch> Workload::next_group() {
  ++now_;
  std::vector<shard::Batch> group;
  for (const auto shard : shards()) {
    auto& batch = group.emplace_back(shard::Batch{.shard = shard});
    for (auto operations = below(12); operations > 0; --operations) {
      shard::Batch part{.shard = shard};
      const auto queue = random_queue();
      if (one_in(12)) {
        add_drop(part);
      } else if (one_in(2)) {
        add_move(part);
      } else if (shard_of(queue) == shard) {
        one_in(2) ? add_new_item(part, queue) : add_records(part, queue);
      }
      model_.apply(part);
      std::ranges::move(part.items, std::back_inserter(batch.items));
      std::ranges::move(part.drops, std::back_inserter(batch.drops));
      std::ranges::move(part.log, std::back_inserter(batch.log));
      std::ranges::move(part.dedup, std::back_inserter(batch.dedup));
      std::ranges::move(part.counters, std::back_inserter(batch.counters));
      std::ranges::move(part.documents, std::back_inserter(batch.documents));
      std::ranges::move(part.audit, std::back_inserter(batch.audit));
      std::ranges::move(part.workers, std::back_inserter(batch.workers));
    }
    if (one_in(4)) drop_worker(batch);
  }
  return group;
}

}  // namespace millrace::store::conformance
