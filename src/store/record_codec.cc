#include "store/record_codec.h"

#include <fmt/format.h>

#include <limits>

namespace millrace::store {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kCountersVersion = 2;  // 1: without last_removed

// Bits of an item's third byte, above the two of its placement.
constexpr std::uint8_t kPlacementBits = 0b11;
constexpr std::uint8_t kRetryWait = 1 << 2;
constexpr std::uint8_t kHasGroup = 1 << 3;
constexpr std::uint8_t kHasWorker = 1 << 4;
constexpr std::uint8_t kJitter = 1 << 5;
constexpr std::uint8_t kExponential = 1 << 6;

ByteReader open_value(std::string_view bytes, std::uint8_t expected = kVersion) {
  ByteReader reader(bytes);
  if (const auto version = reader.u8(); version != expected) {
    throw CorruptRecord(fmt::format("record of version {}, this program knows {}", version, expected));
  }
  return reader;
}

void close_value(const ByteReader& reader) {
  if (!reader.done()) throw CorruptRecord("record is longer than it should be");
}

template <class Enum>
Enum checked(std::uint8_t number, Enum last) {
  if (number > static_cast<std::uint8_t>(last)) throw CorruptRecord("number outside of its kind");
  return static_cast<Enum>(number);
}

template <class Narrow, class Wide>
Narrow narrow(Wide value) {
  if (!std::in_range<Narrow>(value)) throw CorruptRecord("number too large");
  return static_cast<Narrow>(value);
}

void put_time(std::string& out, Time t) { put_zigzag(out, to_ms(t)); }
Time take_time(ByteReader& reader) { return time_from_ms(reader.zigzag()); }

void put_bool(std::string& out, bool v) { put_u8(out, v ? 1 : 0); }
bool take_bool(ByteReader& reader) { return checked(reader.u8(), std::uint8_t{1}) == 1; }

void put_maybe(std::string& out, const std::optional<std::string>& v) {
  put_bool(out, v.has_value());
  if (v) put_string(out, *v);
}
std::optional<std::string> take_maybe_string(ByteReader& reader) {
  if (!take_bool(reader)) return std::nullopt;
  return std::string(reader.string());
}

void put_maybe(std::string& out, const std::optional<std::int64_t>& v) {
  put_bool(out, v.has_value());
  if (v) put_zigzag(out, *v);
}
std::optional<std::int64_t> take_maybe_number(ByteReader& reader) {
  if (!take_bool(reader)) return std::nullopt;
  return reader.zigzag();
}

void put_lane(std::string& out, const queue::LaneKey& lane) {
  std::string encoded;
  put_string(encoded, lane.bus);
  for (const auto& tag : lane.tags) put_string(encoded, tag);
  put_string(out, encoded);
}

queue::LaneKey make_lane(std::string_view tenant, std::string_view queue, std::string_view encoded) {
  ByteReader reader(encoded);
  queue::LaneKey lane{{TenantId::trusted(std::string(tenant)), std::string(queue)}, std::string(reader.string()), {}};
  while (!reader.done()) lane.tags.emplace_back(reader.string());
  return lane;
}

queue::GroupKey make_group(std::string_view encoded) {
  ByteReader reader(encoded);
  const auto mode = checked(reader.u8(), queue::GroupMode::block_on_error);
  return {std::string(reader.string()), mode};
}

std::uint8_t item_flags(const queue::ItemRecord& record) {
  auto flags = static_cast<unsigned>(record.placement);
  if (record.retry_wait) flags |= kRetryWait;
  if (record.group) flags |= kHasGroup;
  if (record.lease.worker) flags |= kHasWorker;
  if (record.retry.jitter) flags |= kJitter;
  if (record.retry.kind == queue::Backoff::exponential) flags |= kExponential;
  return static_cast<std::uint8_t>(flags);
}

}  // namespace

template <class T>
template <class Make>
std::shared_ptr<const T> Interner::Pool<T>::find(std::string_view bytes, Make make) {
  if (last && bytes == last_bytes) return last;
  auto [at, added] = by_bytes.try_emplace(absl::string_view(bytes.data(), bytes.size()));
  if (added) at->second = std::make_shared<const T>(make());
  last_bytes = bytes;
  last = at->second;
  return last;
}

std::shared_ptr<const queue::LaneKey> Interner::lane(std::string_view tenant, std::string_view queue,
                                                     std::string_view encoded) {
  // Names hold no NUL, so no two lanes give the same bytes.
  lane_bytes_.assign(tenant).append(1, '\0').append(queue).append(1, '\0').append(encoded);
  return lanes_.find(lane_bytes_, [&] { return make_lane(tenant, queue, encoded); });
}

std::shared_ptr<const queue::GroupKey> Interner::group(std::string_view encoded) {
  return groups_.find(encoded, [&] { return make_group(encoded); });
}

std::shared_ptr<const std::string> Interner::worker(std::string_view name) {
  return workers_.find(name, [&] { return std::string(name); });
}

void encode_item(std::string& out, const queue::ItemRecord& record) {
  put_u8(out, kVersion);
  put_u8(out, static_cast<std::uint8_t>(record.status));
  put_u8(out, item_flags(record));
  put_lane(out, *record.lane);
  if (record.group) {
    std::string encoded;
    put_u8(encoded, static_cast<std::uint8_t>(record.group->mode));
    put_string(encoded, record.group->name);
    put_string(out, encoded);
  }
  put_zigzag(out, record.retry.base.count());
  put_zigzag(out, record.retry.cap.count());
  put_zigzag(out, record.priority);
  put_varint(out, record.max_retries);
  put_varint(out, record.retry_count);
  put_varint(out, record.attempt);
  put_time(out, record.due);
  put_time(out, record.updated);
  put_varint(out, record.lease.token.value);
  put_time(out, record.lease.until);
  if (record.lease.worker) put_string(out, *record.lease.worker);
}

queue::ItemRecord decode_item(const ItemName& name, std::string_view bytes, Interner& interner) {
  ByteReader reader = open_value(bytes);
  queue::ItemRecord record;
  record.id = name.id;
  record.status = checked(reader.u8(), queue::Status::cancelled);
  const std::uint8_t flags = reader.u8();
  record.placement = checked(flags & kPlacementBits, queue::Placement::done);
  record.retry_wait = (flags & kRetryWait) != 0;
  record.lane = interner.lane(name.tenant, name.queue, reader.string());
  if ((flags & kHasGroup) != 0) record.group = interner.group(reader.string());
  record.retry.kind = (flags & kExponential) != 0 ? queue::Backoff::exponential : queue::Backoff::fixed;
  record.retry.jitter = (flags & kJitter) != 0;
  record.retry.base = Millis(reader.zigzag());
  record.retry.cap = Millis(reader.zigzag());
  record.priority = narrow<std::int32_t>(reader.zigzag());
  record.max_retries = narrow<std::uint32_t>(reader.varint());
  record.retry_count = narrow<std::uint32_t>(reader.varint());
  record.attempt = narrow<std::uint32_t>(reader.varint());
  record.due = take_time(reader);
  record.updated = take_time(reader);
  record.lease.token.value = reader.varint();
  record.lease.until = take_time(reader);
  if ((flags & kHasWorker) != 0) record.lease.worker = interner.worker(reader.string());
  close_value(reader);
  return record;
}

queue::Status peek_status(std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  return checked(reader.u8(), queue::Status::cancelled);
}

void encode_parked_ref(std::string& out, const ParkedRef& ref) {
  put_u8(out, kVersion);
  put_u8(out, static_cast<std::uint8_t>(ref.status));
  put_time(out, ref.parked_at);
}

ParkedRef decode_parked_ref(std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  const auto status = checked(reader.u8(), queue::Status::cancelled);
  const ParkedRef ref{status, take_time(reader)};
  close_value(reader);
  return ref;
}

void encode_body(std::string& out, const queue::Body& body) {
  put_u8(out, kVersion);
  put_string(out, body.title);
  put_maybe(out, body.description);
  put_string(out, body.tags);
  put_time(out, body.created);
  put_string(out, body.payload);
}

queue::Body decode_body(std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  queue::Body body;
  body.title = reader.string();
  body.description = take_maybe_string(reader);
  body.tags = reader.string();
  body.created = take_time(reader);
  body.payload = reader.string();
  close_value(reader);
  return body;
}

void encode_log_entry(std::string& out, const queue::LogEntry& entry) {
  put_u8(out, kVersion);
  put_u8(out, static_cast<std::uint8_t>(entry.action));
  put_varint(out, entry.attempt);
  put_varint(out, entry.token.value);
  put_string(out, entry.worker);
  put_time(out, entry.created);
  put_maybe(out, entry.status_code);
  put_maybe(out, entry.execution_time_ms);
  put_maybe(out, entry.error_message);
  put_maybe(out, entry.reason);
  put_bool(out, entry.next_retry_at.has_value());
  if (entry.next_retry_at) put_time(out, *entry.next_retry_at);
  put_varint(out, entry.retry_count);
}

queue::LogEntry decode_log_entry(ItemId item, LogId id, std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  queue::LogEntry entry;
  entry.id = id;
  entry.item = item;
  entry.action = checked(reader.u8(), queue::Action::cancelled);
  entry.attempt = narrow<std::uint32_t>(reader.varint());
  entry.token.value = reader.varint();
  entry.worker = reader.string();
  entry.created = take_time(reader);
  entry.status_code = take_maybe_number(reader);
  entry.execution_time_ms = take_maybe_number(reader);
  entry.error_message = take_maybe_string(reader);
  entry.reason = take_maybe_string(reader);
  if (take_bool(reader)) entry.next_retry_at = take_time(reader);
  entry.retry_count = narrow<std::uint32_t>(reader.varint());
  close_value(reader);
  return entry;
}

void encode_dedup(std::string& out, const shard::DedupRecord& record) {
  put_u8(out, kVersion);
  put_varint(out, record.made);
  put_string(out, record.fingerprint);
  put_time(out, record.expires);
}

shard::DedupRecord decode_dedup(const shard::DedupKey& key, std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  shard::DedupRecord record{.key = key};
  record.made = reader.varint();
  record.fingerprint = reader.string();
  record.expires = take_time(reader);
  close_value(reader);
  return record;
}

void encode_counters(std::string& out, const shard::TenantCounters& counters) {
  put_u8(out, kCountersVersion);
  put_varint(out, counters.last_item);
  put_varint(out, counters.last_log);
  put_varint(out, counters.last_position);
  put_varint(out, counters.last_audit);
  put_string(out, counters.audit_hash);
  put_varint(out, counters.last_tsid);
  put_varint(out, counters.queues.size());
  for (const auto& counts : counters.queues) {
    put_string(out, counts.queue);
    for (const auto count : counts.by_status) put_varint(out, count);
  }
  put_varint(out, counters.last_removed);
}

shard::TenantCounters decode_counters(std::string_view tenant, std::string_view bytes) {
  const bool early = bytes.starts_with(static_cast<char>(kVersion));
  ByteReader reader = open_value(bytes, early ? kVersion : kCountersVersion);
  shard::TenantCounters counters{.tenant = TenantId::trusted(std::string(tenant))};
  counters.last_item = reader.varint();
  counters.last_log = reader.varint();
  counters.last_position = reader.varint();
  counters.last_audit = reader.varint();
  counters.audit_hash = reader.string();
  counters.last_tsid = reader.varint();
  for (auto left = reader.varint(); left > 0; --left) {
    auto& counts = counters.queues.emplace_back();
    counts.queue = reader.string();
    for (auto& count : counts.by_status) count = reader.varint();
  }
  if (!early) counters.last_removed = reader.varint();
  close_value(reader);
  return counters;
}

void encode_document(std::string& out, const shard::Document& document) {
  put_u8(out, kVersion);
  put_string(out, document.tenant.text());
  put_varint(out, document.version);
  put_time(out, document.updated);
  put_string(out, document.body);
}

shard::Document decode_document(std::string_view kind, std::string_view key, std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  shard::Document document{
      .kind = std::string(kind), .key = std::string(key), .tenant = TenantId::trusted(std::string(reader.string()))};
  document.version = reader.varint();
  document.updated = take_time(reader);
  document.body = reader.string();
  close_value(reader);
  return document;
}

void encode_audit(std::string& out, const shard::AuditRecord& record) {
  put_u8(out, kVersion);
  put_time(out, record.time);
  for (const std::string* field :
       {&record.actor, &record.action, &record.entity_type, &record.entity_id, &record.correlation_id, &record.values,
        &record.values_digest, &record.previous_hash, &record.hash}) {
    put_string(out, *field);
  }
}

shard::AuditRecord decode_audit(std::string_view tenant, AuditSeq seq, std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  shard::AuditRecord record{.tenant = TenantId::trusted(std::string(tenant)), .seq = seq};
  record.time = take_time(reader);
  for (std::string* field :
       {&record.actor, &record.action, &record.entity_type, &record.entity_id, &record.correlation_id, &record.values,
        &record.values_digest, &record.previous_hash, &record.hash}) {
    *field = reader.string();
  }
  close_value(reader);
  return record;
}

void encode_time(std::string& out, Time time) {
  put_u8(out, kVersion);
  put_time(out, time);
}

Time decode_time(std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  const Time time = take_time(reader);
  close_value(reader);
  return time;
}

void encode_number(std::string& out, std::uint64_t number) {
  put_u8(out, kVersion);
  put_varint(out, number);
}

std::uint64_t decode_number(std::string_view bytes) {
  ByteReader reader = open_value(bytes);
  const auto number = reader.varint();
  close_value(reader);
  return number;
}

}  // namespace millrace::store
