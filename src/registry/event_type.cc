#include "registry/event_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "json/known_fields.h"
#include "json/object_reader.h"
#include "registry/bounds.h"
#include "registry/schema_text.h"
#include "registry/type_code.h"

namespace millrace::registry {
namespace {

using json::ObjectReader;

template <class E>
struct Word {
  E value;
  std::string_view text;
};

constexpr std::array kTypeStatuses{Word{TypeStatus::current, "CURRENT"}, Word{TypeStatus::archive, "ARCHIVE"}};
constexpr std::array kSchemaTypes{Word{SchemaType::json_schema, "JSON_SCHEMA"}, Word{SchemaType::proto, "PROTO"},
                                  Word{SchemaType::xsd, "XSD"}};
constexpr std::array kVersionStatuses{Word{VersionStatus::finalising, "FINALISING"},
                                      Word{VersionStatus::current, "CURRENT"},
                                      Word{VersionStatus::deprecated, "DEPRECATED"}};
constexpr std::array kDescribes{Word{Describes::data, "data"}, Word{Describes::envelope, "envelope"}};

template <class Words, class E>
std::string_view word_of(const Words& words, E value) {
  return std::ranges::find(words, value, [](const auto& word) { return word.value; })->text;
}

// The value of an optional field that holds one of `words`; `otherwise` where it is absent.
template <class E, std::size_t N>
Result<E> read_word(const ObjectReader& in, std::string_view key, const std::array<Word<E>, N>& words, E otherwise) {
  constexpr std::size_t kWordBytesMax = 100;
  const auto text = in.optional_string(key, kWordBytesMax);
  if (!text) return std::unexpected(text.error());
  if (!*text) return otherwise;
  const auto found = std::ranges::find(words, **text, [](const auto& word) { return word.text; });
  if (found != words.end()) return found->value;
  std::vector<std::string_view> known;
  for (const auto& word : words) known.push_back(word.text);
  return fail(Errc::invalid, fmt::format("\"{}\" is not one of {}", **text, fmt::join(known, ", ")), in.path_of(key));
}

Result<SchemaVersion> read_version(const ObjectReader& in) {
  constexpr std::size_t kVersionBytesMax = 32;
  const auto text = in.required_string("version", kVersionBytesMax);
  if (!text) return std::unexpected(text.error());
  if (const auto version = parse_schema_version(*text)) return *version;
  return fail(Errc::invalid, fmt::format("\"{}\" is not {}", *text, kVersionForm), in.path_of("version"));
}

bool is_null(const ObjectReader& in, std::string_view key) {
  const auto value = in.optional_value(key);
  return value && value->is(json::Kind::null);
}

// A field that is null goes back to what it is where nobody names it (JSON merge patch). The schema, which every
// version has, stays for its reader to refuse.
void forget_nulls(const ObjectReader& in, SpecVersion& spec) {
  const SpecVersion bare;
  if (is_null(in, "mimeType")) spec.mime_type = bare.mime_type;
  if (is_null(in, "message")) spec.message = bare.message;
  if (is_null(in, "schemaType")) spec.schema_type = bare.schema_type;
  if (is_null(in, "status")) spec.status = bare.status;
  if (is_null(in, "describes")) spec.describes = bare.describes;
}

void forget_nulls(const ObjectReader& in, EventType& type) {
  const EventType bare;
  if (is_null(in, "name")) type.name = type.code;
  if (is_null(in, "description")) type.description = bare.description;
  if (is_null(in, "status")) type.status = bare.status;
  if (is_null(in, "strict")) type.strict = bare.strict;
  if (is_null(in, "specVersions")) type.spec_versions = bare.spec_versions;
}

// Lays what `in` names over `spec`, all but the version.
Result<void> read_spec_fields(const ObjectReader& in, SpecVersion& spec) {
  forget_nulls(in, spec);
  Error error{};
  const auto take = [&error](auto& into, auto result) {
    if (result) into = std::move(*result);
    if (!result) error = std::move(result.error());
    return result.has_value();
  };
  std::optional<std::string> mime_type;
  std::optional<std::string> message;
  const bool typed = !in.optional_value("schemaType") || take(spec.schema_type, read_schema_type(in, "schemaType"));
  const bool kept = !spec.schema.empty() && !in.optional_value("schema");
  const bool good = typed && (kept || take(spec.schema, read_schema_text(in, "schema", spec.schema_type))) &&
                    take(spec.status, read_word(in, "status", kVersionStatuses, spec.status)) &&
                    take(spec.describes, read_word(in, "describes", kDescribes, spec.describes)) &&
                    take(mime_type, in.optional_string("mimeType", kMimeTypeBytesMax)) &&
                    take(message, in.optional_string("message", kNameBytesMax));
  if (!good) return std::unexpected(std::move(error));
  if (mime_type) spec.mime_type = *mime_type;
  if (spec.mime_type.empty()) spec.mime_type = default_mime_type(spec.schema_type);
  if (message) spec.message = *message;
  if (!spec.message.empty() && spec.schema_type != SchemaType::proto) {
    return fail(Errc::invalid, "names a protobuf message, but schemaType is not PROTO", in.path_of("message"));
  }
  return {};
}

Result<SpecVersion> read_spec_version(json::Value value, std::string path) {
  const auto in = ObjectReader::open(value, std::move(path));
  if (!in) return std::unexpected(in.error());
  const auto known = json::refuse_unknown(
      *in, "a version", {"version", "mimeType", "schema", "schemaType", "message", "status", "describes"});
  if (!known) return std::unexpected(known.error());
  const auto version = read_version(*in);
  if (!version) return std::unexpected(version.error());
  SpecVersion out;
  out.version = *version;
  if (const auto read = read_spec_fields(*in, out); !read) return std::unexpected(read.error());
  return out;
}

Result<std::vector<SpecVersion>> read_spec_versions(json::Value array, const std::string& path) {
  std::vector<SpecVersion> versions;
  for (const json::Value element : array.elements()) {
    const std::string place = json::element_path(path, versions.size());
    auto version = read_spec_version(element, place);
    if (!version) return std::unexpected(version.error());
    if (std::ranges::find(versions, version->version, &SpecVersion::version) != versions.end()) {
      return fail(Errc::invalid, fmt::format("version {} is there twice", to_text(version->version)),
                  place + ".version");
    }
    versions.push_back(std::move(*version));
  }
  std::ranges::sort(versions, {}, &SpecVersion::version);
  return versions;
}

// Lays what `in` names over `type`.
Result<void> read_fields(const ObjectReader& in, EventType& type) {
  auto known = json::refuse_unknown(
      in, "an event type",
      {"id", "code", "name", "description", "status", "strict", "specVersions", "version", "createdAt", "updatedAt"});
  if (!known) return known;
  forget_nulls(in, type);
  const auto name = in.optional_string("name", kNameBytesMax);
  if (!name) return std::unexpected(name.error());
  if (*name) type.name = **name;
  const auto description = in.optional_string("description", kDescriptionBytesMax);
  if (!description) return std::unexpected(description.error());
  if (*description) type.description = **description;
  const auto status = read_word(in, "status", kTypeStatuses, type.status);
  if (!status) return std::unexpected(status.error());
  type.status = *status;
  const auto strict = in.optional_bool("strict");
  if (!strict) return std::unexpected(strict.error());
  type.strict = strict->value_or(type.strict);
  const auto versions = in.optional_array("specVersions", kSpecVersionsMax);
  if (!versions) return std::unexpected(versions.error());
  if (!*versions) return {};
  auto read = read_spec_versions(**versions, in.path_of("specVersions"));
  if (!read) return std::unexpected(read.error());
  type.spec_versions = std::move(*read);
  return {};
}

std::unexpected<Error> refuse_version(std::string detail) {
  return fail(Errc::invalid, std::move(detail), "schemaVersion");
}

std::string known_versions(const EventType& type) {
  std::vector<std::string> known;
  for (const SpecVersion& spec : type.spec_versions) known.push_back(to_text(spec.version));
  return known.empty() ? "none is registered" : fmt::format("registered: {}", fmt::join(known, ", "));
}

}  // namespace

std::string_view to_text(TypeStatus status) { return word_of(kTypeStatuses, status); }
std::string_view to_text(SchemaType type) { return word_of(kSchemaTypes, type); }
std::string_view to_text(VersionStatus status) { return word_of(kVersionStatuses, status); }
std::string_view to_text(Describes describes) { return word_of(kDescribes, describes); }

std::optional<SchemaType> parse_schema_type(std::string_view text) {
  const auto found = std::ranges::find(kSchemaTypes, text, [](const auto& word) { return word.text; });
  return found == kSchemaTypes.end() ? std::nullopt : std::optional(found->value);
}

Result<EventType> parse_event_type(json::Value body) {
  const auto in = ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  EventType type;
  auto code = in->required_string("code", kCodeBytesMax);
  if (!code) return std::unexpected(code.error());
  if (const auto form = parse_code(*code); !form) return std::unexpected(form.error());
  type.code = std::move(*code);
  type.name = type.code;
  if (const auto read = read_fields(*in, type); !read) return std::unexpected(read.error());
  return type;
}

Result<EventType> merge_event_type(const EventType& old, json::Value body) {
  const auto in = ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  const auto code = in->optional_string("code", kCodeBytesMax);
  if (!code) return std::unexpected(code.error());
  if (is_null(*in, "code")) return fail(Errc::invalid, "must not be null: every type has its code", "code");
  if (*code && **code != old.code) return fail(Errc::invalid, "the code of a type never changes", "code");
  EventType type = old;
  if (const auto read = read_fields(*in, type); !read) return std::unexpected(read.error());
  return type;
}

Result<SpecVersion> merge_spec_version(const SpecVersion& old, json::Value body) {
  const auto in = ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  const auto known = json::refuse_unknown(
      *in, "a version",
      {"version", "mimeType", "schema", "schemaType", "message", "status", "describes", "type", "updatedAt"});
  if (!known) return std::unexpected(known.error());
  if (in->optional_value("version")) {
    const auto version = read_version(*in);
    if (!version) return std::unexpected(version.error());
    if (*version != old.version) return fail(Errc::invalid, "the number of a version never changes", "version");
  }
  SpecVersion spec = old;
  if (const auto read = read_spec_fields(*in, spec); !read) return std::unexpected(read.error());
  return spec;
}

void write_members(json::Writer& out, const EventType& type) {
  out.member("code", type.code);
  out.member("name", type.name);
  out.member("description", type.description);
  out.member("status", to_text(type.status));
  out.member("strict", type.strict);
  out.key("specVersions");
  out.begin_array();
  for (const SpecVersion& spec : type.spec_versions) {
    out.begin_object();
    out.member("version", to_text(spec.version));
    out.member("mimeType", spec.mime_type);
    out.member("schema", spec.schema);
    out.member("schemaType", to_text(spec.schema_type));
    if (!spec.message.empty()) out.member("message", spec.message);
    out.member("status", to_text(spec.status));
    if (spec.describes != Describes::data) out.member("describes", to_text(spec.describes));
    out.end_object();
  }
  out.end_array();
}

Result<const SpecVersion*> choose_version(const EventType& type, std::optional<std::string_view> named) {
  const auto& versions = type.spec_versions;
  if (!named) {
    const auto newest_first = versions | std::views::reverse;
    const auto current = std::ranges::find(newest_first, VersionStatus::current, &SpecVersion::status);
    if (current != newest_first.end()) return &*current;
    if (!type.strict) return nullptr;
    return refuse_version(fmt::format("{} is strict, the event names no version and none is CURRENT", type.code));
  }
  if (const auto version = parse_event_schema_version(*named)) {
    const auto found = std::ranges::find(versions, *version, &SpecVersion::version);
    if (found != versions.end()) return &*found;
  }
  if (!type.strict) return nullptr;
  return refuse_version(fmt::format("{} has no version {}; {}", type.code, *named, known_versions(type)));
}

}  // namespace millrace::registry
