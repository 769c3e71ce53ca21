// Every bound that a caller can meet, in one place. docs/limits.md lists them; a test compares the two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace millrace::limits {

// JSON
inline constexpr int kJsonDepthMax = 64;

// Work items (S4)
inline constexpr std::size_t kTitleBytesMax = 1000;
inline constexpr std::size_t kDescriptionBytesMax = 64 * 1024;
inline constexpr std::size_t kTagBytesMax = 200;
inline constexpr std::size_t kTagsPerItemMax = 64;
inline constexpr std::size_t kTagsPerClaimMax = 64;
inline constexpr std::size_t kWorkerIdBytesMax = 200;
inline constexpr std::size_t kErrorMessageBytesMax = 64 * 1024;
inline constexpr std::size_t kReasonBytesMax = 1000;
inline constexpr std::size_t kIdempotencyKeyBytesMax = 255;
inline constexpr std::size_t kPayloadBytesMax = 1024 * 1024;      // default of --queue-payload-max
inline constexpr std::size_t kPayloadOverflowBytes = 256 * 1024;  // default of --queue-overflow-bytes
inline constexpr std::uint32_t kMaxRetriesMax = 1000;
inline constexpr std::int32_t kPriorityMax = 1'000'000;  // and its negative
inline constexpr std::size_t kItemsPerCreateMax = 1000;
inline constexpr std::size_t kSettlesPerCallMax = 1000;
inline constexpr std::size_t kClaimLimitMax = 100;
inline constexpr std::int64_t kClaimWaitSecondsMax = 20;
inline constexpr std::size_t kListLimitMax = 1000;
inline constexpr std::size_t kListLimitDefault = 20;
inline constexpr std::uint64_t kListOffsetMax = 1'000'000;  // beyond it, page with cursor=
inline constexpr std::uint64_t kListTotalMax = 100'000;     // a total filtered by tags is counted up to here
inline constexpr Millis kBackoffMax = std::chrono::hours(24 * 30);
inline constexpr Millis kIdempotencyWindow = std::chrono::hours(24);
inline constexpr std::int64_t kRunAtDaysMax = 366 * 5;

// Events (S0, S2, S3). The key with all the parts (GSI7) stays below the 2,704 bytes that PostgreSQL indexes.
inline constexpr std::size_t kEventsPerRequestMax = 1000;
inline constexpr std::size_t kEventBytesMax = 8 * 1024 * 1024;  // half of what one request may carry
inline constexpr std::size_t kEventIdBytesMax = 255;
inline constexpr std::size_t kEventTypeBytesMax = 255;
inline constexpr std::size_t kEventSourceBytesMax = 512;   // CloudEvents sources are URIs
inline constexpr std::size_t kEventSubjectBytesMax = 512;  // and subjects often paths
inline constexpr std::size_t kEntityTypeBytesMax = 100;
inline constexpr std::size_t kEntityIdBytesMax = 512;  // may be a whole subject
inline constexpr std::size_t kBusNameBytesMax = 100;
inline constexpr std::size_t kCorrelationIdBytesMax = 255;
inline constexpr std::size_t kMessageGroupBytesMax = 255;
inline constexpr std::size_t kDeduplicationIdBytesMax = 255;
inline constexpr std::size_t kContextPairsMax = 64;  // each one is an index entry
inline constexpr std::size_t kContextKeyBytesMax = 100;
inline constexpr std::size_t kContextValueBytesMax = 500;
inline constexpr std::size_t kExtensionsMax = 64;
inline constexpr std::size_t kOverflowBytes = 200 * 1024;           // beyond it large fields move to the blob store
inline constexpr std::size_t kResolvedBytesMax = 64 * 1024 * 1024;  // that one answer brings back from there

// Access
inline constexpr std::size_t kKeyNameBytesMax = 200;

// Memory
inline constexpr std::size_t kLiveItemsMaxDefault = 10'000'000;  // about 1 GB of waiting items
inline constexpr std::size_t kWaitersPerShardMax = 10'000;

}  // namespace millrace::limits
