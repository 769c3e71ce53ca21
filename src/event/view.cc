#include "event/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "event/form_writer.h"
#include "event/rest.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::event {
namespace {

// Fields of a usual event, so that the list grows once.
constexpr std::size_t kFieldsExpected = 32;

json::Document parse_stored(std::string text) {
  auto document = json::parse_owned(std::move(text), {.depth = limits::kJsonDepthMax + 2});
  if (!document) throw CorruptRecord("a stored event is no JSON");
  return *std::move(document);
}

// Names of `rest` must be static text or the document's: these outlive a copy of the key.
std::string_view name_in(json::Value key) { return key.plain_string().value_or(std::string_view()); }

}  // namespace

View::View(const NewEvent& event, KeyFields keys) {
  fields_.reserve(kFieldsExpected);
  add_header(event.tenant, event.header);
  if (event.reshaped) {
    add_rest(*event.rest);
  } else {
    add_parts(event.parts);
  }
  add_shaped(event.header);
  if (keys == KeyFields::included) add_keys(event.tenant, event.header);
}

View::View(const Record& record, KeyFields keys) {
  fields_.reserve(kFieldsExpected);
  add_header(record.tenant, record.header);
  add_rest(*record.rest);
  add_shaped(record.header);
  if (keys == KeyFields::included) add_keys(record.tenant, record.header);
}

const ViewField* View::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &ViewField::name);
  return found == fields_.end() ? nullptr : &*found;
}

void View::add_text(std::string_view name, std::string_view text) {
  if (!text.empty()) fields_.push_back({name, text});
}

void View::add_header(const TenantId& tenant, const Header& header) {
  time_ = format_time(header.time);
  add_text("id", header.event_id);
  add_text("detail-type", header.type);
  add_text("source", header.source);
  add_text("account", tenant.text());
  add_text("time", time_);
  std::vector<std::string_view> resources;
  if (!header.subject.empty()) resources.push_back(header.subject);
  fields_.push_back({"resources", std::move(resources)});

  add_text("eventId", header.event_id);
  add_text("specVersion", "1.0");
  add_text("type", header.type);
  add_text("eventType", header.type);
  add_text("subject", header.subject);
  add_text("bus", header.bus);
  add_text("correlationId", header.correlation_id);
  add_text("causationId", header.causation_id);
  add_text("messageGroup", header.message_group);
  add_text("app", header.app);
  add_text("entityType", header.entity_type);
  add_text("entityId", header.entity_id);
  add_text("tenantId", tenant.text());
}

void View::add_part(std::string_view name, json::Value value) {
  if (name == "data") {
    fields_.push_back({"detail", value});
    fields_.push_back({"properties", value});
  }
  fields_.push_back({name, value});
}

void View::add_parts(const std::vector<Part>& parts) {
  for (const Part& part : parts) add_part(part.name, part.value);
}

void View::add_rest(std::string_view rest) {
  rest_ = parse_stored(std::string(rest));
  for (const auto [key, value] : rest_->root().members()) {
    if (!key.equals(kNotesMember)) add_part(name_in(key), value);
  }
}

void View::add_keys(const TenantId& tenant, const Header& header) {
  keys_ = keys_of(tenant, header);
  for (std::size_t i = 0; i < kIndexes; ++i) {
    add_text(name_of(static_cast<Index>(i), KeyPart::partition), keys_[i].partition);
    add_text(name_of(static_cast<Index>(i), KeyPart::sort), keys_[i].sort);
  }
}

void View::add_shaped(const Header& header) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("timestamp", to_ms(header.time));
  if (header.expires) out.member("ttl", to_ms(*header.expires) / 1000);
  if (find("context") == nullptr && !header.context.empty()) write_context_object(out, "context", header.context);
  write_context_pairs(out, "contextData", header.context);
  out.end_object();
  shaped_ = parse_stored(std::move(text));
  for (const auto [key, value] : shaped_->root().members()) fields_.push_back({name_in(key), value});
}

}  // namespace millrace::event
