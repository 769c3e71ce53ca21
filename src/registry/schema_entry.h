// A schema that is kept by itself, with an optional link to the type and version it is for (`/api/schemas`), and the
// question whether one schema may follow another (`/api/schemas/check`).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "json/value.h"
#include "json/writer.h"
#include "registry/compatibility.h"
#include "registry/event_type.h"
#include "registry/schema_version.h"

namespace millrace::registry {

struct SchemaEntry {
  std::string name;  // for PROTO "orders#Order" names the message
  std::string description;
  std::string mime_type;
  SchemaType schema_type = SchemaType::json_schema;
  std::string content;
  std::optional<std::string> event_type_id;
  std::optional<SchemaVersion> version;

  bool operator==(const SchemaEntry&) const = default;
};

// The message that the name of a PROTO schema names; empty if none.
std::string_view message_of(const SchemaEntry& entry);

// Errc::invalid with the field; a content that does not compile is refused with the reason.
Result<SchemaEntry> parse_schema_entry(json::Value body);
// The members of its JSON object, without the braces.
void write_members(json::Writer& out, const SchemaEntry& entry);

// {"old": …, "new": …, "schemaType"?, "message"?}: both as text, or for JSON Schema as themselves. Errc::invalid on
// "old" or "new" where one does not compile.
Result<Comparison> check_schemas(json::Value body);

}  // namespace millrace::registry
