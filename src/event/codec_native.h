// The camelCase form (S3.1): `type`, `source`, `subject`, `data` and the rest by their API names; and the answer of
// the API, which says everything that is known about an event (S0.2). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "event/draft.h"
#include "event/event.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::event {

// Errc::invalid names the field. REQUIRES: an object.
Result<Draft> decode_native(json::Value object, std::optional<std::size_t> element = {});

// Whether an answer repeats `data` under the name `properties`; an empty object where there is none (S0.2).
enum class Properties : std::uint8_t {
  when_keyed,  // only if the sender called it so
  always,
};

// What an answer says besides the event.
struct Answer {
  Properties properties = Properties::always;
  std::optional<std::uint64_t> dispatch_jobs = {};
  bool duplicate = false;
};

// One object: `id`, `position` and the sender's fields; then entityId … GSI7SK, by which the event is found.
// Absent texts are left out.
void write_native(json::Writer& out, const Record& record, const Answer& answer = {});

}  // namespace millrace::event
