// An event type and the versions of its schema, as the catalog keeps it. Plain data; reading and writing its
// JSON, and the choice of the version that an event is validated against. What may change is type_change.h's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "json/writer.h"
#include "registry/schema_version.h"

namespace millrace::registry {

enum class TypeStatus { current, archive };
enum class SchemaType { json_schema, proto, xsd };
// In the order of a version's life; it only moves forward.
enum class VersionStatus { finalising, current, deprecated };
// What the schema is checked against: the data of the event, or its whole envelope.
enum class Describes { data, envelope };

struct SpecVersion {
  SchemaVersion version;
  std::string mime_type;
  std::string schema;  // its source text
  SchemaType schema_type = SchemaType::json_schema;
  std::string message = {};  // PROTO: which message; empty = the only one at top level
  VersionStatus status = VersionStatus::finalising;
  Describes describes = Describes::data;

  bool operator==(const SpecVersion&) const = default;
};

struct EventType {
  std::string code;
  std::string name;
  std::string description;
  TypeStatus status = TypeStatus::current;
  bool strict = false;                     // refuse events of versions that are not registered
  std::vector<SpecVersion> spec_versions;  // ascending, no version twice

  bool operator==(const EventType&) const = default;
};

// "CURRENT", "JSON_SCHEMA", "FINALISING", "data" and so on.
std::string_view to_text(TypeStatus status);
std::string_view to_text(SchemaType type);
std::string_view to_text(VersionStatus status);
std::string_view to_text(Describes describes);
std::optional<SchemaType> parse_schema_type(std::string_view text);

// The body of a creation or a replacement. Errc::invalid with the path of the field ("specVersions[1].version"), also
// for a field that no type has: a misspelt "strict" must not be lost. What answers add (id, version, createdAt …) may
// be sent back. Schemas are not compiled here.
Result<EventType> parse_event_type(json::Value body);

// The fields of `body` laid over `old`; what it leaves out stays, what it names null is as if it had never been given,
// `specVersions` is given whole.
Result<EventType> merge_event_type(const EventType& old, json::Value body);

// The same for the fields of one version; `version` itself never changes. Errc::invalid with the field. What
// /api/schemas answers with may be sent back.
Result<SpecVersion> merge_spec_version(const SpecVersion& old, json::Value body);

// The members of the type's JSON object, without its braces: the caller adds ids and times.
void write_members(json::Writer& out, const EventType& type);

// Which version validates an event that names `named` (as events write it) or none: the named one, else the
// highest that is CURRENT. Null: nothing to validate against. Where the type is strict, that is
// Errc::invalid on field "schemaVersion" instead.
Result<const SpecVersion*> choose_version(const EventType& type, std::optional<std::string_view> named);

}  // namespace millrace::registry
