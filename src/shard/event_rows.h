// The deduplication rows of an event: their keys, and how long they live. Pure.
#pragma once

#include <string>

#include "base/time.h"
#include "event/event.h"
#include "shard/batch.h"

namespace millrace::shard {

DedupKey event_id_key(const TenantId& tenant, const event::Header& header);
// No two pairs of source and id give the same key.
DedupKey source_and_id_key(const TenantId& tenant, const event::Header& header);
DedupKey deduplication_key(const TenantId& tenant, std::string deduplication_id);

// An id is known as long as its event, and `at_least` so long; kNever for an event without end.
Time id_known_until(const event::Header& header, Time received, Millis at_least);

}  // namespace millrace::shard
