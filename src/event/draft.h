// An event as a sender wrote it: parsed and checked field by field, but not yet accepted. Codecs make it,
// normalise() fills in what is missing. Plain data; the json::Values are views into the Document it was read
// from, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "event/event.h"
#include "event/keys.h"
#include "json/value.h"

namespace millrace::event {

// The forms in which an event can be sent and answered.
enum class Envelope : std::uint8_t {
  native,       // camelCase: type, source, data, contextData … (S3.1)
  snake,        // snake_case: event_type, aggregate_id, organization_id … (S2.1)
  keyed,        // eventType, entityType, properties and the keys (S0.2)
  cloudevents,  // CloudEvents 1.0 (S3.2)
};

// "native", "snake", "keyed", "cloudevents".
std::string_view name_of(Envelope envelope);

// A key that the sender computed; normalise() compares it with ours.
struct SuppliedKey {
  Index index;
  KeyPart part;
  std::string text;
};

// A member of `rest` where the request's own text has it.
struct Part {
  std::string_view name;  // in `rest`; static text
  json::Value value;
};

struct Draft {
  Envelope envelope = Envelope::native;
  std::optional<std::size_t> element = {};  // in an array of events: which one, for errors

  Header header = {};  // what was sent; `time` is below
  std::optional<Time> time = {};
  // Who the body says the event belongs to, and in which field it says so.
  std::string tenant = {};
  std::string_view tenant_field = {};

  // In `rest` too; here for the defaults and for deduplication.
  std::string producer = {};
  std::string aggregate_type = {};
  std::string aggregate_id = {};
  std::string deduplication_id = {};
  std::string schema_version = {};  // "MAJOR.MINOR", or empty

  std::vector<SuppliedKey> keys = {};
  std::string rest = {};  // see rest.h
  std::optional<json::Value> data = {};
  std::optional<json::Value> audit = {};  // what goes to the audit log in the same commit (S2.12); not in `rest`
  std::vector<Part> parts = {};           // all members of `rest`, unless `reshaped`
  bool reshaped = false;                  // some members of `rest` stand otherwise in the request

  // Where a field stands in the request: "type", "[3].type".
  std::string path_of(std::string_view field) const;
};

}  // namespace millrace::event
