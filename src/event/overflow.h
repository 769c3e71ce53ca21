// Overflow (S0.9): an event over a threshold leaves its large fields in the blob store and keeps a reference,
//
//   "data": {…, "_s3Overflow": {"bucket": …, "key": "events/<requestId>/<eventId>-payload.json"}}
//
// The key of a CloudEvent, which is known by source and id, has "~<source>" after the id: two sources may use one id.
// Listed names other than `data` are members of the event's data; all of them move that are larger than the reference.
// If that is not enough and `data` is listed, the whole of it moves instead. The blob is a JSON object of what moved.
// Pure: writing and fetching blobs is the caller's. Keys name no tenant: the blob store keeps tenants apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "event/event.h"

namespace millrace::event {

struct OverflowSettings {
  std::string bucket;
  std::vector<std::string> fields = {"output", "outputs", "input", "claudeOutput", "data"};
  std::size_t threshold_bytes = limits::kOverflowBytes;
};

struct BlobReference {
  std::string bucket;
  std::string key;

  bool operator==(const BlobReference&) const = default;
};

// An event taken apart: the blob has to be durable before the event that names it.
struct Overflow {
  std::string rest;  // the event's new one
  BlobReference blob;
  std::string payload;
};

// What counts against the threshold.
std::size_t size_of(const Header& header, std::string_view rest);

// What a key says besides the request and the event's id, so that no two events have the same.
struct KeyMarks {
  std::string_view source = {};  // of an event that is known by source and id
  std::string_view digest = {};  // where the key without it is taken by other bytes
};

// Nullopt if the event is small enough, or has none of the fields in a size that is worth it.
std::optional<Overflow> split_overflow(const Header& header, std::string_view rest, const OverflowSettings& settings,
                                       const KeyMarks& marks = {});

// The event that a key was made for.
struct KeyOwner {
  std::string event_id;
  std::optional<std::string> source;  // if the event is known by both

  bool operator==(const KeyOwner&) const = default;
};
// Nullopt for a key that split_overflow() did not make, and for one of an id so long that the key holds its digest.
std::optional<KeyOwner> owner_of_key(std::string_view key);
// True for a key that split_overflow() may have made, of an id so long that the key holds its digest.
bool holds_digest_of_owner(std::string_view key);

// Where the large fields of a stored event are; nullopt if they are where they belong. Only references that
// split_overflow() made count, never one that a sender wrote into its data.
std::optional<BlobReference> overflow_of(std::string_view rest);

// The rest as it was. Errc::invalid for a payload that is not the one that was stored.
// REQUIRES: overflow_of(rest) names the blob whose text is `payload`.
Result<std::string> resolve_overflow(std::string_view rest, std::string_view payload);

}  // namespace millrace::event
