// An event as bytes, for stores that keep values whole. As in record_codec.h: a version byte first, what the key
// says (tenant, position) is not repeated, decoders throw CorruptRecord, encoders append.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "event/event.h"

namespace millrace::store {

void encode_event(std::string& out, const event::Record& record);

enum class RestOf { event, nothing };
// `nothing` leaves `rest` null.
event::Record decode_event(const TenantId& tenant, Position position, std::string_view bytes,
                           RestOf rest = RestOf::event);

// What can be told without decoding the whole.
struct EventGlance {
  std::uint64_t tsid;
  Time received;
  std::optional<Time> expires;
  std::string_view type;
};
EventGlance glance_at_event(std::string_view bytes);

}  // namespace millrace::store
