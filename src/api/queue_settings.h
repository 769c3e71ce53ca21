// What the operator decides about the queue API; fixed while the server runs.
#pragma once

#include <cstddef>

#include "base/limits.h"
#include "base/time.h"
#include "queue/retry.h"

namespace millrace::api {

struct QueueSettings {
  Millis lease = std::chrono::seconds(30);
  queue::RetryPolicy backoff;  // of items that bring none of their own
  std::size_t payload_bytes_max = limits::kPayloadBytesMax;
  std::size_t overflow_bytes = limits::kPayloadOverflowBytes;  // larger payloads are kept in the blob store
};

// The queue of a tenant that the S4 API works on.
inline constexpr const char* kEventsQueue = "events";

}  // namespace millrace::api
