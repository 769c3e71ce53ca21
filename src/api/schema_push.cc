#include "api/schema_push.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "json/known_fields.h"
#include "json/object_reader.h"
#include "json/parse.h"
#include "json/writer.h"
#include "registry/bounds.h"
#include "registry/folder.h"
#include "registry/schema_version.h"
#include "registry/type_change.h"

namespace millrace::api {
namespace {

using json::ObjectReader;
using registry::EventType;
using registry::SpecVersion;

Result<EventType> read_file(const ObjectReader& in, const std::string& name) {
  const auto known = json::refuse_unknown(in, "a schema file", {"file", "text", "ifMatch"});
  if (!known) return std::unexpected(known.error());
  auto text = in.required_string("text", registry::kSchemaBytesMax);
  if (!text) return std::unexpected(std::move(text.error()));
  // What is no schema file is refused here, although a folder may have others.
  if (const auto named = registry::parse_schema_file_name(name); !named) {
    return fail(Errc::invalid, named.error().detail, name);
  }
  const registry::SchemaFile file{name, *std::move(text)};
  registry::SchemaFolder folder = registry::read_schema_folder({&file, 1});
  if (!folder.problems.empty()) return fail(Errc::invalid, folder.problems.front().message, name);
  return std::move(folder.types.front());
}

// The version as a number (2) or a text ("2", "2.1").
Result<std::string> read_version(const ObjectReader& in) {
  const auto value = in.required_value("version");
  if (!value) return std::unexpected(value.error());
  const std::string text = value->is(json::Kind::string) ? value->get_string() : std::string(value->raw());
  const auto version = registry::parse_event_schema_version(text);
  if (!version)
    return fail(Errc::invalid, "\"version\" must be MAJOR or MAJOR.MINOR, MAJOR from 1 to 999999",
                in.path_of("version"));
  return registry::to_text(*version);
}

// The same schema as the body of an event type with this one version.
Result<std::string> as_type_body(const ObjectReader& in) {
  const auto name = in.required_string("type", registry::kCodeBytesMax + 1 + registry::kNameBytesMax);
  if (!name) return std::unexpected(name.error());
  const std::size_t mark = std::min(name->find('#'), name->size());
  const auto version = read_version(in);
  if (!version) return std::unexpected(version.error());
  const auto language = in.optional_value("schemaType");
  const bool is_json = !language || language->equals("JSON_SCHEMA");
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("code", name->substr(0, mark));
  out.key("specVersions");
  out.begin_array();
  out.begin_object();
  out.member("version", *version);
  if (!in.optional_value("status")) out.member("status", "CURRENT");
  if (mark < name->size()) out.member("message", name->substr(mark + 1));
  if (!in.optional_value("describes")) out.member("describes", is_json ? "envelope" : "data");
  for (const json::Member member : in.object().members()) {
    const std::string key = member.key.get_string();
    if (key == "message" && mark < name->size()) continue;
    if (key != "type" && key != "version" && key != "ifMatch") out.member(key, member.value);
  }
  out.end_object();
  out.end_array();
  out.end_object();
  return text;
}

Result<EventType> read_entry(const ObjectReader& in, const std::string& place) {
  const auto text = as_type_body(in);
  if (!text) return std::unexpected(text.error());
  const auto document = json::parse(std::string_view(*text));
  auto type = registry::parse_event_type(document->root());
  if (type) return type;
  // From the made-up body's path to the one that was sent.
  constexpr std::string_view kMade = "specVersions[0].";
  std::string_view field = type.error().field;
  if (field.starts_with(kMade)) field.remove_prefix(kMade.size());
  if (field == "code") field = "type";
  return fail(type.error().code, type.error().detail, fmt::format("{}.{}", place, field));
}

PushedSchema read_one(json::Value value, const std::string& place) {
  const auto in = ObjectReader::open(value, place);
  if (!in) return {place, std::unexpected(in.error())};
  const auto file = in->optional_string("file", registry::kCodeBytesMax + 32);
  if (!file) return {place, std::unexpected(file.error())};
  const auto seen = in->optional_int("ifMatch", 0, std::numeric_limits<std::int64_t>::max());
  if (!seen) return {file->value_or(place), std::unexpected(seen.error())};
  const auto if_match = seen->transform([](std::int64_t version) { return static_cast<std::uint64_t>(version); });
  if (*file) return {**file, read_file(*in, **file), if_match};
  return {place, read_entry(*in, place), if_match};
}

}  // namespace

std::string_view to_text(PushOutcome outcome) {
  constexpr std::array<std::string_view, 3> kWords = {"created", "updated", "unchanged"};
  return kWords[static_cast<std::size_t>(outcome)];
}

Result<std::vector<PushedSchema>> read_push(json::Value body) {
  std::vector<PushedSchema> schemas;
  if (body.is(json::Kind::object)) {
    schemas.push_back(read_one(body, "[0]"));
    return schemas;
  }
  if (!body.is(json::Kind::array) || body.size() == 0 || body.size() > kSchemasPerPushMax) {
    return fail(Errc::invalid, fmt::format("the body must be an array of 1 to {} schemas", kSchemasPerPushMax));
  }
  for (const json::Value element : body.elements()) {
    schemas.push_back(read_one(element, fmt::format("[{}]", schemas.size())));
  }
  return schemas;
}

Result<PushStep> push_onto(const std::optional<EventType>& present, const EventType& pushed) {
  const SpecVersion& spec = pushed.spec_versions.front();
  if (!present) {
    if (const auto checked = registry::check_new_type(pushed); !checked) return std::unexpected(checked.error());
    return PushStep{pushed, PushOutcome::created};
  }
  PushStep step{*present, PushOutcome::created};
  auto& versions = step.type.spec_versions;
  const auto at = std::ranges::lower_bound(versions, spec.version, {}, &SpecVersion::version);
  if (at != versions.end() && at->version == spec.version) {
    const registry::VersionStatus status = std::max(at->status, spec.status);  // a push never turns back a version
    step.outcome = PushOutcome::updated;
    SpecVersion replacement = spec;
    replacement.status = status;
    if (*at == replacement) step.outcome = PushOutcome::unchanged;
    *at = std::move(replacement);
  } else {
    versions.insert(at, spec);
  }
  if (versions.size() > registry::kSpecVersionsMax) {
    return fail(Errc::invalid, fmt::format("a type has {} versions at most", registry::kSpecVersionsMax));
  }
  if (step.outcome == PushOutcome::unchanged) return step;
  if (const auto checked = registry::check_type_change(*present, step.type); !checked) {
    return std::unexpected(checked.error());
  }
  return step;
}

}  // namespace millrace::api
