#include "shard/event_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace millrace::shard {

DedupKey event_id_key(const TenantId& tenant, const event::Header& header) {
  return {tenant, DedupKind::event_id, header.event_id};
}

DedupKey source_and_id_key(const TenantId& tenant, const event::Header& header) {
  return {tenant, DedupKind::source_and_id,
          fmt::format("{}:{} {}", header.source.size(), header.source, header.event_id)};
}

DedupKey deduplication_key(const TenantId& tenant, std::string deduplication_id) {
  return {tenant, DedupKind::deduplication_id, std::move(deduplication_id)};
}

Time id_known_until(const event::Header& header, Time received, Millis at_least) {
  return header.expires ? std::max(*header.expires, received + at_least) : kNever;
}

}  // namespace millrace::shard
