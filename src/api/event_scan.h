// A look at the events that are stored already, to say what a change would have done to them. Bounded: it tells
// how many it saw and whether that was all.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/services.h"
#include "base/result.h"
#include "event/event.h"
#include "json/object_reader.h"
#include "json/writer.h"
#include "store/store.h"

namespace millrace::api {

struct ScanRange {
  std::optional<std::string> type = {};
  std::optional<Time> from = {};  // inclusive
  std::optional<Time> to = {};    // exclusive
};
struct ScanExtent {
  std::size_t scanned = 0;
  std::size_t skipped = 0;  // of those: large events, whose fields are in the blob store; not judged
  bool complete = true;     // false: there are older events in the range that were not looked at
};

// So many events are looked at: about a second of one thread.
inline constexpr std::size_t kScannedEventsMax = 20'000;
// So many of those found are shown.
inline constexpr std::size_t kScanSampleMax = 20;

// Newest first, without those that are skipped. Blocks: for a reader thread. No shard: a tenant that has no events.
ScanExtent scan_events(store::Store& store, std::optional<ShardId> shard, const TenantId& tenant,
                       const ScanRange& range, const store::Horizon& horizon,
                       const std::function<void(const event::Record&)>& visit);

// "scanned", "skipped", "complete".
void write_extent_members(json::Writer& out, const ScanExtent& extent);
// The members that name an event in a sample: id, eventId, type, source, subject, time.
void write_sample_members(json::Writer& out, const event::Record& record);

}  // namespace millrace::api
