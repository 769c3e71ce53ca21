#include "api/event_pages.h"

#include <algorithm>
#include <utility>

#include "api/page.h"

namespace millrace::api {
namespace {

// Events are read so many at a time, and dropped if they do not fit: 20 MB of the largest that are kept in place by
// default.
constexpr std::size_t kBatch = 100;
// What a follower is held: it may stop reading, and there may be as many as there are connections.
constexpr std::size_t kFollowedBytesMax = 1024 * 1024;

// About how much it takes in the longest of the forms, which has the data twice: as `data` and as `properties`. The
// texts of the header are in the keys again.
std::size_t shown_bytes(const event::Record& record) {
  constexpr std::size_t kMembers = 512;
  const event::Header& header = record.header;
  std::size_t keys = 0;
  for (const auto* text : {&header.event_id, &header.type, &header.source, &header.subject, &header.correlation_id,
                           &header.app, &header.entity_type, &header.entity_id}) {
    keys += text->size();
  }
  std::size_t context = 0;
  for (const event::ContextPair& pair : header.context) context += pair.key.size() + pair.value.size();
  return kMembers + 3 * keys + context + 2 * record.rest->size();
}

// read(count, place) gives a batch from a place on, place_of(record) the place after an event.
template <class Page, class Read, class PlaceOf>
Page gather(std::size_t limit, decltype(Page::next) place, Read read, PlaceOf place_of) {
  Page page;
  page.next = std::move(place);
  std::size_t bytes = 0;
  while (page.events.size() < limit) {
    const std::size_t wanted = std::min(kBatch, limit - page.events.size());
    Page batch = read(wanted, page.next);
    // A short batch has looked at as much as one call may, or at all there is.
    const bool whole = batch.events.size() == wanted;
    std::size_t taken = 0;
    for (; taken < batch.events.size() && bytes < kPageBytesMax; ++taken) {
      bytes += shown_bytes(batch.events[taken]);
      page.events.push_back(std::move(batch.events[taken]));
    }
    page.next = taken < batch.events.size() ? place_of(page.events.back()) : std::move(batch.next);
    if (!whole || !page.next || bytes >= kPageBytesMax) break;
  }
  return page;
}

}  // namespace

store::EventList list_events_bounded(store::Store& store, ShardId shard, store::EventListing listing) {
  const auto read = [&](std::size_t count, const std::optional<store::EventListing::Cursor>& place) {
    listing.limit = count;
    listing.before = place;
    return store.list_events(shard, listing);
  };
  const auto place_of = [](const event::Record& record) {
    return store::EventListing::Cursor{.time = record.header.time, .position = record.position};
  };
  return gather<store::EventList>(listing.limit, listing.before, read, place_of);
}

store::EventPage query_events_bounded(store::Store& store, ShardId shard, store::EventQuery query) {
  const auto read = [&](std::size_t count, const std::optional<store::EventQuery::Cursor>& place) {
    query.limit = count;
    query.after = place;
    return store.events(shard, query);
  };
  const auto place_of = [&](const event::Record& record) {
    const event::Key key = event::key_of(query.tenant, record.header, query.index);
    return store::EventQuery::Cursor{.sort = std::string(store::ordering_part(query.index, key.sort)),
                                     .position = record.position};
  };
  return gather<store::EventPage>(query.limit, query.after, read, place_of);
}

store::LogPage follow_log_bounded(store::Store& store, ShardId shard, const store::LogQuery& query) {
  store::LogPage page = store.event_log(shard, query);
  shorten(page, kFollowedBytesMax);
  return page;
}

std::size_t shown_bytes(const store::LogPage& page) {
  std::size_t bytes = 0;
  for (const event::Record& record : page.events) bytes += shown_bytes(record);
  return bytes;
}

void shorten(store::LogPage& page, std::size_t bytes_max) {
  if (page.events.empty()) return;
  std::size_t bytes = shown_bytes(page.events.front());
  const auto beyond = std::find_if(page.events.begin() + 1, page.events.end(), [&](const event::Record& record) {
    bytes += shown_bytes(record);
    return bytes > bytes_max;
  });
  if (beyond == page.events.end()) return;
  page.events.erase(beyond, page.events.end());
  page.through = page.events.back().position;
  page.more = true;
}

}  // namespace millrace::api
