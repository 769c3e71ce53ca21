// The event log by walking all of it: slow, and easy to believe.
#include <algorithm>
#include <functional>
#include <utility>

#include "store/memory/memory_store.h"

namespace millrace::store {
namespace {

using TenantLog = std::map<Position, shard::EventPtr>;

const TenantLog& log_of(const MemoryDisk& disk, ShardId shard, const TenantId& tenant) {
  static const TenantLog none;
  const auto held = disk.shards.find(shard);
  if (held == disk.shards.end()) return none;
  const auto found = held->second.events.find(tenant);
  return found == held->second.events.end() ? none : found->second;
}

// The first `limit` of what was found, in the order of their places; the last of their places, if there are more.
template <class Place>
std::pair<std::vector<event::Record>, std::optional<Place>> cut(std::vector<std::pair<Place, shard::EventPtr>> found,
                                                                Order order, std::size_t limit) {
  std::ranges::sort(found, [&](const auto& a, const auto& b) {
    return order == Order::ascending ? a.first < b.first : b.first < a.first;
  });
  std::pair<std::vector<event::Record>, std::optional<Place>> page;
  if (found.size() > limit) {
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
    if (limit > 0) page.second = found.back().first;
  }
  for (const auto& [place, event] : found) page.first.push_back(*event);
  return page;
}

}  // namespace

EventPage MemoryStore::events(ShardId shard, const EventQuery& query) {
  const std::scoped_lock lock(disk_->mutex);
  std::vector<std::pair<EventQuery::Cursor, shard::EventPtr>> found;
  for (const auto& [position, event] : log_of(*disk_, shard, query.tenant)) {
    const event::Key key = event::key_of(query.tenant, event->header, query.index);
    if (key.partition != query.partition || !query.sort.contains(key.sort)) continue;
    if (query.horizon.hides(*event)) continue;
    EventQuery::Cursor place{std::string(ordering_part(query.index, key.sort)), position};
    const bool passed =
        query.after && (query.order == Order::ascending ? place <= *query.after : place >= *query.after);
    if (!passed) found.emplace_back(std::move(place), event);
  }
  auto [events, next] = cut(std::move(found), query.order, query.limit);
  return {std::move(events), std::move(next)};
}

EventList MemoryStore::list_events(ShardId shard, const EventListing& listing) {
  const std::scoped_lock lock(disk_->mutex);
  std::vector<std::pair<EventListing::Cursor, shard::EventPtr>> found;
  for (const auto& [position, event] : log_of(*disk_, shard, listing.tenant)) {
    const EventListing::Cursor place{event->header.time, position};
    if (listing.before && place >= *listing.before) continue;
    if (listing.matches(*event)) found.emplace_back(place, event);
  }
  auto [events, next] = cut(std::move(found), Order::descending, listing.limit);
  return {std::move(events), next};
}

LogPage MemoryStore::event_log(ShardId shard, const LogQuery& query) {
  const std::scoped_lock lock(disk_->mutex);
  const TenantLog& log = log_of(*disk_, shard, query.tenant);
  LogPage page{.events = {}, .through = query.after};
  for (auto at = log.upper_bound(query.after); at != log.end(); ++at) {
    if (page.events.size() == query.limit) {
      page.more = true;
      break;
    }
    page.through = at->first;
    const event::Header& header = at->second->header;
    const bool wanted = query.types.empty() || std::ranges::find(query.types, header.type) != query.types.end();
    if (wanted && !query.horizon.hides(*at->second)) page.events.push_back(*at->second);
  }
  return page;
}

std::vector<std::optional<event::Record>> MemoryStore::events_at(ShardId shard, const TenantId& tenant,
                                                                 std::span<const Position> positions,
                                                                 const Horizon& horizon) {
  const std::scoped_lock lock(disk_->mutex);
  const TenantLog& log = log_of(*disk_, shard, tenant);
  std::vector<std::optional<event::Record>> out;
  for (const Position position : positions) {
    const auto found = log.find(position);
    const bool there = found != log.end() && !horizon.hides(*found->second);
    out.push_back(there ? std::optional(*found->second) : std::nullopt);
  }
  return out;
}

std::optional<event::Record> MemoryStore::event_by_id(ShardId shard, const TenantId& tenant,
                                                      const std::string& event_id, const Horizon& horizon) {
  const auto facts = fetch(shard, {.dedup = {{tenant, shard::DedupKind::event_id, event_id}}});
  if (!facts.dedup.front()) return std::nullopt;
  const Position position{facts.dedup.front()->made};
  return events_at(shard, tenant, {&position, 1}, horizon).front();
}

std::optional<event::Record> MemoryStore::event_by_tsid(ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                                        const Horizon& horizon) {
  const std::scoped_lock lock(disk_->mutex);
  for (const auto& [position, event] : log_of(*disk_, shard, tenant)) {
    if (event->tsid == tsid && !horizon.hides(*event)) return *event;
  }
  return std::nullopt;
}

Position MemoryStore::last_position(ShardId shard, const TenantId& tenant) {
  const std::scoped_lock lock(disk_->mutex);
  const auto held = disk_->shards.find(shard);
  if (held == disk_->shards.end()) return {};
  const auto counters = held->second.counters.find(tenant);
  return counters == held->second.counters.end() ? Position{} : Position{counters->second.last_position};
}

std::vector<event::Record> MemoryStore::expired_events(ShardId shard, const Horizon& horizon, std::size_t limit) {
  const std::scoped_lock lock(disk_->mutex);
  std::vector<event::Record> out;
  const auto held = disk_->shards.find(shard);
  if (held == disk_->shards.end()) return out;
  for (const auto& [tenant, log] : held->second.events) {
    for (const auto& [position, event] : log) {
      if (!horizon.hides(*event)) continue;
      if (out.size() == limit) return out;
      out.push_back(*event);
      out.back().rest = nullptr;
    }
  }
  return out;
}

}  // namespace millrace::store
