#include "store/event_codec.h"

#include <fmt/format.h>

namespace millrace::store {
namespace {

constexpr std::uint8_t kVersion = 1;

// Of the texts that follow the glance, in this order.
constexpr std::string event::Header::* kTexts[] = {
    &event::Header::event_id,       &event::Header::source,       &event::Header::subject,       &event::Header::bus,
    &event::Header::correlation_id, &event::Header::causation_id, &event::Header::message_group, &event::Header::app,
    &event::Header::entity_type,    &event::Header::entity_id,
};

void put_time(std::string& out, Time time) { put_zigzag(out, to_ms(time)); }
Time take_time(ByteReader& reader) { return time_from_ms(reader.zigzag()); }

EventGlance take_glance(ByteReader& reader) {
  if (const auto version = reader.u8(); version != kVersion) {
    throw CorruptRecord(fmt::format("event of version {}, this program knows {}", version, kVersion));
  }
  EventGlance glance{.tsid = reader.u64_be(), .received = take_time(reader), .expires = {}, .type = {}};
  if (reader.u8() != 0) glance.expires = take_time(reader);
  glance.type = reader.string();
  return glance;
}

}  // namespace

void encode_event(std::string& out, const event::Record& record) {
  const event::Header& header = record.header;
  put_u8(out, kVersion);
  put_u64_be(out, record.tsid);
  put_time(out, record.received);
  put_u8(out, header.expires ? 1 : 0);
  if (header.expires) put_time(out, *header.expires);
  put_string(out, header.type);
  put_time(out, header.time);
  for (const auto text : kTexts) put_string(out, header.*text);
  put_varint(out, header.context.size());
  for (const event::ContextPair& pair : header.context) {
    put_string(out, pair.key);
    put_string(out, pair.value);
  }
  put_string(out, record.rest ? *record.rest : std::string_view());
}

event::Record decode_event(const TenantId& tenant, Position position, std::string_view bytes, RestOf rest) {
  ByteReader reader(bytes);
  const EventGlance glance = take_glance(reader);
  event::Record record{.tenant = tenant,
                       .position = position,
                       .tsid = glance.tsid,
                       .received = glance.received,
                       .header = {.type = std::string(glance.type), .expires = glance.expires},
                       .rest = nullptr};
  record.header.time = take_time(reader);
  for (const auto text : kTexts) record.header.*text = reader.string();
  for (auto left = reader.varint(); left > 0; --left) {
    auto& pair = record.header.context.emplace_back();
    pair.key = reader.string();
    pair.value = reader.string();
  }
  const std::string_view other = reader.string();
  if (rest == RestOf::event) record.rest = std::make_shared<const std::string>(other);
  if (!reader.done()) throw CorruptRecord("event is longer than it should be");
  return record;
}

EventGlance glance_at_event(std::string_view bytes) {
  ByteReader reader(bytes);
  return take_glance(reader);
}

}  // namespace millrace::store
