// The snake_case envelope (S2.1): `event_type`, `aggregate_id`, `organization_id` … A required field that is missing
// or empty is refused by name; public events need no aggregate, correlation and actor. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
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
Result<Draft> decode_snake(json::Value object, std::optional<std::size_t> element = {});

// Every required field that is not there. REQUIRES: an object.
std::vector<std::string_view> missing_in_snake(json::Value object);

// One object with everything the event has. What was sent in another form gets its aggregate from the entity.
void write_snake(json::Writer& out, const Record& record);

// Under which name an envelope says whose it is: two names for one thing.
enum class TenantName : std::uint8_t { as_sent, organization_id, workspace_id, both };
// The same object, with the tenant named so.
void write_snake_naming(json::Writer& out, const Record& record, TenantName name);

// One object with the six fields that a public event shows and nothing else (S2.7).
void write_public(json::Writer& out, const Record& record);

}  // namespace millrace::event
