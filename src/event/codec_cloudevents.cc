#include "event/codec_cloudevents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "event/attribute_text.h"
#include "event/defaults.h"
#include "event/field_table.h"
#include "event/form_writer.h"
#include "json/compact.h"
#include "json/parse.h"

namespace millrace::event {
namespace {

using json::Kind;
using json::Value;
using Presence = Field::Presence;

void content_type(Decoding& d, const Field& field, Value value) {
  std::string text;
  if (!d.read_text(field.name, value, limits::kEventSourceBytesMax, text)) return;
  if (text.find('/') == text.npos) return d.refuse(field.name, "must be a media type, like \"application/json\"");
  d.keep(field.as, value);
}

void source(Decoding& d, const Field& field, Value value) {
  std::string text;
  if (!d.read_text(field.name, value, limits::kEventSourceBytesMax, text)) return;
  if (text.empty()) return d.refuse(field.name, "must not be empty");
  if (!is_uri_reference(text)) {
    return d.refuse(field.name, "must be a URI-reference: no spaces, and % only before two hexadecimal digits");
  }
  if (d.draft.header.source.empty()) d.draft.header.source = std::move(text);  // else mrsource was there
}

// Under its own name and under ours: once.
bool is_second_schema(Decoding& d, const Field& field) {
  const bool there = std::ranges::any_of(d.draft.parts, [&](const Part& part) { return part.name == field.as; });
  if (there) d.refuse(field.name, "must not be there twice, as dataschema and as mrdataschema");
  return there;
}

void our_data_schema(Decoding& d, const Field& field, Value value) {
  if (!is_second_schema(d, field)) read::kept_text(d, field, value);
}

void data_schema(Decoding& d, const Field& field, Value value) {
  std::string text;
  if (!d.read_text(field.name, value, limits::kEventSourceBytesMax, text)) return;
  if (text.empty()) return d.refuse(field.name, "must not be empty");
  if (!is_uri(text)) return d.refuse(field.name, "must be a URI with its scheme, like \"https://example.com/schema\"");
  if (!is_second_schema(d, field)) d.keep(field.as, value);
}

// An attribute of ours whose text is JSON.
void json_text(Decoding& d, const Field& field, Value value) {
  const auto document = value.is(Kind::string) ? json::parse_owned(value.get_string()) : json::parse_owned("");
  if (!document) return d.refuse(field.name, "must be a string of JSON");
  std::string compact;
  json::append_compact(compact, document->root());
  d.keep_json(field.as, compact);
}

template <void (Decoding::*read_context)(std::string_view, Value)>
void context_text(Decoding& d, const Field& field, Value value) {
  const auto document = value.is(Kind::string) ? json::parse_owned(value.get_string()) : json::parse_owned("");
  if (!document) return d.refuse(field.name, "must be a string of JSON");
  (d.*read_context)(field.name, document->root());
  // The parts of a draft are views of the request, and this text is not there.
  std::erase_if(d.draft.parts, [](const Part& part) { return part.name == "context"; });
  d.draft.reshaped = true;
}

void ttl_text(Decoding& d, const Field& field, Value value) {
  const auto document = json::parse_owned(value.is(Kind::string) ? value.get_string() : std::string(value.raw()));
  if (!document) return d.refuse(field.name, "must be a time in seconds since 1970");
  read::ttl(d, field, document->root());
}

constexpr std::string_view kOurSource = "mrsource";

constexpr Field kFields[] = {
    {"specversion", read::spec_version, {}, Presence::required},
    {"id", read::header_name<&Header::event_id, limits::kEventIdBytesMax>, {}, Presence::required},
    {"source", source, {}, Presence::required},
    {"type", read::header_name<&Header::type, limits::kEventTypeBytesMax>, {}, Presence::required},
    {"subject", read::header_name<&Header::subject, limits::kEventSubjectBytesMax>},
    {"time", read::time},
    {"datacontenttype", content_type, "datacontenttype"},
    {"dataschema", data_schema, "dataschema"},
    {"data", read::kept_data, "data"},
    {"data_base64", read::kept_base64, "data_base64"},
    {"mrbus", read::header_name<&Header::bus, limits::kBusNameBytesMax>},
    {kOurSource, read::header_name<&Header::source, limits::kEventSourceBytesMax>},
    {"mrdataschema", our_data_schema, "dataschema"},
    {"mrapp", read::header_text<&Header::app, limits::kEventSourceBytesMax>},
    {"mrentitytype", read::header_text<&Header::entity_type, limits::kEntityTypeBytesMax>},
    {"mrentityid", read::header_text<&Header::entity_id, limits::kEntityIdBytesMax>},
    {"mraggregatetype", read::kept_draft_text<&Draft::aggregate_type, limits::kEntityTypeBytesMax>, "aggregateType"},
    {"mraggregateid", read::kept_draft_text<&Draft::aggregate_id, limits::kEntityIdBytesMax>, "aggregateId"},
    {"mrproducer", read::kept_draft_text<&Draft::producer, limits::kEventSourceBytesMax>, "producer"},
    {"mractor", json_text, "actor"},
    {"mrmetadata", json_text, "metadata"},
    {"mrcontextdata", context_text<&Decoding::read_context_pairs>},
    {"mrcontext", context_text<&Decoding::read_context_object>, "context"},
    {"mrttl", ttl_text},
};

// Extensions that fill a field as well.
struct Speaking {
  std::string_view name;
  std::string Header::* header;
  std::size_t bytes_max;
};
constexpr Speaking kSpeaking[] = {
    {"correlationid", &Header::correlation_id, limits::kCorrelationIdBytesMax},
    {"causationid", &Header::causation_id, limits::kCorrelationIdBytesMax},
    {"messagegroup", &Header::message_group, limits::kMessageGroupBytesMax},
};
constexpr std::string_view kDeduplicationId = "deduplicationid";
constexpr std::string_view kSchemaVersion = "schemaversion";

void extension(Decoding& d, const FieldTable&, std::string_view name, Value value) {
  d.keep_extension(name, name, value);
  if (d.failed() || !value.is(Kind::string)) return;
  for (const Speaking& speaking : kSpeaking) {
    if (name == speaking.name) d.read_text(name, value, speaking.bytes_max, d.draft.header.*speaking.header);
  }
  if (name == kDeduplicationId &&
      d.read_text(name, value, limits::kDeduplicationIdBytesMax, d.draft.deduplication_id)) {
    d.keep("deduplicationId", value);
  }
  if (name == kSchemaVersion) d.read_schema_version(name, value);
}

const FieldTable& table() {
  static const FieldTable kTable(kFields, extension);
  return kTable;
}

// The source as it was called before it was made a URI stands beside what was made of it; anything else would be a
// second source, and nobody could say which one is meant.
void check_our_source(Decoding& d, Value object, std::uint64_t seen) {
  const auto ours = std::ranges::find(kFields, kOurSource, &Field::name) - std::begin(kFields);
  if (d.failed() || (seen >> ours & 1u) == 0) return;
  const auto source = object.find("source");
  const std::string made = to_uri_reference(d.draft.header.source);
  if (!source || source->equals(made)) return;
  d.refuse(kOurSource, fmt::format("must be what \"source\" was before it was escaped: that would be \"{}\", not {}",
                                   made, source->raw()));
}

// Control characters have no place in an attribute, nor has U+0000 in any text.
void check_characters(Decoding& d, Value object) {
  for (const auto [key, value] : object.members()) {
    if (!value.is(Kind::string) || key.equals("data") || key.equals("data_base64")) continue;
    const auto plain = value.plain_string();
    const bool fits = plain ? is_attribute_text(*plain) : is_attribute_text(value.get_string());
    if (!fits) d.refuse(key.get_string(), "must not contain control characters or noncharacters");
  }
}

std::string compact_text(Value value) {
  std::string text;
  json::append_compact(text, value);
  return text;
}

// Writes an attribute unless the event has an extension of that name, which says the same.
class AttributeWriter {
 public:
  AttributeWriter(json::Writer& out, std::optional<Value> extensions) : out_(out), extensions_(extensions) {}
  void text(std::string_view name, std::string_view content) {
    if (!content.empty() && !(extensions_ && extensions_->find(name))) out_.member(name, content);
  }

 private:
  json::Writer& out_;
  std::optional<Value> extensions_;
};

void write_context(AttributeWriter& out, const Header& header, const OpenRest& rest) {
  if (const auto context = rest.find("context")) return out.text("mrcontext", compact_text(*context));
  if (header.context.empty()) return;
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  write_context_pairs(writer, "pairs", header.context);
  writer.end_object();
  constexpr std::string_view kBefore = "{\"pairs\":";
  out.text("mrcontextdata", std::string_view(text).substr(kBefore.size(), text.size() - kBefore.size() - 1));
}

// What CloudEvents has no words for, and what its extensions say.
void write_our_attributes(AttributeWriter& out, const Header& header, const OpenRest& rest) {
  for (const Speaking& speaking : kSpeaking) out.text(speaking.name, header.*speaking.header);
  out.text(kDeduplicationId, rest.text("deduplicationId"));
  out.text(kSchemaVersion, rest.text("schemaVersion"));
  if (header.bus != kDefaultBus) out.text("mrbus", header.bus);
  const Explicit beyond = beyond_defaults(header, rest);
  if (beyond.app) out.text("mrapp", header.app);
  if (beyond.entity) out.text("mrentitytype", header.entity_type);
  if (beyond.entity) out.text("mrentityid", header.entity_id);
  out.text("mraggregatetype", rest.text("aggregateType"));
  out.text("mraggregateid", rest.text("aggregateId"));
  out.text("mrproducer", rest.text("producer"));
  if (const auto actor = rest.find("actor")) out.text("mractor", compact_text(*actor));
  if (const auto metadata = rest.find("metadata")) out.text("mrmetadata", compact_text(*metadata));
  if (header.expires) out.text("mrttl", fmt::to_string(to_ms(*header.expires) / 1000));
  write_context(out, header, rest);
}

// A core attribute may not be empty, and every event has a source: where the sender named none, the app is it. The
// other forms take any text as a source or a schema's name; what is no URI goes out as one, with the text beside it.
void write_attributes(json::Writer& out, const Header& header, const OpenRest& rest) {
  out.member("specversion", "1.0");
  out.member("id", header.event_id);
  const std::string& source = header.source.empty() ? header.app : header.source;
  const bool plain = is_uri_reference(source);
  out.member("source", plain ? source : to_uri_reference(source));
  if (!plain && !header.source.empty()) out.member("mrsource", source);
  out.member("type", header.type);
  write_text(out, "subject", header.subject);
  out.member("time", rest.notes().time.empty() ? format_time(header.time) : rest.notes().time);
  const std::string data_schema = rest.text("dataschema");
  write_text(out, is_uri(data_schema) ? "dataschema" : "mrdataschema", data_schema);
  const auto extensions = rest.find("extensions");
  if (extensions) {
    for (const auto [key, value] : extensions->members()) out.member(key.get_string(), value);
  }
  AttributeWriter ours(out, extensions);
  write_our_attributes(ours, header, rest);
}

}  // namespace

Result<Draft> decode_cloudevent(Value object, std::optional<std::size_t> element) {
  Decoding decoding(Envelope::cloudevents, element, object.raw().size());
  check_characters(decoding, object);
  const std::uint64_t seen = table().read(decoding, object);
  table().require(decoding, seen, Presence::required);
  check_our_source(decoding, object, seen);
  return std::move(decoding).finish();
}

std::vector<std::string_view> missing_in_cloudevent(Value object) {
  return table().missing(object, Presence::required);
}

void write_cloudevent(json::Writer& out, const Record& record) {
  const OpenRest rest(*record.rest);
  out.begin_object();
  write_attributes(out, record.header, rest);
  write_text(out, "datacontenttype", rest.text("datacontenttype"));
  for (const std::string_view name : {"data", "data_base64"}) {
    if (const auto value = rest.find(name)) out.member(name, *value);
  }
  out.end_object();
}

std::vector<std::pair<std::string, std::string>> attribute_texts(const Record& record) {
  const OpenRest rest(*record.rest);
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  write_attributes(writer, record.header, rest);
  writer.end_object();
  std::vector<std::pair<std::string, std::string>> attributes;
  const auto document = json::parse(text);
  for (const auto [key, value] : document->root().members()) {
    attributes.emplace_back(key.get_string(), value.is(Kind::string) ? value.get_string() : std::string(value.raw()));
  }
  return attributes;
}

}  // namespace millrace::event
