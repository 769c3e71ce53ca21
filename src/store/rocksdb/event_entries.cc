#include "store/rocksdb/event_entries.h"

#include "base/assert.h"
#include "store/rocksdb/keys.h"
#include "store/stored_keys.h"

namespace millrace::store::rocks {
namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t number_before_end(std::string_view key, std::size_t numbers) {
  const std::size_t back = numbers * kNumberBytes;
  if (key.size() < back) throw CorruptRecord("key ends early");
  return ByteReader(key.substr(key.size() - back)).u64_be();
}

EventName parse_name(std::string_view key, std::size_t before) {
  const std::size_t end = key.find('\0', before);
  if (end == std::string_view::npos || key.size() != end + 1 + kNumberBytes) {
    throw CorruptRecord("key is not that of an event");
  }
  return {key.substr(before, end - before), last_position_of(key)};
}

}  // namespace

std::string event_key(ShardId shard, const TenantId& tenant, Position position) {
  return with_position(tenant_prefix(shard, tenant), position);
}

std::string event_expiry_key(ShardId shard, Time expires, const TenantId& tenant, Position position) {
  std::string out = time_prefix(shard, expires);
  put_name(out, tenant.text());
  return with_position(std::move(out), position);
}

std::string pattern_prefix(ShardId shard, const TenantId& tenant, event::Index index, std::string_view partition) {
  std::string out = tenant_prefix(shard, tenant);
  put_u8(out, static_cast<std::uint8_t>(index));
  put_name(out, partition);
  return out;
}

std::string pattern_entry(ShardId shard, const TenantId& tenant, event::Index index, const event::Header& header) {
  const event::Key key = stored_key(tenant, header, index);
  MR_ASSERT(key.sort.find('\0') == std::string::npos, "a NUL in a sort key would end it early");
  return pattern_prefix(shard, tenant, index, key.partition).append(key.sort);
}

std::string facet_prefix(ShardId shard, const TenantId& tenant, Facet facet, std::string_view value) {
  std::string out = tenant_prefix(shard, tenant);
  put_u8(out, static_cast<std::uint8_t>(facet));
  put_name(out, value);
  return out;
}

std::string context_prefix(ShardId shard, const TenantId& tenant, const event::ContextPair& pair) {
  std::string out = facet_prefix(shard, tenant, Facet::context, pair.key);
  put_name(out, pair.value);
  return out;
}

std::string with_position(std::string prefix, Position position) {
  put_u64_be(prefix, position.value);
  return prefix;
}

std::string with_time(std::string prefix, Time time) {
  put_u64_be(prefix, static_cast<std::uint64_t>(to_ms(time)) ^ kSign);
  return prefix;
}

Position last_position_of(std::string_view key) { return Position{number_before_end(key, 1)}; }

EventListing::Cursor listing_place(std::string_view key) {
  return {time_from_ms(static_cast<std::int64_t>(number_before_end(key, 2) ^ kSign)), last_position_of(key)};
}

std::string_view sort_of(std::string_view key, std::size_t prefix_bytes) {
  if (key.size() < prefix_bytes + kNumberBytes) throw CorruptRecord("key ends early");
  return key.substr(prefix_bytes, key.size() - prefix_bytes - kNumberBytes);
}

EventName parse_event_key(std::string_view key) { return parse_name(key, kShardBytes); }
EventName parse_event_expiry_key(std::string_view key) { return parse_name(key, kShardBytes + kNumberBytes); }

}  // namespace millrace::store::rocks
