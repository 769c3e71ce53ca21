#include "conformance/event_samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

namespace millrace::store::conformance {
namespace {

// More pages than any test has: a cursor that does not move on would never end.
constexpr int kPagesMax = 100'000;

std::string maybe_time(const std::optional<Time>& time) { return time ? fmt::to_string(to_ms(*time)) : "never"; }

}  // namespace

std::uint64_t tsid_of(std::uint64_t position) { return std::uint64_t{0x8123'4567'89ab'0000} + position * 3; }

event::Record make_event(const TenantId& tenant, std::uint64_t position) {
  event::Record event{.tenant = tenant,
                      .position = Position{position},
                      .tsid = tsid_of(position),
                      .received = at(0),
                      .header = {},
                      .rest = std::make_shared<const std::string>(fmt::format(R"({{"data":{}}})", position))};
  event.header.event_id = fmt::format("event-{}", position);
  event.header.type = "order.created";
  event.header.source = "shop";
  event.header.app = "shop";
  event.header.entity_type = "ORDER";
  event.header.entity_id = "7";
  event.header.time = at(0);
  return event;
}

shard::Batch appended(ShardId shard, const std::vector<event::Record>& events) {
  shard::Batch batch{.shard = shard};
  std::map<TenantId, std::uint64_t> last;
  for (const event::Record& event : events) {
    batch.events.push_back(std::make_shared<const event::Record>(event));
    batch.dedup.push_back({{event.tenant, shard::DedupKind::event_id, event.header.event_id},
                           event.position.value,
                           event.header.source,
                           event.header.expires.value_or(kNever)});
    last[event.tenant] = event.position.value;
  }
  for (const auto& [tenant, position] : last) {
    batch.counters.push_back({.tenant = tenant, .last_position = position, .last_tsid = tsid_of(position)});
  }
  return batch;
}

shard::EventDrop drop_of(const event::Record& event) { return {event.tenant, event.position, event.header}; }

std::string describe(const event::Record& event) {
  const event::Header& h = event.header;
  std::string context;
  for (const auto& pair : h.context) context += fmt::format("'{}'='{}' ", pair.key, pair.value);
  return fmt::format(
      "event {}@{} tsid {} received {} id '{}' type '{}' source '{}' subject '{}' bus '{}' correlation '{}' causation "
      "'{}' group '{}' app '{}' entity '{}' '{}' time {} expires {} context {}rest {}",
      event.tenant.text(), event.position.value, event.tsid, to_ms(event.received), h.event_id, h.type, h.source,
      h.subject, h.bus, h.correlation_id, h.causation_id, h.message_group, h.app, h.entity_type, h.entity_id,
      to_ms(h.time), maybe_time(h.expires), context, event.rest ? *event.rest : "none");
}

std::vector<std::string> places(const std::vector<event::Record>& events) {
  std::vector<std::string> out;
  for (const auto& event : events) out.push_back(fmt::format("{}@{}", event.tenant.text(), event.position.value));
  return out;
}

std::vector<std::uint64_t> positions(const std::vector<event::Record>& events) {
  std::vector<std::uint64_t> out;
  for (const auto& event : events) out.push_back(event.position.value);
  return out;
}

std::vector<event::Record> all_pages(Store& store, ShardId shard, EventQuery query) {
  std::vector<event::Record> all;
  for (int pages = 0; pages < kPagesMax; ++pages) {
    const EventPage page = store.events(shard, query);
    EXPECT_LE(page.events.size(), query.limit);
    all.insert(all.end(), page.events.begin(), page.events.end());
    if (!page.next) return all;
    query.after = page.next;
  }
  ADD_FAILURE() << "the pages do not end";
  return all;
}

std::vector<event::Record> all_pages(Store& store, ShardId shard, EventListing listing) {
  std::vector<event::Record> all;
  for (int pages = 0; pages < kPagesMax; ++pages) {
    const EventList page = store.list_events(shard, listing);
    EXPECT_LE(page.events.size(), listing.limit);
    all.insert(all.end(), page.events.begin(), page.events.end());
    if (!page.next) return all;
    listing.before = page.next;
  }
  ADD_FAILURE() << "the pages do not end";
  return all;
}

std::vector<event::Record> all_pages(Store& store, ShardId shard, LogQuery query) {
  std::vector<event::Record> all;
  for (int pages = 0; pages < kPagesMax; ++pages) {
    const LogPage page = store.event_log(shard, query);
    EXPECT_LE(page.events.size(), query.limit);
    all.insert(all.end(), page.events.begin(), page.events.end());
    if (!page.more) return all;
    query.after = page.through;
  }
  ADD_FAILURE() << "the pages do not end";
  return all;
}

}  // namespace millrace::store::conformance
