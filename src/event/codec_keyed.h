// The form of the event table (S0.2): `eventType`, `entityType`, `entityId`, `properties`, `context` and the sixteen
// keys, which the sender may leave to the server. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/draft.h"
#include "event/event.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::event {

// Errc::invalid names the field. REQUIRES: an object.
Result<Draft> decode_keyed(json::Value object, std::optional<std::size_t> element = {});

// Every required field that is not there. REQUIRES: an object.
std::vector<std::string_view> missing_in_keyed(json::Value object);

// One object with all the keys and `receivedAt`.
void write_keyed(json::Writer& out, const Record& record);

}  // namespace millrace::event
