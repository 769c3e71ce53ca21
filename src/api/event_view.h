// How events are shown: in which envelope, and as lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/codec_native.h"
#include "event/draft.h"
#include "event/event.h"
#include "http/request.h"
#include "http/response.h"
#include "json/writer.h"

namespace millrace::api {

// ?format=native|snake|keyed|cloudevents, else what Accept asks for: application/cloudevents+json. Errc::bad_query.
Result<event::Envelope> read_format(const http::Request& request);

void write_event(json::Writer& out, const event::Record& record, event::Envelope format,
                 const event::Answer& answer = {});
// The media type of one event in this form.
std::string_view media_type_of(event::Envelope format);

// {"items": […], "nextCursor": …}
http::Response event_list(const std::vector<event::Record>& events, event::Envelope format,
                          const std::optional<std::string>& next_cursor);

}  // namespace millrace::api
