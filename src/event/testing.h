// For tests: the way of an event from text to Record, and JSON compared by value. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "event/body.h"
#include "event/event.h"
#include "event/normalise.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::event::testing {

inline constexpr Time kNow = time_from_ms(1'767'453'739'640);
inline constexpr std::array<std::uint8_t, 10> kRandom = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

inline TenantId acme() { return TenantId::trusted("acme"); }
inline Arrival arrival() { return {.tenant = acme(), .now = kNow, .correlation_id = "req-1"}; }

// JSON with sorted members and without spaces: equal texts for equal values. Numbers by their text.
inline std::string canonical(json::Value value) {
  std::string text;
  if (value.is(json::Kind::array)) {
    for (const json::Value element : value.elements()) text += (text.empty() ? "" : ",") + canonical(element);
    return "[" + text + "]";
  }
  if (value.is(json::Kind::object)) {
    std::vector<std::string> members;
    for (const auto [key, content] : value.members()) {
      std::string member;
      json::append_string(member, key.get_string());
      members.push_back(member + ":" + canonical(content));
    }
    std::ranges::sort(members);
    for (const std::string& member : members) text += (text.empty() ? "" : ",") + member;
    return "{" + text + "}";
  }
  if (!value.is(json::Kind::string)) return std::string(value.raw());
  json::append_string(text, value.get_string());
  return text;
}
inline std::string canonical(std::string_view text) {
  const auto document = json::parse(text, {.depth = 80});
  return document ? canonical(document->root()) : "not JSON: " + std::string(text);
}

// A body of any form with this content type, or the first refusal.
inline Result<NewEvent> accept(std::string_view body, const Arrival& from = arrival(),
                               std::string_view content_type = "application/json",
                               std::span<const HeaderField> fields = {}) {
  Result<Drafts> drafts = read_body(content_type, fields, body);
  if (!drafts) return std::unexpected(drafts.error());
  for (Result<Draft>& draft : drafts->events) {
    if (!draft) return std::unexpected(draft.error());
  }
  Result<NewEvent> event = normalise(*std::move(drafts->events.front()), from, kRandom);
  if (event) {
    // The document ends here, and with it what the event saw of it.
    event->data.reset();
    event->audit.reset();
    event->parts.clear();
    event->reshaped = true;
  }
  return event;
}

inline Record store(const NewEvent& event) {
  return {.tenant = event.tenant,
          .position = Position{7},
          .tsid = 0x0123456789abcdef,
          .received = kNow + Millis(5),
          .header = event.header,
          .rest = event.rest};
}

inline Record stored(std::string_view body, std::string_view content_type = "application/json",
                     std::span<const HeaderField> fields = {}) {
  const Result<NewEvent> event = accept(body, arrival(), content_type, fields);
  MR_ASSERT(event.has_value(), "the event of a test is accepted");
  return store(*event);
}

// What a write_…() function wrote.
template <class Write, class... More>
std::string written(Write write, const Record& record, const More&... more) {
  std::string text;
  json::Writer out(text);
  write(out, record, more...);
  return text;
}

// A member of a JSON object as canonical text; "absent" without one.
inline std::string member(std::string_view object, std::string_view name) {
  const auto document = json::parse(object, {.depth = 80});
  const auto value = document ? document->root().find(name) : std::nullopt;
  return value ? canonical(*value) : "absent";
}

}  // namespace millrace::event::testing
