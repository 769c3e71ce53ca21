// The event log by position, and single events.
#include <algorithm>

#include "store/event_codec.h"
#include "store/rocksdb/event_entries.h"
#include "store/rocksdb/events.h"
#include "store/rocksdb/reads.h"

namespace millrace::store::rocks {
namespace {

std::optional<event::Record> read_visible(View& view, ShardId shard, const TenantId& tenant, Position position,
                                          const Horizon& horizon) {
  return read_events_at(view, shard, tenant, {&position, 1}, horizon).front();
}

// TSIDs rise with positions, so the log is its own index: the first event at or after `tsid`.
class TsidSearch {
 public:
  TsidSearch(View& view, ShardId shard, const TenantId& tenant)
      : prefix_(tenant_prefix(shard, tenant)),
        end_(after_prefix(prefix_)),
        lower_(slice(prefix_)),
        upper_(slice(end_)),
        at_(view.iterate(Table::events, &lower_, &upper_)) {}

  std::optional<Position> find(std::uint64_t tsid) {
    at_->SeekToLast();
    if (!valid()) return std::nullopt;
    std::uint64_t low = 0;  // everything up to it is below
    std::uint64_t high = position().value;
    if (glance().tsid < tsid) return std::nullopt;
    while (low + 1 < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      at_->Seek(with_position(prefix_, Position{middle}));
      if (!valid()) return std::nullopt;
      // Positions between `middle` and the one found are gone: they are neither here nor there.
      if (glance().tsid >= tsid) {
        high = middle;
      } else {
        low = position().value;
      }
    }
    at_->Seek(with_position(prefix_, Position{high}));
    if (!valid() || glance().tsid != tsid) return std::nullopt;
    return position();
  }

 private:
  bool valid() const {
    check(*at_, Table::events);
    return at_->Valid();
  }
  Position position() const { return last_position_of(rocks::view(at_->key())); }
  EventGlance glance() const {
    return decoded(Table::events, rocks::view(at_->key()), [&] { return glance_at_event(rocks::view(at_->value())); });
  }

  std::string prefix_;
  std::string end_;
  rocksdb::Slice lower_;
  rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> at_;
};

// The oldest events of each tenant, as long as they were received before. Returns the key of the first.
std::string add_received_before(View& view, std::string from, ShardId shard, const Horizon& horizon, std::size_t limit,
                                std::vector<event::Record>& out) {
  const std::string end = after_prefix(shard_prefix(shard));
  std::string first;
  while (!from.empty() && out.size() < limit) {
    std::string next_tenant;
    view.scan(Table::events, from, end, [&](auto key, auto value) {
      const EventName name = parse_event_key(key);
      const TenantId tenant = TenantId::trusted(std::string(name.tenant));
      const EventGlance glance = glance_at_event(value);
      if (glance.received >= *horizon.received_before) {
        next_tenant = after_prefix(tenant_prefix(shard, tenant));
        return false;
      }
      if (first.empty()) first = key;
      const bool listed = glance.expires && *glance.expires <= horizon.now;  // by its own time, already
      if (!listed) out.push_back(decode_event(tenant, name.position, value, RestOf::nothing));
      return out.size() < limit;
    });
    from = std::move(next_tenant);
  }
  return first;
}

}  // namespace

LogPage read_event_log(View& view, ShardId shard, const LogQuery& query) {
  LogPage page{.events = {}, .through = query.after};
  std::size_t left = query.limit + kEventScanMax;
  const auto wanted = [&](const EventGlance& glance) {
    if (query.horizon.hides(glance.expires, glance.received)) return false;
    return query.types.empty() || std::ranges::find(query.types, glance.type) != query.types.end();
  };
  view.scan(Table::events, event_key(shard, query.tenant, Position{query.after.value + 1}),
            after_prefix(tenant_prefix(shard, query.tenant)), [&](auto key, auto value) {
              if (page.events.size() == query.limit || left-- == 0) {
                page.more = true;
                return false;
              }
              page.through = last_position_of(key);
              if (wanted(glance_at_event(value))) {
                page.events.push_back(decode_event(query.tenant, page.through, value));
              }
              return true;
            });
  return page;
}

std::vector<std::optional<event::Record>> read_events_at(View& view, ShardId shard, const TenantId& tenant,
                                                         std::span<const Position> positions, const Horizon& horizon) {
  std::vector<std::string> keys;
  keys.reserve(positions.size());
  for (const Position position : positions) keys.push_back(event_key(shard, tenant, position));
  const auto values = view.get_all(Table::events, keys);
  std::vector<std::optional<event::Record>> out(positions.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!values[i]) continue;
    out[i] = decoded(Table::events, keys[i], [&] { return decode_event(tenant, positions[i], *values[i]); });
    if (horizon.hides(*out[i])) out[i].reset();
  }
  return out;
}

std::optional<event::Record> read_event_by_id(View& view, ShardId shard, const TenantId& tenant,
                                              const std::string& event_id, const Horizon& horizon) {
  const shard::DedupKey key{tenant, shard::DedupKind::event_id, event_id};
  const auto row = read_dedup(view, shard, {&key, 1}).front();
  if (!row) return std::nullopt;
  return read_visible(view, shard, tenant, Position{row->made}, horizon);
}

std::optional<event::Record> read_event_by_tsid(View& view, ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                                const Horizon& horizon) {
  const auto position = TsidSearch(view, shard, tenant).find(tsid);
  if (!position) return std::nullopt;
  return read_visible(view, shard, tenant, *position, horizon);
}

Position read_last_position(View& view, ShardId shard, const TenantId& tenant) {
  const auto key = counters_key(shard, tenant);
  const auto bytes = view.get(Table::counters, key);
  if (!bytes) return {};
  return decoded(Table::counters, key, [&] { return Position{decode_counters(tenant.text(), *bytes).last_position}; });
}

std::vector<event::Record> read_expired_events(View& view, Fronts& fronts, ShardId shard, const Horizon& horizon,
                                               std::size_t limit) {
  std::vector<event::Record> out;
  if (limit == 0) return out;
  std::string from = fronts.of(Table::event_expiry, shard);
  std::string first;
  view.scan(Table::event_expiry, from, time_prefix(shard, horizon.now + Millis(1)), [&](auto key, auto) {
    if (first.empty()) first = key;
    const EventName name = parse_event_expiry_key(key);
    const TenantId tenant = TenantId::trusted(std::string(name.tenant));
    const std::string row = event_key(shard, tenant, name.position);
    const auto bytes = view.get(Table::events, row);
    if (!bytes) throw_damaged(Table::event_expiry, key, "names an event that is not there");
    out.push_back(decode_event(tenant, name.position, *bytes, RestOf::nothing));
    return out.size() < limit;
  });
  std::string from_log = fronts.of(Table::events, shard);
  std::string first_of_log;
  if (horizon.received_before && out.size() < limit) {
    first_of_log = add_received_before(view, from_log, shard, horizon, limit, out);
  }
  // Both are kept while rounds are full, also where one of them found nothing more.
  const auto next = [&](std::string& begun, std::string& found) {
    if (out.size() < limit) return std::string();
    return std::move(found.empty() ? begun : found);
  };
  fronts.note(Table::event_expiry, shard, next(from, first));
  fronts.note(Table::events, shard, next(from_log, first_of_log));
  return out;
}

}  // namespace millrace::store::rocks
