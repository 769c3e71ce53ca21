// A stored event as answers show it, made into what a sender could have sent. For whoever is handed one back. Pure.
#pragma once

#include <optional>
#include <string>

#include "json/value.h"

namespace millrace::event {

// The event without what only the server says and what an answer says twice; it decodes to the event that is shown.
// Nullopt where it is none. Nothing is guessed: a shown event has `receivedAt`, which no sender may send, and all the
// keys it is found by, which normalise() compares with the rest of it. Takes the native and the keyed form; the others
// have nothing of the server's in them.
std::optional<std::string> as_sent(json::Value shown);

}  // namespace millrace::event
