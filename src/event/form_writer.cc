#include "event/form_writer.h"

#include <algorithm>

#include "base/bytes.h"
#include "event/keys.h"

namespace millrace::event {
namespace {

json::Document parse_rest(std::string_view text) {
  // The names of a stored event are its own and one level deeper than a sender's.
  auto document = json::parse(text, {.depth = limits::kJsonDepthMax + 2});
  if (!document || !document->root().is(json::Kind::object)) throw CorruptRecord("a stored event is no JSON object");
  return *std::move(document);
}

}  // namespace

OpenRest::OpenRest(std::string_view text) : document_(parse_rest(text)), notes_(split_rest(text).notes) {}

std::string OpenRest::text(std::string_view name) const {
  const auto value = find(name);
  return value && value->is(json::Kind::string) ? value->get_string() : std::string();
}

std::vector<json::Member> OpenRest::members() const {
  std::vector<json::Member> members;
  for (const json::Member member : document_.root().members()) {
    if (!member.key.equals(kNotesMember)) members.push_back(member);
  }
  return members;
}

void write_text(json::Writer& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out.member(name, text);
}

void write_members(json::Writer& out, std::string_view members) {
  if (members.empty()) return;
  // The names are ours and need no escapes, so the first one ends at the next quote; the writer puts a comma
  // before it, and all that follows is already written as it should stand.
  const std::size_t end = members.find('"', 1);
  out.raw_member(members.substr(1, end - 1), members.substr(end + 2));
}

void write_kept(json::Writer& out, const OpenRest& rest, const FieldTable& table,
                std::span<const std::string_view> written) {
  for (const auto [key, value] : rest.members()) {
    const std::string name = key.get_string();
    if (std::ranges::find(written, name) != written.end()) continue;
    if (const Field* field = table.kept_as(name)) out.member(field->name, value);
  }
}

void write_context_pairs(json::Writer& out, std::string_view name, const std::vector<ContextPair>& pairs) {
  if (pairs.empty()) return;
  out.key(name);
  out.begin_array();
  for (const ContextPair& pair : pairs) {
    out.begin_object();
    out.member("key", pair.key);
    out.member("value", pair.value);
    out.end_object();
  }
  out.end_array();
}

void write_context_object(json::Writer& out, std::string_view name, const std::vector<ContextPair>& pairs) {
  out.key(name);
  out.begin_object();
  for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
    const auto same_key = [&](const ContextPair& other) { return other.key == pair->key; };
    if (std::any_of(pairs.begin(), pair, same_key)) continue;
    if (std::count_if(pair, pairs.end(), same_key) == 1) {
      out.member(pair->key, pair->value);
      continue;
    }
    out.key(pair->key);
    out.begin_array();
    for (auto other = pair; other != pairs.end(); ++other) {
      if (same_key(*other)) out.string(other->value);
    }
    out.end_array();
  }
  out.end_object();
}

void write_table_fields(json::Writer& out, const Record& record) {
  const Header& header = record.header;
  out.member("entityId", header.entity_id);
  out.member("entityType", header.entity_type);
  out.member("tenantId", record.tenant.text());
  out.member("eventType", header.type);
  out.member("timestamp", to_ms(header.time));
  if (header.expires) out.member("ttl", to_ms(*header.expires) / 1000);
  const auto keys = keys_of(record.tenant, header);
  for (std::size_t i = 0; i < kIndexes; ++i) {
    out.member(name_of(static_cast<Index>(i), KeyPart::partition), keys[i].partition);
    out.member(name_of(static_cast<Index>(i), KeyPart::sort), keys[i].sort);
  }
}

Explicit beyond_defaults(const Header& header, const OpenRest& rest) {
  const Entity derived =
      derive_entity(rest.text("aggregateType"), rest.text("aggregateId"), header.subject, header.event_id);
  return {.app = header.app != derive_app(rest.text("producer"), header.source),
          .entity = derived != Entity{header.entity_type, header.entity_id}};
}

}  // namespace millrace::event
