// Public events: the curated twin of an internal event for readers outside (S2.7). Only fields that someone listed
// pass; what nobody thought of stays inside. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::registry {

// What of an event type's data may be seen outside.
struct Allowlist {
  std::string event_type;           // the internal one
  std::vector<std::string> fields;  // paths into the data: "id", "project.name"; no path twice

  bool operator==(const Allowlist&) const = default;
};

// "public.time_entry.created".
std::string public_type(std::string_view event_type);
bool is_public_type(std::string_view event_type);

// {"fields": ["id", "project.name"]}. Errc::invalid with the path of the field. A type that is public already has
// no allowlist, and there are no wildcards: what a producer adds later must not leak.
Result<Allowlist> parse_allowlist(std::string_view event_type, json::Value body);
void write_members(json::Writer& out, const Allowlist& allowlist);

// What the twin is made from.
struct InternalEvent {
  std::string_view event_id;
  std::string_view event_type;
  std::string_view schema_version;  // as the event names it, or empty
  Time occurred_at;
  std::optional<std::string_view> workspace_id;
  json::Value data;
};

struct PublicEvent {
  std::string event_id;  // UUIDv5 of the internal event's: making the twin again makes the same one
  std::string event_type;
  std::string envelope;  // the JSON text that leaves
};

// Errc::invalid on "workspace_id" without one: a public event that belongs to nobody could reach anybody.
// REQUIRES: allowlist.event_type == event.event_type.
Result<PublicEvent> make_public(const InternalEvent& event, const Allowlist& allowlist);

// The listed fields of `data` as a JSON object; paths that lead nowhere are left out, and a path through an array
// applies to each of its elements. A listed object passes whole.
std::string project(json::Value data, const std::vector<std::string>& fields);

}  // namespace millrace::registry
