#include "event/shown.h"

#include <algorithm>
#include <span>

#include "event/key_fields.h"
#include "json/writer.h"

namespace millrace::event {
namespace {

constexpr std::string_view kReceived = "receivedAt";

// What write_native() adds to the fields that a sender has; `context` has all that `contextData` has.
constexpr std::string_view kAddedToNative[] = {"id",         "position",  kReceived,   "dispatchJobs", "duplicate",
                                               "properties", "eventType", "timestamp", "contextData"};
constexpr std::string_view kAddedToKeyed[] = {kReceived};

bool is_shown(json::Value event) {
  const auto has = [&event](std::string_view name) { return event.find(name).has_value(); };
  return event.is(json::Kind::object) && has(kReceived) &&
         std::ranges::all_of(key_fields(), has, [](const Field& field) { return field.name; });
}

}  // namespace

std::optional<std::string> as_sent(json::Value shown) {
  if (!is_shown(shown)) return std::nullopt;
  const std::span<const std::string_view> added =
      shown.find("type") ? std::span<const std::string_view>(kAddedToNative) : kAddedToKeyed;
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto [key, value] : shown.members()) {
    const std::string name = key.get_string();
    if (std::ranges::find(added, name) == added.end()) out.member(name, value);
  }
  out.end_object();
  return text;
}

}  // namespace millrace::event
