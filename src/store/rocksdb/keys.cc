#include "store/rocksdb/keys.h"

#include <fmt/format.h>

#include "base/assert.h"

namespace millrace::store::rocks {
namespace {

constexpr std::size_t kNumberBytes = 8;

// Negative times sort before positive ones.
void put_time_be(std::string& out, Time time) {
  put_u64_be(out, static_cast<std::uint64_t>(to_ms(time)) ^ (std::uint64_t{1} << 63));
}

Time take_time_be(std::string_view bytes) {
  return time_from_ms(static_cast<std::int64_t>(ByteReader(bytes).u64_be() ^ (std::uint64_t{1} << 63)));
}

void put_queue(std::string& out, const queue::QueueKey& queue) {
  put_name(out, queue.tenant.text());
  put_name(out, queue.name);
}

std::string_view take(std::string_view& rest, std::size_t bytes) {
  if (rest.size() < bytes) throw CorruptRecord("key ends early");
  const auto taken = rest.substr(0, bytes);
  rest.remove_prefix(bytes);
  return taken;
}

std::string_view take_name(std::string_view& rest) {
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) throw CorruptRecord("key without the end of a name");
  const auto name = take(rest, end);
  rest.remove_prefix(1);
  return name;
}

ItemName take_item(std::string_view rest) {
  const auto tenant = take_name(rest);
  const auto queue = take_name(rest);
  const auto id = take(rest, kNumberBytes);
  if (!rest.empty()) throw CorruptRecord("key is longer than it should be");
  return {tenant, queue, ItemId{ByteReader(id).u64_be()}};
}

}  // namespace

void put_name(std::string& out, std::string_view name) {
  MR_ASSERT(name.find('\0') == std::string_view::npos, "a NUL in a name would make keys ambiguous");
  out.append(name).push_back('\0');
}

std::string shard_prefix(ShardId shard) {
  std::string out;
  out.reserve(64);  // most keys fit: one allocation each
  put_u16_be(out, shard.value);
  return out;
}

std::string tenant_prefix(ShardId shard, const TenantId& tenant) {
  auto out = shard_prefix(shard);
  put_name(out, tenant.text());
  return out;
}

std::string queue_prefix(ShardId shard, const queue::QueueKey& queue) {
  auto out = shard_prefix(shard);
  put_queue(out, queue);
  return out;
}

std::string status_prefix(ShardId shard, const queue::QueueKey& queue, queue::Status status) {
  auto out = queue_prefix(shard, queue);
  put_u8(out, static_cast<std::uint8_t>(status));
  return out;
}

std::string tag_prefix(ShardId shard, const queue::QueueKey& queue, std::string_view tag) {
  auto out = queue_prefix(shard, queue);
  put_name(out, tag);
  return out;
}

std::string with_id(std::string prefix, ItemId id) {
  put_u64_be(prefix, id.value);
  return prefix;
}

std::string item_key(ShardId shard, const queue::QueueKey& queue, ItemId id) {
  return with_id(queue_prefix(shard, queue), id);
}

std::string time_prefix(ShardId shard, Time time) {
  auto out = shard_prefix(shard);
  put_time_be(out, time);
  return out;
}

std::string timed_item_key(ShardId shard, Time time, const queue::QueueKey& queue, ItemId id) {
  auto out = time_prefix(shard, time);
  put_queue(out, queue);
  return with_id(std::move(out), id);
}

std::string dedup_key(ShardId shard, const shard::DedupKey& key) {
  auto out = tenant_prefix(shard, key.tenant);
  put_u8(out, static_cast<std::uint8_t>(key.kind));
  return out += key.key;
}

std::string expiry_prefix(Time expires) {
  std::string out;
  put_time_be(out, expires);
  return out;
}

std::string dedup_expiry_key(Time expires, std::string_view row) { return expiry_prefix(expires).append(row); }

std::string counters_key(ShardId shard, const TenantId& tenant) { return tenant_prefix(shard, tenant); }

std::string document_key(ShardId shard, std::string_view kind, std::string_view key) {
  auto out = shard_prefix(shard);
  put_name(out, kind);
  return out += key;
}

std::string audit_key(ShardId shard, const TenantId& tenant, AuditSeq seq) {
  auto out = tenant_prefix(shard, tenant);
  put_u64_be(out, seq.value);
  return out;
}

std::string worker_key(ShardId shard, const queue::QueueKey& queue, std::string_view worker) {
  return queue_prefix(shard, queue).append(worker);
}

std::string shard_time_key(ShardId shard) {
  std::string out(kShardTimePrefix);
  put_u16_be(out, shard.value);
  return out;
}

std::string members_parked_key(ShardId shard) {
  std::string out("members_parked/");
  put_u16_be(out, shard.value);
  return out;
}

std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  MR_ASSERT(!prefix.empty(), "a prefix of 0xff alone has no end");
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

ItemName parse_item_key(std::string_view key) {
  take(key, kShardBytes);
  return take_item(key);
}

ItemName parse_timed_item_key(std::string_view key) {
  take(key, kShardBytes + kNumberBytes);
  return take_item(key);
}

Time parse_item_time(std::string_view key) {
  take(key, kShardBytes);
  return take_time_be(take(key, kNumberBytes));
}

ItemId last_id(std::string_view key) {
  if (key.size() < kNumberBytes) throw CorruptRecord("key ends early");
  return ItemId{ByteReader(key.substr(key.size() - kNumberBytes)).u64_be()};
}

ShardId parse_shard_time_key(std::string_view key) {
  take(key, kShardTimePrefix.size());
  return ShardId{ByteReader(key).u16_be()};
}

ExpiryEntry parse_dedup_expiry_key(std::string_view key) {
  const auto expires = take(key, kNumberBytes);
  return {take_time_be(expires), key};
}

std::string_view parse_counters_key(std::string_view key) {
  take(key, kShardBytes);
  return take_name(key);
}

DocumentName parse_document_key(std::string_view key) {
  take(key, kShardBytes);
  const auto kind = take_name(key);
  return {kind, key};
}

WorkerName parse_worker_key(std::string_view key) {
  take(key, kShardBytes);
  const auto tenant = take_name(key);
  const auto queue = take_name(key);
  return {tenant, queue, key};
}

std::string printable(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c > 0x20 && c < 0x7f) {
      out.push_back(c);
    } else {
      out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
    }
  }
  return out;
}

}  // namespace millrace::store::rocks
