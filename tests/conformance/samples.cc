#include "conformance/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/digest.h"

namespace millrace::store::conformance {
namespace {

template <class T>
std::string maybe(const std::optional<T>& value) {
  return value ? fmt::format("'{}'", *value) : "absent";
}

std::string describe(const std::shared_ptr<const queue::Body>& body) {
  return body ? conformance::describe(*body) : "no body";
}

}  // namespace

TenantId tenant(std::string_view name) { return TenantId::trusted(std::string(name)); }

queue::QueueKey queue_of(std::string_view tenant_name, std::string_view name) {
  return {tenant(tenant_name), std::string(name)};
}

queue::ItemRecord make_item(const queue::QueueKey& queue, std::uint64_t id, std::vector<std::string> tags) {
  std::ranges::sort(tags);
  queue::ItemRecord record;
  record.lane = std::make_shared<const queue::LaneKey>(queue::LaneKey{queue, "default", std::move(tags)});
  record.id = ItemId{id};
  record.due = at(0);
  record.updated = at(0);
  return record;
}

queue::ItemRecord finished(queue::ItemRecord record, queue::Status status, Time updated) {
  record.status = status;
  record.placement = queue::Placement::done;
  record.parked_at = {};
  record.updated = updated;
  return record;
}

queue::ItemRecord parked(queue::ItemRecord record, Time at) {
  record.placement = queue::Placement::parked;
  record.parked_at = at;
  return record;
}

std::shared_ptr<const queue::Body> make_body(std::string title, std::string payload) {
  return std::make_shared<const queue::Body>(
      queue::Body{std::move(title), "a description", "tag,other", std::move(payload), at(0)});
}

shard::ItemWrite created(queue::ItemRecord record, std::shared_ptr<const queue::Body> body) {
  return {std::move(record), std::move(body), std::nullopt};
}

shard::PriorItem prior_of(const queue::ItemRecord& record) {
  return {record.placement, record.status, record.parked_at, record.updated};
}

shard::ItemWrite changed(const queue::ItemRecord& before, queue::ItemRecord after) {
  return {std::move(after), nullptr, prior_of(before)};
}

shard::LogWrite logged(const queue::ItemRecord& record, std::uint64_t log_id, queue::Action action, Time created) {
  queue::LogEntry entry;
  entry.id = LogId{log_id};
  entry.item = record.id;
  entry.action = action;
  entry.attempt = record.attempt;
  entry.token = record.lease.token;
  entry.created = created;
  return {record.lane->queue, entry};
}

shard::DedupRecord dedup_row(const TenantId& tenant, std::string key, std::uint64_t made, Time expires) {
  return {{tenant, shard::DedupKind::idempotency_key, std::move(key)}, made, sha256("a request"), expires};
}

shard::AuditRecord audit_entry(const TenantId& tenant, std::uint64_t seq, Time time) {
  shard::AuditRecord record{.tenant = tenant, .seq = AuditSeq{seq}, .time = time};
  record.actor = "cli";
  record.action = "millrace.key.created";
  record.entity_type = "millrace.key";
  record.entity_id = fmt::format("key-{}", seq);
  record.correlation_id = "c-1";
  record.values = R"({"name":"ключ"})";
  record.values_digest = sha256(record.values);
  record.previous_hash = seq == 1 ? "" : sha256("previous");
  record.hash = shard::audit_hash(record);
  return record;
}

std::string describe(const queue::ItemRecord& r) {
  const auto group = r.group ? fmt::format("'{}'/{}", r.group->name, static_cast<int>(r.group->mode)) : "none";
  const auto worker = r.lease.worker ? fmt::format("'{}'", *r.lease.worker) : "nobody";
  return fmt::format(
      "item {}/{}/{} bus '{}' tags [{}] group {} retry {}/{}/{}/{} priority {} max {} status {} placement {} wait {} "
      "failed {} attempt {} due {} updated {} parked {} lease {}/{}/{}",
      r.lane->queue.tenant.text(), r.lane->queue.name, r.id.value, r.lane->bus, fmt::join(r.lane->tags, "|"), group,
      static_cast<int>(r.retry.kind), r.retry.jitter, r.retry.base.count(), r.retry.cap.count(), r.priority,
      r.max_retries, static_cast<int>(r.status), static_cast<int>(r.placement), r.retry_wait, r.retry_count, r.attempt,
      to_ms(r.due), to_ms(r.updated), to_ms(r.parked_at), r.lease.token.value, to_ms(r.lease.until), worker);
}

std::string describe(const queue::Body& body) {
  return fmt::format("body '{}' description {} tags '{}' created {} payload '{}'", body.title, maybe(body.description),
                     body.tags, to_ms(body.created), body.payload);
}

std::string describe(const queue::LogEntry& e) {
  std::optional<std::int64_t> retry;
  if (e.next_retry_at) retry = to_ms(*e.next_retry_at);
  return fmt::format(
      "log {} of {} action {} attempt {} token {} worker '{}' created {} code {} took {} error {} "
      "reason {} retry {} failed {}",
      e.id.value, e.item.value, static_cast<int>(e.action), e.attempt, e.token.value, e.worker, to_ms(e.created),
      maybe(e.status_code), maybe(e.execution_time_ms), maybe(e.error_message), maybe(e.reason), maybe(retry),
      e.retry_count);
}

std::string describe(const shard::DedupRecord& record) {
  return fmt::format("dedup {}/{}/'{}' made {} fingerprint {} expires {}", record.key.tenant.text(),
                     static_cast<int>(record.key.kind), record.key.key, record.made, to_hex(record.fingerprint),
                     to_ms(record.expires));
}

std::string describe(const shard::TenantCounters& c) {
  auto text =
      fmt::format("counters {} item {} log {} position {} audit {}/{} tsid {} removed {}", c.tenant.text(), c.last_item,
                  c.last_log, c.last_position, c.last_audit, to_hex(c.audit_hash), c.last_tsid, c.last_removed);
  auto queues = c.queues;  // their order means nothing
  std::ranges::sort(queues, {}, &shard::QueueCounts::queue);
  for (const auto& counts : queues) text += fmt::format(" {}={}", counts.queue, fmt::join(counts.by_status, "/"));
  return text;
}

std::string describe(const shard::Document& document) {
  return fmt::format("document {}/'{}' of {} version {} updated {}: {}", document.kind, document.key,
                     document.tenant.text(), document.version, to_ms(document.updated), document.body);
}

std::string describe(const shard::AuditRecord& r) {
  return fmt::format("audit {}/{} at {} by '{}' {} {}/'{}' correlation '{}' values '{}' digest {} previous {} hash {}",
                     r.tenant.text(), r.seq.value, to_ms(r.time), r.actor, r.action, r.entity_type, r.entity_id,
                     r.correlation_id, r.values, to_hex(r.values_digest), to_hex(r.previous_hash), to_hex(r.hash));
}

std::string describe(const shard::WorkerRecord& worker) {
  return fmt::format("worker {}/{}/'{}' seen {}", worker.queue.tenant.text(), worker.queue.name, worker.worker,
                     to_ms(worker.last_seen));
}

std::string describe(const shard::ParkedGroup& group) {
  return fmt::format("{} {} group {} mode {} items {} to {} from {}", group.queue.tenant.text(), group.queue.name,
                     group.group.name, static_cast<int>(group.group.mode), group.first.value, group.last.value,
                     to_ms(group.parked_at));
}

std::string describe(const ItemView& item) { return describe(item.record) + " " + describe(item.body); }

}  // namespace millrace::store::conformance
