// How a body gives a schema: as text, or, where it is a JSON Schema, as itself.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/object_reader.h"
#include "registry/event_type.h"

namespace millrace::registry {

// The text of the schema under `key`. Errc::invalid with the path if there is none, it is empty or too long.
Result<std::string> read_schema_text(const json::ObjectReader& in, std::string_view key, SchemaType type);

// The field `key` as a schema type; JSON_SCHEMA where it is absent.
Result<SchemaType> read_schema_type(const json::ObjectReader& in, std::string_view key);

std::string default_mime_type(SchemaType type);

}  // namespace millrace::registry
