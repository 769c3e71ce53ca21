// A request that brings events, of whatever kind, as drafts. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/cloudevents_binary.h"
#include "event/draft.h"
#include "event/media_type.h"
#include "json/value.h"

namespace millrace::event {

enum class Shape : std::uint8_t { one, array };

// The events of one request, each read or refused. Owns what the drafts are views of.
struct Drafts {
  json::Document document;
  Mode mode = Mode::json;
  Shape shape = Shape::one;
  std::vector<Result<Draft>> events;  // in the order sent; paths of refusals begin with "[3]" in an array
};

// Errc::unsupported_media by the content type alone; Errc::malformed for a body that is no JSON where it must
// be; Errc::invalid for an empty array or one that is too long. REQUIRES: `body` outlives the drafts.
Result<Drafts> read_body(std::string_view content_type, std::span<const HeaderField> fields, std::string_view body);

// Where `refused` says that a required field of the event at this index is missing: an error for each one that is,
// that one among them, so that a sender mends all at once. Empty where something else is wrong.
std::vector<Error> missing_fields(const Drafts& drafts, std::size_t index, const Error& refused);

}  // namespace millrace::event
