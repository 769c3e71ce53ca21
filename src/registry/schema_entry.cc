#include "registry/schema_entry.h"

#include <fmt/format.h>

#include <utility>

#include "json/object_reader.h"
#include "registry/bounds.h"
#include "registry/compile.h"
#include "registry/schema_text.h"

namespace millrace::registry {
namespace {

using json::ObjectReader;

Result<std::optional<SchemaVersion>> read_version(const ObjectReader& in) {
  constexpr std::size_t kVersionBytesMax = 32;
  const auto text = in.optional_string("version", kVersionBytesMax);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  if (const auto version = parse_schema_version(**text)) return *version;
  return fail(Errc::invalid, fmt::format("\"{}\" is not {}", **text, kVersionForm), in.path_of("version"));
}

// The text of one side of a check, known to compile.
Result<SpecVersion> read_side(const ObjectReader& in, std::string_view key, SchemaType type,
                              const std::string& message) {
  auto text = read_schema_text(in, key, type);
  if (!text) return std::unexpected(text.error());
  SpecVersion spec{.mime_type = {}, .schema = std::move(*text), .schema_type = type, .message = message};
  const auto compiled = compile_schema(spec);
  if (!compiled) return fail(compiled.error().code, compiled.error().detail, in.path_of(key));
  return spec;
}

}  // namespace

std::string_view message_of(const SchemaEntry& entry) {
  const std::size_t mark = entry.name.find('#');
  if (entry.schema_type != SchemaType::proto || mark == entry.name.npos) return {};
  return std::string_view(entry.name).substr(mark + 1);
}

Result<SchemaEntry> parse_schema_entry(json::Value body) {
  const auto in = ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  SchemaEntry entry;
  Error error{};
  const auto take = [&error](auto& into, auto result) {
    if (result) into = std::move(*result);
    if (!result) error = std::move(result.error());
    return result.has_value();
  };
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  const bool good = take(entry.name, in->required_string("name", kNameBytesMax)) &&
                    take(description, in->optional_string("description", kDescriptionBytesMax)) &&
                    take(mime_type, in->optional_string("mimeType", kMimeTypeBytesMax)) &&
                    take(entry.schema_type, read_schema_type(*in, "schemaType")) &&
                    take(entry.content, read_schema_text(*in, "content", entry.schema_type)) &&
                    take(entry.event_type_id, in->optional_string("eventTypeId", kCodeBytesMax)) &&
                    take(entry.version, read_version(*in));
  if (!good) return std::unexpected(std::move(error));
  if (entry.name.empty()) return fail(Errc::invalid, "must not be empty", "name");
  entry.description = description.value_or("");
  entry.mime_type = mime_type.value_or(default_mime_type(entry.schema_type));
  const auto compiled = compile_schema(entry.schema_type, entry.content, message_of(entry));
  if (!compiled) return fail(compiled.error().code, compiled.error().detail, "content");
  return entry;
}

void write_members(json::Writer& out, const SchemaEntry& entry) {
  out.member("name", entry.name);
  out.member("description", entry.description);
  out.member("mimeType", entry.mime_type);
  out.member("schemaType", to_text(entry.schema_type));
  out.member("content", entry.content);
  out.member("eventTypeId", entry.event_type_id);
  out.key("version");
  entry.version ? out.string(to_text(*entry.version)) : out.null();
}

Result<Comparison> check_schemas(json::Value body) {
  const auto in = ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  const auto type = read_schema_type(*in, "schemaType");
  if (!type) return std::unexpected(type.error());
  const auto message = in->optional_string("message", kNameBytesMax);
  if (!message) return std::unexpected(message.error());
  const auto old_spec = read_side(*in, "old", *type, message->value_or(""));
  if (!old_spec) return std::unexpected(old_spec.error());
  const auto new_spec = read_side(*in, "new", *type, message->value_or(""));
  if (!new_spec) return std::unexpected(new_spec.error());
  return compare_schemas(*old_spec, *new_spec);
}

}  // namespace millrace::registry
