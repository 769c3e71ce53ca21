// The keys of the event log's tables. An index entry is
//
//   shard tenant kind partition sort position           for the eight access patterns (kinds 0 to 7), see stored_keys.h
//   shard tenant kind [value] time position             for the listing, by one thing that it filters by
//
// Partition and values end with NUL, which they do not hold. A sort key needs no end: a position is below 2^56, so
// its first byte is a NUL that ends the sort key.
#pragma once

#include <string>
#include <string_view>

#include "event/event.h"
#include "event/keys.h"
#include "store/event_query.h"
#include "store/rocksdb/keys.h"

namespace millrace::store::rocks {

std::string event_key(ShardId shard, const TenantId& tenant, Position position);
std::string event_expiry_key(ShardId shard, Time expires, const TenantId& tenant, Position position);

// Every entry of the partition begins with it.
std::string pattern_prefix(ShardId shard, const TenantId& tenant, event::Index index, std::string_view partition);

// What a listing can be driven by. The numbers are stored.
enum class Facet : std::uint8_t { all = 16, type = 17, source = 18, subject = 19, correlation_id = 20, context = 21 };
std::string facet_prefix(ShardId shard, const TenantId& tenant, Facet facet, std::string_view value);
// Of a context pair; a key holds no NUL either.
std::string context_prefix(ShardId shard, const TenantId& tenant, const event::ContextPair& pair);

// What follows the prefixes.
std::string with_position(std::string prefix, Position position);
std::string with_time(std::string prefix, Time time);

// Calls add(key) for every index entry of an event.
template <class Add>
void for_each_entry(ShardId shard, const TenantId& tenant, Position position, const event::Header& header, Add add);

// Taking apart; all throw CorruptRecord.
Position last_position_of(std::string_view key);
EventListing::Cursor listing_place(std::string_view key);
// The sort key of an entry whose prefix has this many bytes.
std::string_view sort_of(std::string_view key, std::size_t prefix_bytes);
struct EventName {
  std::string_view tenant;
  Position position;
};
EventName parse_event_key(std::string_view key);
EventName parse_event_expiry_key(std::string_view key);

std::string pattern_entry(ShardId shard, const TenantId& tenant, event::Index index, const event::Header& header);

template <class Add>
void for_each_entry(ShardId shard, const TenantId& tenant, Position position, const event::Header& header, Add add) {
  for (std::size_t i = 0; i < event::kIndexes; ++i) {
    add(with_position(pattern_entry(shard, tenant, static_cast<event::Index>(i), header), position));
  }
  const auto add_facet = [&](std::string prefix) {
    add(with_position(with_time(std::move(prefix), header.time), position));
  };
  add_facet(facet_prefix(shard, tenant, Facet::all, {}));
  add_facet(facet_prefix(shard, tenant, Facet::type, header.type));
  add_facet(facet_prefix(shard, tenant, Facet::source, header.source));
  if (!header.subject.empty()) add_facet(facet_prefix(shard, tenant, Facet::subject, header.subject));
  if (!header.correlation_id.empty()) {
    add_facet(facet_prefix(shard, tenant, Facet::correlation_id, header.correlation_id));
  }
  for (const event::ContextPair& pair : header.context) add_facet(context_prefix(shard, tenant, pair));
}

}  // namespace millrace::store::rocks
