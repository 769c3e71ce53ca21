#include "event/codec_native.h"

#include "base/ids.h"
#include "base/limits.h"
#include "event/field_table.h"
#include "event/form_writer.h"
#include "event/key_fields.h"
#include "event/rest.h"

namespace millrace::event {
namespace {

using Presence = Field::Presence;

constexpr Field kFields[] = {
    {"type", read::header_name<&Header::type, limits::kEventTypeBytesMax>, {}, Presence::required},
    {"source", read::header_text<&Header::source, limits::kEventSourceBytesMax>},
    {"subject", read::header_text<&Header::subject, limits::kEventSubjectBytesMax>},
    {"time", read::time},
    {"data", read::kept_data, "data"},
    {"eventId", read::header_name<&Header::event_id, limits::kEventIdBytesMax>},
    {"correlationId", read::header_text<&Header::correlation_id, limits::kCorrelationIdBytesMax>},
    {"causationId", read::header_text<&Header::causation_id, limits::kCorrelationIdBytesMax>},
    {"messageGroup", read::header_text<&Header::message_group, limits::kMessageGroupBytesMax>},
    {"deduplicationId", read::kept_draft_text<&Draft::deduplication_id, limits::kDeduplicationIdBytesMax>,
     "deduplicationId"},
    {"contextData", read::context_pairs},
    {"context", read::context_object, "context"},
    {"schemaVersion", read::schema_version, "schemaVersion"},
    {"actor", read::kept_object_or_text, "actor"},
    {"aggregateType", read::kept_draft_text<&Draft::aggregate_type, limits::kEntityTypeBytesMax>, "aggregateType"},
    {"aggregateId", read::kept_draft_text<&Draft::aggregate_id, limits::kEntityIdBytesMax>, "aggregateId"},
    {"producer", read::kept_draft_text<&Draft::producer, limits::kEventSourceBytesMax>, "producer"},
    {"metadata", read::kept_object, "metadata"},
    {"bus", read::header_name<&Header::bus, limits::kBusNameBytesMax>},
    {"app", read::header_text<&Header::app, limits::kEventSourceBytesMax>},
    {"entityType", read::header_text<&Header::entity_type, limits::kEntityTypeBytesMax>},
    {"entityId", read::header_text<&Header::entity_id, limits::kEntityIdBytesMax>},
    {"ttl", read::ttl},
    {"tenantId", read::tenant},
    {"clientId", read::tenant},
    {"datacontenttype", read::kept_text, "datacontenttype"},
    {"dataschema", read::kept_text, "dataschema"},
    {"data_base64", read::kept_base64, "data_base64"},
    {"extensions", read::extensions, "extensions"},
    {"audit", read::audit},
    {"specVersion", read::spec_version},
    {"id", read::given_by_the_server},
    {"position", read::given_by_the_server},
    {"receivedAt", read::given_by_the_server},
    {"dispatchJobs", read::given_by_the_server},
    {"duplicate", read::given_by_the_server},
};

const FieldTable& table() {
  static const auto kAll = with_key_fields(kFields);
  static const FieldTable kTable(kAll, refuse_unknown);
  return kTable;
}

void write_sender_fields(json::Writer& out, const Header& header) {
  out.member("eventId", header.event_id);
  out.member("specVersion", "1.0");
  out.member("type", header.type);
  write_text(out, "source", header.source);
  write_text(out, "subject", header.subject);
  out.member("time", header.time);
  out.member("bus", header.bus);
  write_text(out, "correlationId", header.correlation_id);
  write_text(out, "causationId", header.causation_id);
  write_text(out, "messageGroup", header.message_group);
  out.member("app", header.app);
  write_context_pairs(out, "contextData", header.context);
}

}  // namespace

Result<Draft> decode_native(json::Value object, std::optional<std::size_t> element) {
  Decoding decoding(Envelope::native, element, object.raw().size());
  const std::uint64_t seen = table().read(decoding, object);
  table().require(decoding, seen, Presence::required);
  return std::move(decoding).finish();
}

void write_native(json::Writer& out, const Record& record, const Answer& answer) {
  const Rest rest = split_rest(*record.rest);
  out.begin_object();
  out.member("id", format_tsid(record.tsid));
  out.member("position", record.position);
  write_sender_fields(out, record.header);
  write_members(out, rest.members);
  write_table_fields(out, record);
  if (!rest.notes.context) write_context_object(out, "context", record.header.context);
  if (answer.properties == Properties::always || rest.notes.envelope == Envelope::keyed) {
    const OpenRest open(*record.rest);
    const auto data = open.find("data");
    out.raw_member("properties", data ? data->raw() : "{}");
  }
  out.member("receivedAt", to_ms(record.received));
  if (answer.dispatch_jobs) out.member("dispatchJobs", *answer.dispatch_jobs);
  if (answer.duplicate) out.member("duplicate", true);
  out.end_object();
}

}  // namespace millrace::event
