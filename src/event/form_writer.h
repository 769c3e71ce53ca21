// What the codecs share when they write a stored event. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event/defaults.h"
#include "event/event.h"
#include "event/field_table.h"
#include "event/rest.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::event {

// A stored rest, parsed. Throws CorruptRecord for what is no JSON.
class OpenRest {
 public:
  // REQUIRES: `text` outlives it.
  explicit OpenRest(std::string_view text);

  const Notes& notes() const { return notes_; }
  std::optional<json::Value> find(std::string_view name) const { return document_.root().find(name); }
  // The content of a text member; empty without one.
  std::string text(std::string_view name) const;
  // Without the notes.
  std::vector<json::Member> members() const;

 private:
  json::Document document_;
  Notes notes_;
};

// Nothing where the text is empty.
void write_text(json::Writer& out, std::string_view name, std::string_view text);
// The members of Rest::members as they stand.
void write_members(json::Writer& out, std::string_view members);
// Those of `rest` that are fields of `table`, by the names they have there; `written` says which are not wanted.
void write_kept(json::Writer& out, const OpenRest& rest, const FieldTable& table,
                std::span<const std::string_view> written);

// [{key, value}, …]; nothing where there are none.
void write_context_pairs(json::Writer& out, std::string_view name, const std::vector<ContextPair>& pairs);
// An object, also an empty one; values of a key that is there more than once become an array.
void write_context_object(json::Writer& out, std::string_view name, const std::vector<ContextPair>& pairs);

// entityId, entityType, tenantId, eventType, timestamp, ttl and the sixteen keys.
void write_table_fields(json::Writer& out, const Record& record);

// What the header has beyond what normalise() would derive from the rest of the event.
struct Explicit {
  bool app = false;
  bool entity = false;
};
Explicit beyond_defaults(const Header& header, const OpenRest& rest);

}  // namespace millrace::event
