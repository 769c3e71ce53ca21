#include "event/codec_keyed.h"

#include "base/limits.h"
#include "event/defaults.h"
#include "event/field_table.h"
#include "event/form_writer.h"
#include "event/key_fields.h"
#include "event/rest.h"

namespace millrace::event {
namespace {

using Presence = Field::Presence;

constexpr Field kFields[] = {
    {"eventType", read::header_name<&Header::type, limits::kEventTypeBytesMax>, {}, Presence::required},
    {"entityType", read::header_name<&Header::entity_type, limits::kEntityTypeBytesMax>, {}, Presence::required},
    {"entityId", read::header_name<&Header::entity_id, limits::kEntityIdBytesMax>, {}, Presence::required},
    {"tenantId", read::tenant},
    {"timestamp", read::timestamp},
    {"context", read::context_object, "context"},
    {"properties", read::kept_data, "data"},
    {"ttl", read::ttl},
    {"app", read::header_text<&Header::app, limits::kEventSourceBytesMax>},
    {"source", read::header_text<&Header::source, limits::kEventSourceBytesMax>},
    {"eventId", read::header_name<&Header::event_id, limits::kEventIdBytesMax>},
    {"subject", read::header_text<&Header::subject, limits::kEventSubjectBytesMax>},
    {"correlationId", read::header_text<&Header::correlation_id, limits::kCorrelationIdBytesMax>},
    {"causationId", read::header_text<&Header::causation_id, limits::kCorrelationIdBytesMax>},
    {"messageGroup", read::header_text<&Header::message_group, limits::kMessageGroupBytesMax>},
    {"deduplicationId", read::kept_draft_text<&Draft::deduplication_id, limits::kDeduplicationIdBytesMax>,
     "deduplicationId"},
    {"schemaVersion", read::schema_version, "schemaVersion"},
    {"actor", read::kept_object_or_text, "actor"},
    {"aggregateType", read::kept_draft_text<&Draft::aggregate_type, limits::kEntityTypeBytesMax>, "aggregateType"},
    {"aggregateId", read::kept_draft_text<&Draft::aggregate_id, limits::kEntityIdBytesMax>, "aggregateId"},
    {"producer", read::kept_draft_text<&Draft::producer, limits::kEventSourceBytesMax>, "producer"},
    {"metadata", read::kept_object, "metadata"},
    {"bus", read::header_name<&Header::bus, limits::kBusNameBytesMax>},
    {"datacontenttype", read::kept_text, "datacontenttype"},
    {"dataschema", read::kept_text, "dataschema"},
    {"data_base64", read::kept_base64, "data_base64"},
    {"extensions", read::extensions, "extensions"},
    {"audit", read::audit},
    {"receivedAt", read::given_by_the_server},
};

const FieldTable& table() {
  static const auto kAll = with_key_fields(kFields);
  static const FieldTable kTable(kAll, refuse_unknown);
  return kTable;
}

// In this form the source stands in the context, unless it is said beside it.
std::string_view context_source(const Header& header) {
  for (const ContextPair& pair : header.context) {
    if (pair.key == "source") return pair.value;
  }
  return {};
}

}  // namespace

Result<Draft> decode_keyed(json::Value object, std::optional<std::size_t> element) {
  Decoding decoding(Envelope::keyed, element, object.raw().size());
  const std::uint64_t seen = table().read(decoding, object);
  table().require(decoding, seen, Presence::required);
  Header& header = decoding.draft.header;
  if (header.source.empty()) header.source = context_source(header);
  return std::move(decoding).finish();
}

std::vector<std::string_view> missing_in_keyed(json::Value object) {
  return table().missing(object, Presence::required);
}

void write_keyed(json::Writer& out, const Record& record) {
  const Header& header = record.header;
  const OpenRest rest(*record.rest);
  out.begin_object();
  write_table_fields(out, record);
  out.member("eventId", header.event_id);
  if (header.source != context_source(header)) write_text(out, "source", header.source);
  write_text(out, "subject", header.subject);
  write_text(out, "correlationId", header.correlation_id);
  write_text(out, "causationId", header.causation_id);
  write_text(out, "messageGroup", header.message_group);
  if (header.bus != kDefaultBus) out.member("bus", header.bus);
  if (!rest.notes().context) write_context_object(out, "context", header.context);
  write_kept(out, rest, table(), {});
  out.member("receivedAt", to_ms(record.received));
  out.end_object();
}

}  // namespace millrace::event
