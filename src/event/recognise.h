// Tells the JSON forms of an event apart by their fields, and reads each. Pure.
//
//   specversion                        CloudEvents
//   event_type                         snake_case
//   eventType                          keyed
//   type                               native
//
// Two of the last three are refused, for two readers could understand them differently. Where none is there,
// fields that only one form has tell which one is meant, so that the refusal names what is missing in it.
#pragma once

#include <cstddef>
#include <optional>

#include "base/result.h"
#include "event/draft.h"
#include "json/value.h"

namespace millrace::event {

// Errc::invalid if it is no object, or no form, or more than one.
Result<Envelope> recognise(json::Value value, std::optional<std::size_t> element = {});

// Reads an event of any form. Errors as above and as of the form's codec.
Result<Draft> decode(json::Value value, std::optional<std::size_t> element = {});

}  // namespace millrace::event
