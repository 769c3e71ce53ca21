// Content types, as far as the forms of events need them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::event {

// The type and subtype in lower case, without parameters: "application/json".
std::string essence_of(std::string_view content_type);

// The subtype is json or ends with +json.
bool is_json_media(std::string_view essence);
// Readable as characters: text/*, XML and the like. A charset other than UTF-8 or US-ASCII makes it bytes.
bool is_text_media(std::string_view essence, std::string_view content_type);

// How a request carries its events.
enum class Mode : std::uint8_t {
  json,               // a form of ours, told apart by its fields
  cloudevent,         // application/cloudevents+json
  cloudevents_batch,  // application/cloudevents-batch+json
  binary,             // ce-* header fields, data in the body
  unsupported,        // another event format, or no JSON and no ce-* fields
};

// The batch is asked for first, for its type begins like the other.
Mode choose_mode(std::string_view content_type, bool has_attribute_fields);

}  // namespace millrace::event
