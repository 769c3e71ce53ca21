#include "registry/schema_text.h"

#include <fmt/format.h>

#include "json/compact.h"
#include "registry/bounds.h"

namespace millrace::registry {

Result<std::string> read_schema_text(const json::ObjectReader& in, std::string_view key, SchemaType type) {
  const auto value = in.required_value(key);
  if (!value) return std::unexpected(value.error());
  std::string text;
  if (value->is(json::Kind::string)) {
    text = value->get_string();
  } else if (type == SchemaType::json_schema && (value->is(json::Kind::object) || value->is(json::Kind::boolean))) {
    json::append_compact(text, *value);
  } else {
    return fail(Errc::invalid, fmt::format("must be the schema's text, but it is {}", json::describe(value->kind())),
                in.path_of(key));
  }
  if (text.empty()) return fail(Errc::invalid, "must not be empty", in.path_of(key));
  if (text.size() > kSchemaBytesMax) {
    return fail(Errc::invalid, fmt::format("is longer than {} bytes", kSchemaBytesMax), in.path_of(key));
  }
  // PostgreSQL cannot store it as text, and no language has a use for it.
  if (text.find('\0') != text.npos) return fail(Errc::invalid, "must not contain U+0000", in.path_of(key));
  return text;
}

Result<SchemaType> read_schema_type(const json::ObjectReader& in, std::string_view key) {
  constexpr std::size_t kWordBytesMax = 100;
  const auto text = in.optional_string(key, kWordBytesMax);
  if (!text) return std::unexpected(text.error());
  if (!*text) return SchemaType::json_schema;
  if (const auto type = parse_schema_type(**text)) return *type;
  return fail(Errc::invalid, fmt::format("\"{}\" is not one of JSON_SCHEMA, PROTO, XSD", **text), in.path_of(key));
}

std::string default_mime_type(SchemaType type) {
  return type == SchemaType::xsd ? "application/xml" : "application/json";
}

}  // namespace millrace::registry
