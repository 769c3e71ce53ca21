#include "postgres/samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"

namespace millrace::test {

queue::QueueKey sample_queue() { return {.tenant = TenantId::default_tenant(), .name = "events"}; }

std::shared_ptr<const queue::LaneKey> sample_lane(std::vector<std::string> tags) {
  return std::make_shared<const queue::LaneKey>(
      queue::LaneKey{.queue = sample_queue(), .bus = "default", .tags = std::move(tags)});
}

shard::ItemWrite new_item(std::uint64_t id, std::vector<std::string> tags) {
  shard::ItemWrite write;
  write.record.lane = sample_lane(std::move(tags));
  write.record.id = ItemId{id};
  write.record.due = kNoon;
  write.record.updated = kNoon;
  write.body = std::make_shared<const queue::Body>(queue::Body{.title = fmt::format("item {}", id),
                                                               .description = std::nullopt,
                                                               .tags = "red",
                                                               .payload = R"({"b":1,"a":"\u0000"})",
                                                               .created = kNoon});
  return write;
}

shard::ItemWrite changed(const queue::ItemRecord& before, const queue::ItemRecord& after) {
  return {.record = after,
          .body = nullptr,
          .prior = shard::PriorItem{.placement = before.placement,
                                    .status = before.status,
                                    .parked_at = before.parked_at,
                                    .updated = before.updated}};
}

queue::ItemRecord leased(queue::ItemRecord record) {
  record.status = queue::Status::processing;
  ++record.attempt;
  record.lease = {.token = LeaseToken{0xfedc'ba98'7654'3210},
                  .until = record.updated + Millis(30'000),
                  .worker = std::make_shared<const std::string>("worker-1")};
  return record;
}

queue::ItemRecord completed(queue::ItemRecord record) {
  record.status = queue::Status::completed;
  record.placement = queue::Placement::done;
  record.lease = {};
  return record;
}

shard::Batch batch_of(std::vector<shard::ItemWrite> items, ShardId shard) {
  shard::Batch batch;
  batch.shard = shard;
  batch.items = std::move(items);
  return batch;
}

store::PostgresOptions quiet_node(const std::string& url, const std::string& node) {
  return {.url = url, .node_id = node, .heartbeat = std::chrono::hours(1), .node_ttl = std::chrono::hours(2)};
}

void let_expire(const std::string& url, const std::string& node) {
  run_sql(url, fmt::format("UPDATE millrace.nodes SET heartbeat = heartbeat - interval '1 day' WHERE node = '{}'; "
                           "NOTIFY millrace_shards",
                           node));
}

void commit(store::Store& store, Epoch epoch, const shard::Batch& batch) { store.commit(epoch, std::span(&batch, 1)); }

Epoch acquire(store::Store& store) { return store.acquire({}).value(); }

std::optional<store::Fate> fate_of_commit(store::Store& store, Epoch epoch, const shard::Batch& batch) {
  try {
    commit(store, epoch, batch);
    return std::nullopt;
  } catch (const store::StoreError& error) {
    return error.fate();
  }
}

std::vector<std::uint64_t> live_ids(store::Store& store) {
  std::vector<std::uint64_t> ids;
  for (const queue::ItemRecord& record : store.load(kShard).live) ids.push_back(record.id.value);
  std::ranges::sort(ids);
  return ids;
}

void await_sql(const std::string& url, const std::string& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (query_text(url, condition) != "true") {
    MR_ASSERT(std::chrono::steady_clock::now() < until, condition.c_str());
  }
}

}  // namespace millrace::test
