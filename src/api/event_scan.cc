#include "api/event_scan.h"

#include <algorithm>

#include "event/overflow.h"

namespace millrace::api {
namespace {

constexpr std::size_t kPageSize = 100;  // they may be large
// A page may be short and still go on. As many as kScannedEventsMax fill, and 200 more, so that some short ones do not
// end the scan before that; it ends the search for events of a type that is rare.
constexpr std::size_t kPagesMax = kScannedEventsMax / kPageSize + 200;

}  // namespace

ScanExtent scan_events(store::Store& store, std::optional<ShardId> shard, const TenantId& tenant,
                       const ScanRange& range, const store::Horizon& horizon,
                       const std::function<void(const event::Record&)>& visit) {
  ScanExtent extent;
  if (!shard) return extent;
  store::EventListing listing{.tenant = tenant, .horizon = horizon};
  listing.type = range.type;
  listing.from = range.from;
  listing.to = range.to;
  for (std::size_t pages = 0; pages < kPagesMax && extent.scanned < kScannedEventsMax; ++pages) {
    listing.limit = std::min(kPageSize, kScannedEventsMax - extent.scanned);
    const store::EventList page = store.list_events(*shard, listing);
    for (const event::Record& record : page.events) {
      if (event::overflow_of(*record.rest)) {
        ++extent.skipped;
      } else {
        visit(record);
      }
    }
    extent.scanned += page.events.size();
    if (!page.next) return extent;
    listing.before = page.next;
  }
  extent.complete = false;
  return extent;
}

void write_extent_members(json::Writer& out, const ScanExtent& extent) {
  out.member("scanned", extent.scanned);
  out.member("skipped", extent.skipped);
  out.member("complete", extent.complete);
}

void write_sample_members(json::Writer& out, const event::Record& record) {
  out.member("id", format_tsid(record.tsid));
  out.member("eventId", record.header.event_id);
  out.member("type", record.header.type);
  if (!record.header.source.empty()) out.member("source", record.header.source);
  if (!record.header.subject.empty()) out.member("subject", record.header.subject);
  out.member("time", record.header.time);
}

}  // namespace millrace::api
