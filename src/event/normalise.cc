#include "event/normalise.h"

#include <fmt/format.h>

#include <charconv>

#include "base/limits.h"
#include "event/defaults.h"
#include "event/keys.h"

namespace millrace::event {
namespace {

std::unexpected<Error> refuse(const Draft& draft, std::string_view field, std::string_view rule,
                              Errc code = Errc::invalid) {
  std::string path = draft.path_of(field);
  std::string detail = fmt::format("\"{}\" {}", path, rule);
  return fail(code, std::move(detail), std::move(path));
}

Result<TenantId> tenant_of(const Draft& draft, const Arrival& arrival) {
  if (draft.tenant_field.empty() || draft.tenant == arrival.tenant.text()) return arrival.tenant;
  if (arrival.reach == Reach::own_tenant) {
    return refuse(draft, draft.tenant_field, fmt::format("names a tenant that is not yours: \"{}\"", draft.tenant),
                  Errc::forbidden);
  }
  const std::optional<TenantId> tenant = TenantId::parse(draft.tenant);
  if (!tenant) return refuse(draft, draft.tenant_field, "must be the name of a tenant, like \"acme\"");
  return *tenant;
}

const std::string* supplied(const Draft& draft, Index index, KeyPart part) {
  for (const SuppliedKey& key : draft.keys) {
    if (key.index == index && key.part == part) return &key.text;
  }
  return nullptr;
}

struct SortKey {
  Time time;
  std::string_view event_id;
};

// What a sort key of the table says: "TIMESTAMP#<ms>#EVENT#<id>".
std::optional<SortKey> parse_sort_key(std::string_view text) {
  constexpr std::string_view kBefore = "TIMESTAMP#";
  constexpr std::string_view kBetween = "#EVENT#";
  if (!text.starts_with(kBefore)) return std::nullopt;
  text.remove_prefix(kBefore.size());
  std::int64_t ms = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  constexpr std::int64_t kMsMax = 9'999'999'999'999;
  const bool fits = error == std::errc() && ms >= 0 && ms <= kMsMax && text.starts_with(kBetween) &&
                    text.size() > kBetween.size() && text.size() - kBetween.size() <= limits::kEventIdBytesMax;
  if (!fits) return std::nullopt;
  return SortKey{time_from_ms(ms), text.substr(kBetween.size())};
}

// A sender that computes the keys says its event id and app there and nowhere else.
void take_from_keys(Draft& draft) {
  if (const std::string* text = supplied(draft, Index::table, KeyPart::sort)) {
    if (const auto key = parse_sort_key(*text)) {
      if (draft.header.event_id.empty()) draft.header.event_id = key->event_id;
      if (!draft.time) draft.time = key->time;
    }
  }
  constexpr std::string_view kApp = "APP#";
  const std::string* partition = supplied(draft, Index::gsi2, KeyPart::partition);
  if (draft.header.app.empty() && partition != nullptr && partition->starts_with(kApp)) {
    draft.header.app = partition->substr(kApp.size());
  }
}

void fill_in(Draft& draft, const Arrival& arrival, const std::array<std::uint8_t, 10>& random) {
  Header& header = draft.header;
  header.time = draft.time.value_or(arrival.now);
  if (header.event_id.empty()) header.event_id = make_uuid_v7(to_ms(arrival.now), random);
  if (header.correlation_id.empty()) header.correlation_id = arrival.correlation_id;
  if (header.app.empty()) header.app = derive_app(draft.producer, header.source);
  if (!header.entity_type.empty() && !header.entity_id.empty()) return;
  Entity entity = derive_entity(draft.aggregate_type, draft.aggregate_id, header.subject, header.event_id);
  if (header.entity_type.empty()) header.entity_type = std::move(entity.type);
  if (header.entity_id.empty()) header.entity_id = std::move(entity.id);
}

// What was derived can be longer than what may be sent under its own name.
Result<void> check_bounds(const Draft& draft) {
  const Header& header = draft.header;
  if (header.entity_type.size() > limits::kEntityTypeBytesMax) {
    return refuse(draft, "subject",
                  fmt::format("names an entity type of {} bytes, the limit is {}", header.entity_type.size(),
                              limits::kEntityTypeBytesMax));
  }
  if (header.app.size() > limits::kEventSourceBytesMax) {
    return refuse(
        draft, name_of(Index::gsi2, KeyPart::partition),
        fmt::format("names an app of {} bytes, the limit is {}", header.app.size(), limits::kEventSourceBytesMax));
  }
  return {};
}

Result<void> check_keys(const Draft& draft, const TenantId& tenant) {
  for (const SuppliedKey& key : draft.keys) {
    const Key computed = key_of(tenant, draft.header, key.index);
    const std::string& expected = key.part == KeyPart::partition ? computed.partition : computed.sort;
    if (key.text == expected) continue;
    return refuse(draft, name_of(key.index, key.part),
                  fmt::format("contradicts the event: expected \"{}\", seen \"{}\"", expected, key.text));
  }
  return {};
}

Identity identity_of(const Draft& draft) {
  if (draft.envelope == Envelope::cloudevents) return Identity::source_and_id;
  return draft.header.event_id.empty() ? Identity::made_by_us : Identity::event_id;
}

}  // namespace

Result<NewEvent> normalise(Draft draft, const Arrival& arrival, const std::array<std::uint8_t, 10>& random) {
  const Result<TenantId> tenant = tenant_of(draft, arrival);
  if (!tenant) return std::unexpected(tenant.error());
  take_from_keys(draft);
  const Identity identity = identity_of(draft);
  fill_in(draft, arrival, random);
  if (const auto checked = check_bounds(draft); !checked) return std::unexpected(checked.error());
  if (const auto checked = check_keys(draft, *tenant); !checked) return std::unexpected(checked.error());
  return NewEvent{.tenant = *tenant,
                  .header = std::move(draft.header),
                  .rest = std::make_shared<const std::string>(std::move(draft.rest)),
                  .envelope = draft.envelope,
                  .identity = identity,
                  .deduplication_id = std::move(draft.deduplication_id),
                  .schema_version = std::move(draft.schema_version),
                  .data = draft.data,
                  .audit = draft.audit,
                  .parts = std::move(draft.parts),
                  .reshaped = draft.reshaped};
}

Result<void> check_one_tenant(std::span<const NewEvent> events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (events[i].tenant == events[0].tenant) continue;
    return fail(Errc::invalid,
                fmt::format("the events of one request belong to one tenant, but [0] is of \"{}\" and [{}] of \"{}\"",
                            events[0].tenant.text(), i, events[i].tenant.text()),
                fmt::format("[{}]", i));
  }
  return {};
}

std::string_view group_of(const Header& header) {
  return header.message_group.empty() ? header.entity_id : header.message_group;
}

}  // namespace millrace::event
