#include "event/codec_snake.h"

#include "base/limits.h"
#include "event/defaults.h"
#include "event/field_table.h"
#include "event/form_writer.h"
#include "event/rest.h"

namespace millrace::event {
namespace {

using Presence = Field::Presence;

constexpr std::string_view kPublicPrefix = "public.";

bool is_public(std::string_view type) { return type.starts_with(kPublicPrefix); }

constexpr Field kFields[] = {
    {"event_id", read::header_name<&Header::event_id, limits::kEventIdBytesMax>, {}, Presence::required},
    {"event_type", read::header_name<&Header::type, limits::kEventTypeBytesMax>, {}, Presence::required},
    {"schema_version", read::schema_version, "schemaVersion", Presence::required},
    {"occurred_at", read::time, {}, Presence::required},
    {"aggregate_id", read::kept_draft_name<&Draft::aggregate_id, limits::kEntityIdBytesMax>, "aggregateId",
     Presence::required_inside},
    {"aggregate_type", read::kept_draft_name<&Draft::aggregate_type, limits::kEntityTypeBytesMax>, "aggregateType",
     Presence::required_inside},
    {"correlation_id",
     read::header_name<&Header::correlation_id, limits::kCorrelationIdBytesMax>,
     {},
     Presence::required_inside},
    {"actor", read::kept_object, "actor", Presence::required_inside},
    {"organization_id", read::tenant},
    {"workspace_id", read::tenant},
    {"causation_id", read::header_text<&Header::causation_id, limits::kCorrelationIdBytesMax>},
    {"producer", read::kept_draft_text<&Draft::producer, limits::kEventSourceBytesMax>, "producer"},
    {"metadata", read::kept_object, "metadata"},
    {"data", read::kept_data, "data"},
    {"source", read::header_text<&Header::source, limits::kEventSourceBytesMax>},
    {"subject", read::header_text<&Header::subject, limits::kEventSubjectBytesMax>},
    {"message_group", read::header_text<&Header::message_group, limits::kMessageGroupBytesMax>},
    {"deduplication_id", read::kept_draft_text<&Draft::deduplication_id, limits::kDeduplicationIdBytesMax>,
     "deduplicationId"},
    {"context_data", read::context_pairs},
    {"context", read::context_object, "context"},
    {"bus", read::header_name<&Header::bus, limits::kBusNameBytesMax>},
    {"app", read::header_text<&Header::app, limits::kEventSourceBytesMax>},
    {"entity_type", read::header_text<&Header::entity_type, limits::kEntityTypeBytesMax>},
    {"entity_id", read::header_text<&Header::entity_id, limits::kEntityIdBytesMax>},
    {"ttl", read::ttl},
    {"datacontenttype", read::kept_text, "datacontenttype"},
    {"dataschema", read::kept_text, "dataschema"},
    {"data_base64", read::kept_base64, "data_base64"},
    {"extensions", read::extensions, "extensions"},
    {"audit", read::audit},
};

const FieldTable& table() {
  static const FieldTable kTable(kFields, refuse_unknown);
  return kTable;
}

// "1.0" is the integer 1; a version with a minor number stays a text.
void write_schema_version(json::Writer& out, json::Value version) {
  const std::string text = version.get_string();
  if (text.ends_with(".0")) {
    out.raw_member("schema_version", std::string_view(text).substr(0, text.size() - 2));
  } else {
    out.member("schema_version", text);
  }
}

void write_occurred_at(json::Writer& out, const Header& header, const OpenRest& rest) {
  out.member("occurred_at", rest.notes().time.empty() ? format_time(header.time) : rest.notes().time);
}

TenantName sent_name(const Notes& notes) {
  return notes.workspace ? TenantName::workspace_id : TenantName::organization_id;
}

void write_tenant(json::Writer& out, const TenantId& tenant, TenantName name) {
  if (name != TenantName::workspace_id) out.member("organization_id", tenant.text());
  if (name != TenantName::organization_id) out.member("workspace_id", tenant.text());
}

// What stands in `rest` and is written here by other rules than the table's.
constexpr std::string_view kWritten[] = {"schemaVersion", "aggregateType", "aggregateId"};

// Every envelope of this form has an aggregate; where the sender told of none, it is the entity.
void write_aggregate(json::Writer& out, const Header& header, const OpenRest& rest) {
  Entity told = told_entity(rest.text("aggregateType"), rest.text("aggregateId"), header.subject);
  if (told.type.empty()) told.type = header.entity_type;
  if (told.id.empty()) told.id = header.entity_id;
  out.member("aggregate_id", told.id);
  out.member("aggregate_type", told.type);
  if (upper_case(told.type) == header.entity_type && told.id == header.entity_id) return;
  out.member("entity_type", header.entity_type);
  out.member("entity_id", header.entity_id);
}

}  // namespace

Result<Draft> decode_snake(json::Value object, std::optional<std::size_t> element) {
  Decoding decoding(Envelope::snake, element, object.raw().size());
  const std::uint64_t seen = table().read(decoding, object);
  table().require(decoding, seen, Presence::required);
  if (!is_public(decoding.draft.header.type)) table().require(decoding, seen, Presence::required_inside);
  const std::string_view tenant_field = decoding.draft.tenant_field;
  if (tenant_field.empty()) decoding.refuse("organization_id", "is required");
  if (decoding.draft.tenant.empty()) decoding.refuse(tenant_field, "must not be empty");
  return std::move(decoding).finish();
}

std::vector<std::string_view> missing_in_snake(json::Value object) {
  std::vector<std::string_view> names = table().missing(object, Presence::required);
  const auto given = [&object](std::string_view name) {
    const auto value = object.find(name);
    return value && !value->is(json::Kind::null);
  };
  const auto type = object.find("event_type");
  if (!type || !type->is(json::Kind::string) || !is_public(type->get_string())) {
    for (const std::string_view name : table().missing(object, Presence::required_inside)) names.push_back(name);
  }
  if (!given("organization_id") && !given("workspace_id")) names.emplace_back("organization_id");
  return names;
}

void write_snake(json::Writer& out, const Record& record) { write_snake_naming(out, record, TenantName::as_sent); }

void write_snake_naming(json::Writer& out, const Record& record, TenantName name) {
  const Header& header = record.header;
  const OpenRest rest(*record.rest);
  out.begin_object();
  out.member("event_id", header.event_id);
  out.member("event_type", header.type);
  if (const auto version = rest.find("schemaVersion")) write_schema_version(out, *version);
  write_occurred_at(out, header, rest);
  if (!is_public(header.type) || rest.find("aggregateId")) write_aggregate(out, header, rest);
  write_tenant(out, record.tenant, name == TenantName::as_sent ? sent_name(rest.notes()) : name);
  write_text(out, "correlation_id", header.correlation_id);
  write_text(out, "causation_id", header.causation_id);
  write_text(out, "source", header.source);
  write_text(out, "subject", header.subject);
  write_text(out, "message_group", header.message_group);
  if (header.bus != kDefaultBus) out.member("bus", header.bus);
  if (beyond_defaults(header, rest).app) out.member("app", header.app);
  if (header.expires) out.member("ttl", to_ms(*header.expires) / 1000);
  if (!rest.notes().context) write_context_pairs(out, "context_data", header.context);
  write_kept(out, rest, table(), kWritten);
  out.end_object();
}

void write_public(json::Writer& out, const Record& record) {
  const OpenRest rest(*record.rest);
  out.begin_object();
  out.member("event_id", record.header.event_id);
  out.member("event_type", record.header.type);
  if (const auto version = rest.find("schemaVersion")) write_schema_version(out, *version);
  write_occurred_at(out, record.header, rest);
  out.member("workspace_id", record.tenant.text());
  if (const auto data = rest.find("data")) out.member("data", *data);
  out.end_object();
}

}  // namespace millrace::event
