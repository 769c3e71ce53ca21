#include "event/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/time.h"
#include "json/compact.h"

namespace millrace::event {
namespace {

using json::Kind;
using json::Value;

// How much of a refused text a message repeats.
constexpr std::size_t kSeenBytesMax = 60;

std::string_view seen_text(Value value) {
  return value.raw().size() <= kSeenBytesMax ? value.raw() : json::describe(value.kind());
}

// Of a version: as many digits as the registry takes, and one way to write each.
constexpr std::int64_t kVersionNumberMax = 999'999;

bool is_version_number(std::string_view text) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits && !text.empty() && text.size() <= 6 && (text == "0" || text.front() != '0');
}

bool is_schema_version(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return false;
  const std::string_view major = text.substr(0, dot);
  return is_version_number(major) && major != "0" && is_version_number(text.substr(dot + 1));
}

bool is_attribute_name(std::string_view name) {
  return !name.empty() && name != "data" &&
         std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

bool is_integer_32(Value value) {
  const auto number = value.as_int64();
  return number && value.raw().find_first_of(".eE") == std::string_view::npos && *number >= INT32_MIN &&
         *number <= INT32_MAX;
}

// What a searchable pair can hold.
bool fits_pair(std::string_view key, std::string_view value) {
  return key.size() <= limits::kContextKeyBytesMax && value.size() <= limits::kContextValueBytesMax &&
         key.find('\0') == key.npos && value.find('\0') == value.npos;
}

std::string scalar_text(Value value) { return value.is(Kind::string) ? value.get_string() : std::string(value.raw()); }

bool is_scalar(Value value) { return value.is(Kind::string) || value.is(Kind::number) || value.is(Kind::boolean); }

}  // namespace

std::string Draft::path_of(std::string_view field) const {
  return element ? fmt::format("[{}].{}", *element, field) : std::string(field);
}

Decoding::Decoding(Envelope envelope, std::optional<std::size_t> element, std::size_t bytes_expected)
    : rest_(members_), extension_writer_(extensions_) {
  draft.envelope = envelope;
  draft.element = element;
  notes.envelope = envelope;
  members_.reserve(bytes_expected);
  rest_.begin_object();
}

void Decoding::refuse(std::string_view field, std::string_view rule, Errc code) {
  if (error_) return;
  std::string path = draft.path_of(field);
  error_ = Error{code, fmt::format("\"{}\" {}", path, rule), std::move(path)};
}

void Decoding::refuse_kind(std::string_view field, std::string_view expected, Value seen) {
  refuse(field, fmt::format("must be {}, not {}", expected, json::describe(seen.kind())));
}

bool Decoding::read_text(std::string_view field, Value value, std::size_t bytes_max, std::string& out) {
  if (!value.is(Kind::string)) {
    refuse_kind(field, "a string", value);
    return false;
  }
  out.clear();
  value.append_content(out);
  if (out.size() > bytes_max) {
    refuse(field, fmt::format("may have {} bytes at most, not {}", bytes_max, out.size()));
    return false;
  }
  if (out.find('\0') != out.npos) {
    refuse(field, "must not contain the character U+0000");
    return false;
  }
  return true;
}

void Decoding::read_time(std::string_view field, Value value) {
  constexpr std::string_view kExpected = "a time from 1970 on, like \"2025-12-24T10:30:00.000Z\"";
  if (!value.is(Kind::string)) return refuse_kind(field, kExpected, value);
  std::string text = value.get_string();
  draft.time = parse_time(text);
  if (!draft.time) return refuse(field, fmt::format("must be {}, not {}", kExpected, seen_text(value)));
  if (text != format_time(*draft.time)) notes.time = std::move(text);
}

void Decoding::read_schema_version(std::string_view field, Value value) {
  if (const auto number = value.as_int64(); number && *number >= 1 && *number <= kVersionNumberMax) {
    draft.schema_version = fmt::format("{}.0", *number);
    keep_text("schemaVersion", draft.schema_version);
    return;
  }
  const bool fits = value.is(Kind::string) && is_schema_version(value.get_string());
  if (!fits) {
    return refuse(
        field, fmt::format("must be a version like \"1.0\" or an integer from 1 to 999999, not {}", seen_text(value)));
  }
  draft.schema_version = value.get_string();
  keep("schemaVersion", value);
}

void Decoding::read_tenant(std::string_view field, Value value) {
  // Longer than any TenantId; whether it is one, and the caller's, is asked later.
  constexpr std::size_t kTenantBytesMax = 255;
  std::string text;
  if (!read_text(field, value, kTenantBytesMax, text)) return;
  if (!draft.tenant_field.empty() && text != draft.tenant) {
    return refuse(field, fmt::format("is \"{}\", but \"{}\" is \"{}\"", text, draft.tenant_field, draft.tenant));
  }
  draft.tenant = std::move(text);
  draft.tenant_field = field;
  if (field == "workspace_id") notes.workspace = true;
}

void Decoding::read_context_pairs(std::string_view field, Value value) {
  if (!value.is(Kind::array)) return refuse_kind(field, "an array of {\"key\", \"value\"}", value);
  if (std::exchange(context_seen_, true)) return refuse(field, "is given in two ways");
  if (value.size() > limits::kContextPairsMax) {
    return refuse(field, fmt::format("may have {} elements at most, not {}", limits::kContextPairsMax, value.size()));
  }
  draft.header.context.reserve(value.size());
  for (const Value element : value.elements()) {
    if (!read_pair(element)) return refuse_pair(field, draft.header.context.size(), element);
  }
}

bool Decoding::read_pair(Value element) {
  const auto key = element.find("key");
  const auto value = element.find("value");
  const bool pair = key && value && element.size() == 2 && key->is(Kind::string) && value->is(Kind::string);
  if (!pair) return false;
  ContextPair read{key->get_string(), value->get_string()};
  if (!fits_pair(read.key, read.value)) return false;
  draft.header.context.push_back(std::move(read));
  return true;
}

// Apart from the reading, so that only a refusal pays for the path.
void Decoding::refuse_pair(std::string_view field, std::size_t index, Value element) {
  const std::string path = fmt::format("{}[{}]", field, index);
  const auto key = element.find("key");
  const auto value = element.find("value");
  if (!key || !value || element.size() != 2) return refuse(path, "must be an object of \"key\" and \"value\"");
  std::string text;
  read_text(path + ".key", *key, limits::kContextKeyBytesMax, text);
  read_text(path + ".value", *value, limits::kContextValueBytesMax, text);
}

void Decoding::add_pair(Value key, Value value) {
  ContextPair pair{key.get_string(), scalar_text(value)};
  // What is too long to be searched is not lost: the whole object is kept beside the pairs.
  const bool fits = fits_pair(pair.key, pair.value) && draft.header.context.size() < limits::kContextPairsMax;
  if (!fits || !value.is(Kind::string)) notes.context = true;
  if (fits) draft.header.context.push_back(std::move(pair));
}

void Decoding::read_context_object(std::string_view field, Value value) {
  if (!value.is(Kind::object)) return refuse_kind(field, "an object", value);
  if (std::exchange(context_seen_, true)) return refuse(field, "is given in two ways");
  for (const auto [key, content] : value.members()) {
    if (is_scalar(content)) {
      add_pair(key, content);
      continue;
    }
    notes.context = true;
    if (!content.is(Kind::array)) continue;
    for (const Value element : content.elements()) {
      if (is_scalar(element)) add_pair(key, element);
    }
  }
  if (notes.context) keep("context", value);
}

void Decoding::keep(std::string_view name, Value value) {
  rest_.member(name, value);
  draft.parts.push_back({name, value});
}

void Decoding::keep_text(std::string_view name, std::string_view text) {
  rest_.member(name, text);
  draft.reshaped = true;
}

void Decoding::keep_json(std::string_view name, std::string_view json) {
  rest_.raw_member(name, json);
  draft.reshaped = true;
}

void Decoding::keep_extension(std::string_view field, std::string_view name, Value value) {
  if (!is_attribute_name(name)) {
    return refuse(field, "is no name of an attribute: only the letters a-z and the digits 0-9 make one");
  }
  if (value.is(Kind::null)) return;
  if (!value.is(Kind::string) && !value.is(Kind::boolean) && !is_integer_32(value)) {
    return refuse(field, fmt::format("must be a string, a boolean or an integer of 32 bits, not {}",
                                     value.is(Kind::number) ? seen_text(value) : json::describe(value.kind())));
  }
  if (++extension_count_ > limits::kExtensionsMax) {
    return refuse(field, fmt::format("is one extension too many: the limit is {}", limits::kExtensionsMax));
  }
  if (extension_count_ == 1) extension_writer_.begin_object();
  extension_writer_.member(name, value);
}

Result<Draft> Decoding::finish() && {
  if (error_) return std::unexpected(*std::move(error_));
  if (extension_count_ > 0) {
    extension_writer_.end_object();
    keep_json("extensions", extensions_);
  }
  if (members_.size() > limits::kEventBytesMax) {
    refuse("data", fmt::format("makes an event of {} bytes, the limit is {}", members_.size(), limits::kEventBytesMax),
           Errc::too_large);
    return std::unexpected(*std::move(error_));
  }
  draft.rest = join_rest(notes, std::string_view(members_).substr(1));
  return std::move(draft);
}

}  // namespace millrace::event
