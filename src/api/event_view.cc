#include "api/event_view.h"

#include "event/codec_cloudevents.h"
#include "event/codec_keyed.h"
#include "event/codec_snake.h"

namespace millrace::api {
namespace {

constexpr std::string_view kCloudEventsJson = "application/cloudevents+json";

}  // namespace

Result<event::Envelope> read_format(const http::Request& request) {
  const auto named = request.query("format");
  if (!named) return std::unexpected(named.error());
  if (*named) {
    using enum event::Envelope;
    for (const event::Envelope envelope : {native, snake, keyed, cloudevents}) {
      if (event::name_of(envelope) == **named) return envelope;
    }
    return fail(Errc::bad_query, "query parameter \"format\" must be native, snake, keyed or cloudevents", "format");
  }
  const auto accept = request.header("Accept");
  return accept && accept->starts_with(kCloudEventsJson) ? event::Envelope::cloudevents : event::Envelope::native;
}

void write_event(json::Writer& out, const event::Record& record, event::Envelope format, const event::Answer& answer) {
  switch (format) {
    case event::Envelope::native:
      return event::write_native(out, record, answer);
    case event::Envelope::snake:
      return event::write_snake(out, record);
    case event::Envelope::keyed:
      return event::write_keyed(out, record);
    case event::Envelope::cloudevents:
      return event::write_cloudevent(out, record);
  }
}

std::string_view media_type_of(event::Envelope format) {
  return format == event::Envelope::cloudevents ? kCloudEventsJson : http::kJson;
}

http::Response event_list(const std::vector<event::Record>& events, event::Envelope format,
                          const std::optional<std::string>& next_cursor) {
  http::Response response;
  json::Writer out(response.body);
  out.begin_object();
  out.key("items");
  out.begin_array();
  for (const event::Record& record : events) write_event(out, record, format);
  out.end_array();
  out.member("nextCursor", next_cursor);
  out.end_object();
  return response;
}

}  // namespace millrace::api
