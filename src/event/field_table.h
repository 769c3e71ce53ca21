// The fields of a JSON form as a table: a Field says how one member is called and read, a FieldTable reads a
// whole object in one pass. Tables are made once and shared by all threads.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/decoding.h"
#include "json/value.h"

namespace millrace::event {

struct Field {
  enum class Presence : std::uint8_t { optional, required, required_inside /* may be missing in public events */ };
  using Read = void (*)(Decoding&, const Field&, json::Value);

  std::string_view name;     // in this form
  Read read;                 // is not called for null, which is the same as absent, except by kept_data
  std::string_view as = {};  // name in `rest`, where it is kept there
  Presence presence = Presence::optional;
};

class FieldTable {
 public:
  // What becomes of a member that is no field.
  using Unknown = void (*)(Decoding&, const FieldTable&, std::string_view name, json::Value value);

  // REQUIRES: `fields` outlives the table and has at most 64 elements.
  FieldTable(std::span<const Field> fields, Unknown unknown);

  // Stops at the first refusal. Returns which fields were there: one bit each, in their order.
  std::uint64_t read(Decoding& decoding, json::Value object) const;
  // Refuses if a field of this presence is not among those that read() returned.
  void require(Decoding& decoding, std::uint64_t seen, Field::Presence presence) const;
  // The names of those fields of this presence that the object lacks, in the table's order. For refusals.
  std::vector<std::string_view> missing(json::Value object, Field::Presence presence) const;
  std::span<const Field> fields() const { return fields_; }
  // The field that is kept in `rest` under this name, or nullptr.
  const Field* kept_as(std::string_view name) const;

 private:
  std::span<const Field> fields_;
  Unknown unknown_;
  absl::flat_hash_map<std::string_view, std::uint8_t> by_name_;
};

// Refuses the member by name, with the field that was probably meant.
void refuse_unknown(Decoding& decoding, const FieldTable& table, std::string_view name, json::Value value);

// Readers for the tables.
namespace read {

template <std::string Header::* text, std::size_t bytes_max>
void header_text(Decoding& d, const Field& field, json::Value value) {
  d.read_text(field.name, value, bytes_max, d.draft.header.*text);
}

// The same for a text that must say something.
template <std::string Header::* text, std::size_t bytes_max>
void header_name(Decoding& d, const Field& field, json::Value value) {
  const bool empty = d.read_text(field.name, value, bytes_max, d.draft.header.*text) && (d.draft.header.*text).empty();
  if (empty) d.refuse(field.name, "must not be empty");
}

// Both in the draft and in `rest`.
template <std::string Draft::* text, std::size_t bytes_max>
void kept_draft_text(Decoding& d, const Field& field, json::Value value) {
  if (d.read_text(field.name, value, bytes_max, d.draft.*text)) d.keep(field.as, value);
}

// The same for one that must say something.
template <std::string Draft::* text, std::size_t bytes_max>
void kept_draft_name(Decoding& d, const Field& field, json::Value value) {
  kept_draft_text<text, bytes_max>(d, field, value);
  if (!d.failed() && (d.draft.*text).empty()) d.refuse(field.name, "must not be empty");
}

template <Index index, KeyPart part>
void key(Decoding& d, const Field& field, json::Value value) {
  // No key of ours is longer, so a longer one contradicts; a little room keeps the message precise.
  constexpr std::size_t kKeyBytesMax = 4096;
  std::string text;
  if (d.read_text(field.name, value, kKeyBytesMax, text)) d.draft.keys.push_back({index, part, std::move(text)});
}

void kept_text(Decoding& d, const Field& field, json::Value value);
void kept_base64(Decoding& d, const Field& field, json::Value value);
void kept_object(Decoding& d, const Field& field, json::Value value);
void kept_object_or_text(Decoding& d, const Field& field, json::Value value);
void kept_data(Decoding& d, const Field& field, json::Value value);
void audit(Decoding& d, const Field& field, json::Value value);
void extensions(Decoding& d, const Field& field, json::Value value);
void time(Decoding& d, const Field& field, json::Value value);
void timestamp(Decoding& d, const Field& field, json::Value value);  // epoch milliseconds
void ttl(Decoding& d, const Field& field, json::Value value);        // epoch seconds
void schema_version(Decoding& d, const Field& field, json::Value value);
void tenant(Decoding& d, const Field& field, json::Value value);
void context_pairs(Decoding& d, const Field& field, json::Value value);
void context_object(Decoding& d, const Field& field, json::Value value);
void spec_version(Decoding& d, const Field& field, json::Value value);
// Fields of answers that a sender cannot set.
void given_by_the_server(Decoding& d, const Field& field, json::Value value);

}  // namespace read
}  // namespace millrace::event
