// The event as patterns see it (S2.8): a list of named fields in a fixed order. First the names of the bus,
//
//   id (the event's), detail-type (= type), source, account (= tenant), time, resources (= [subject]), detail (= data)
//
// then every field of the event by its API name: type, subject, correlationId, actor, context, extensions … and the
// keys it is found by; not what it gets at its commit: position, receivedAt and its public id. What is absent is not
// listed. Who matches takes the fields from here; this module knows no patterns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "event/event.h"
#include "event/keys.h"
#include "event/normalise.h"
#include "json/value.h"

namespace millrace::event {

struct ViewField {
  std::string_view name;
  std::variant<std::string_view, std::vector<std::string_view>, json::Value> value;
};

// Whether PK … GSI7SK are among the fields: making all sixteen costs more than most patterns, few of which ask for
// them.
enum class KeyFields : std::uint8_t { included, left_out };

// Owns what the fields point to beyond the event itself, which must outlive it. Cannot be moved.
class View {
 public:
  // Values are taken from the request's document where it has them; its owner must outlive the view.
  explicit View(const NewEvent& event, KeyFields keys = KeyFields::included);
  explicit View(const Record& record, KeyFields keys = KeyFields::included);
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const std::vector<ViewField>& fields() const { return fields_; }
  // Nullptr without one of this name.
  const ViewField* find(std::string_view name) const;

 private:
  void add_header(const TenantId& tenant, const Header& header);
  void add_text(std::string_view name, std::string_view text);
  void add_rest(std::string_view rest);
  void add_parts(const std::vector<Part>& parts);
  void add_part(std::string_view name, json::Value value);
  // What a header holds as something else than text: timestamp, ttl, context.
  void add_shaped(const Header& header);
  void add_keys(const TenantId& tenant, const Header& header);

  std::vector<ViewField> fields_;
  std::string time_;
  std::array<Key, kIndexes> keys_;
  std::optional<json::Document> rest_;  // parsed here, where the request has it in another shape
  std::optional<json::Document> shaped_;
};

}  // namespace millrace::event
