// What an event has where its sender said nothing. The codecs ask too: a form leaves out what would be derived
// again. Pure.
#pragma once

#include <string>
#include <string_view>

namespace millrace::event {

// For an app that nobody names.
inline constexpr std::string_view kDefaultApp = "default";

// What Header::bus says if nobody does.
inline constexpr std::string_view kDefaultBus = "default";

struct Entity {
  std::string type;
  std::string id;

  bool operator==(const Entity&) const = default;
};

// What the sender told of the entity: the aggregate, else "type:id" in the subject. Parts may be empty; the
// type is as written.
Entity told_entity(std::string_view aggregate_type, std::string_view aggregate_id, std::string_view subject);

// The entity under which the event is found. The type told, in upper case; else AGGREGATE for an id alone,
// SUBJECT for a subject without a type, EVENT for nothing at all. The id told, else that of the event.
Entity derive_entity(std::string_view aggregate_type, std::string_view aggregate_id, std::string_view subject,
                     std::string_view event_id);

// `producer`, else `source`, else kDefaultApp.
std::string_view derive_app(std::string_view producer, std::string_view source);

// ASCII letters alone.
std::string upper_case(std::string_view text);

}  // namespace millrace::event
