// Pages of events that memory can hold: read in batches, ended at kPageBytesMax. A page so ended goes on at its cursor.
// Blocks: for a reader thread.
#pragma once

#include "store/store.h"

namespace millrace::api {

// As the store's own of these names, but a page may be shorter than its limit and still have a `next`; never empty for
// that.
store::EventList list_events_bounded(store::Store& store, ShardId shard, store::EventListing listing);
store::EventPage query_events_bounded(store::Store& store, ShardId shard, store::EventQuery query);

// A page of the log for a follower, who holds it for as long as the peer takes to read it.
store::LogPage follow_log_bounded(store::Store& store, ShardId shard, const store::LogQuery& query);
// About what the page takes when it is shown.
std::size_t shown_bytes(const store::LogPage& page);
// Ends the page after those of its events that fit, the first one in any case.
void shorten(store::LogPage& page, std::size_t bytes_max);

}  // namespace millrace::api
