#include "store/postgres/records.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/digest.h"

namespace millrace::store::postgres {
namespace {

// A stored number as the enum it was; anything else was written by another program.
template <class E>
E read_enum(std::int16_t number, E last) {
  if (number < 0 || number > static_cast<std::int16_t>(last)) throw WireError("a stored number names no state");
  return static_cast<E>(number);
}

template <class T, class Make>
std::shared_ptr<const T> share(absl::flat_hash_map<std::string, std::shared_ptr<const T>>& pool, std::string_view name,
                               Make make) {
  const auto found = pool.find(absl::string_view(name.data(), name.size()));
  if (found != pool.end()) return found->second;
  return pool.emplace(name, make()).first->second;
}

}  // namespace

std::string array_literal(const std::vector<std::string>& texts) {
  std::string out = "{";
  for (const std::string& text : texts) {
    out += out.size() > 1 ? ",\"" : "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

Uuid lane_digest(const queue::LaneKey& key, const queue::RetryPolicy& retry, std::uint32_t max_retries) {
  std::string bytes;
  put_string(bytes, key.queue.tenant.text());
  put_string(bytes, key.queue.name);
  put_string(bytes, key.bus);
  put_varint(bytes, key.tags.size());
  for (const std::string& tag : key.tags) put_string(bytes, tag);
  put_u8(bytes, static_cast<std::uint8_t>(retry.kind));
  put_u8(bytes, retry.jitter ? 1 : 0);
  put_zigzag(bytes, retry.base.count());
  put_zigzag(bytes, retry.cap.count());
  put_varint(bytes, max_retries);
  const std::string digest = sha256(bytes);
  Uuid uuid;
  std::copy_n(digest.begin(), uuid.size(), uuid.begin());
  return uuid;
}

const Lane* Pool::find_lane(const Uuid& digest) const {
  const auto found = lanes_.find(digest);
  return found == lanes_.end() ? nullptr : found->second.get();
}

const Lane& Pool::keep_lane(const Uuid& digest, Lane lane) {
  return *lanes_.try_emplace(digest, std::make_unique<const Lane>(std::move(lane))).first->second;
}

std::shared_ptr<const queue::GroupKey> Pool::group(std::string_view name, queue::GroupMode mode) {
  return share(groups_[static_cast<std::size_t>(mode)], name, [&] {
    return std::make_shared<const queue::GroupKey>(queue::GroupKey{.name = std::string(name), .mode = mode});
  });
}

std::shared_ptr<const std::string> Pool::worker(std::string_view name) {
  return share(workers_, name, [&] { return std::make_shared<const std::string>(name); });
}

Uuid read_state(Row& row, Pool& pool, queue::ItemRecord& record) {
  const Uuid lane = row.uuid();
  record.id = ItemId{row.u64()};
  record.placement = read_enum(static_cast<std::int16_t>(row.i16() / 10), queue::Placement::done);
  record.status = read_enum(row.i16(), queue::Status::cancelled);
  record.priority = row.i32();
  record.retry_count = static_cast<std::uint32_t>(row.i32());
  record.attempt = static_cast<std::uint32_t>(row.i32());
  record.retry_wait = row.boolean();
  record.due = row.time();
  record.updated = row.time();
  record.parked_at = row.maybe(&Row::time).value_or(Time{});
  record.lease.token = LeaseToken{row.maybe(&Row::u64).value_or(0)};
  record.lease.until = row.maybe(&Row::time).value_or(Time{});
  if (const auto worker = row.maybe(&Row::view)) record.lease.worker = pool.worker(*worker);
  const auto mode = row.maybe(&Row::i16);
  const auto group = row.maybe(&Row::view);
  if (mode && group) record.group = pool.group(*group, read_enum(*mode, queue::GroupMode::block_on_error));
  return lane;
}

void set_lane(queue::ItemRecord& record, const Lane& lane) {
  record.lane = lane.key;
  record.retry = lane.retry;
  record.max_retries = lane.max_retries;
}

Lane read_lane(Row& row) {
  queue::LaneKey key{
      .queue = {.tenant = TenantId::trusted(row.text()), .name = row.text()}, .bus = row.text(), .tags = row.texts()};
  Lane lane{.key = std::make_shared<const queue::LaneKey>(std::move(key)), .retry = {}};
  lane.max_retries = static_cast<std::uint32_t>(row.i32());
  lane.retry.kind = read_enum(row.i16(), queue::Backoff::exponential);
  lane.retry.jitter = row.boolean();
  lane.retry.base = Millis(row.i64());
  lane.retry.cap = Millis(row.i64());
  return lane;
}

queue::ItemRecord read_item(Row& row, Pool& pool) {
  queue::ItemRecord record;
  const Uuid digest = read_state(row, pool, record);
  const Lane* known = pool.find_lane(digest);
  Lane lane = read_lane(row);
  set_lane(record, known != nullptr ? *known : pool.keep_lane(digest, std::move(lane)));
  return record;
}

std::shared_ptr<const queue::Body> read_body(Row& row) {
  auto body = std::make_shared<queue::Body>();
  body->title = row.text();
  body->description = row.maybe(&Row::text);
  body->tags = row.text();
  body->payload = row.text();
  body->created = row.time();
  return body;
}

queue::LogEntry read_log_entry(Row& row) {
  queue::LogEntry entry;
  entry.id = LogId{row.u64()};
  entry.item = ItemId{row.u64()};
  entry.action = read_enum(row.i16(), queue::Action::cancelled);
  entry.attempt = static_cast<std::uint32_t>(row.i32());
  entry.token = LeaseToken{row.u64()};
  entry.worker = row.text();
  entry.created = row.time();
  entry.status_code = row.maybe(&Row::i64);
  entry.execution_time_ms = row.maybe(&Row::i64);
  entry.error_message = row.maybe(&Row::text);
  entry.reason = row.maybe(&Row::text);
  entry.next_retry_at = row.maybe(&Row::time);
  entry.retry_count = static_cast<std::uint32_t>(row.i32());
  return entry;
}

shard::DedupRecord read_dedup(Row& row) {
  shard::DedupKey key{.tenant = TenantId::trusted(row.text()),
                      .kind = read_enum(row.i16(), shard::DedupKind::job_id),
                      .key = row.text()};
  // Braces evaluate from left to right, in the order of the columns.
  return {.key = std::move(key), .made = row.u64(), .fingerprint = row.text(), .expires = row.time()};
}

shard::AuditRecord read_audit(Row& row) {
  return {.tenant = TenantId::trusted(row.text()),
          .seq = AuditSeq{row.u64()},
          .time = row.time(),
          .actor = row.text(),
          .action = row.text(),
          .entity_type = row.text(),
          .entity_id = row.text(),
          .correlation_id = row.text(),
          .values = row.maybe(&Row::text).value_or(""),
          .values_digest = row.text(),
          .previous_hash = row.text(),
          .hash = row.text()};
}

event::Record read_event(Row& row) {
  event::Record record{.tenant = TenantId::trusted(row.text()),
                       .position = Position{row.u64()},
                       .tsid = row.u64(),
                       .received = row.time(),
                       .header = {},
                       .rest = nullptr};
  event::Header& header = record.header;
  header.expires = row.maybe(&Row::time);
  header.time = row.time();
  for (std::string* text :
       {&header.event_id, &header.type, &header.source, &header.subject, &header.bus, &header.correlation_id,
        &header.causation_id, &header.message_group, &header.app, &header.entity_type, &header.entity_id}) {
    *text = row.text();
  }
  std::vector<std::string> context = row.texts();
  for (std::size_t i = 0; i + 1 < context.size(); i += 2) {
    header.context.push_back({std::move(context[i]), std::move(context[i + 1])});
  }
  return record;
}

}  // namespace millrace::store::postgres
