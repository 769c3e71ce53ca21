#include "event/field_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"

namespace millrace::event {
namespace {

// The letters alone, so that correlation_id, CorrelationID and correlationId are the same.
std::string folded(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    letters.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return letters;
}

// Whether one letter more, less or other, or two neighbours swapped, make one of the other.
bool one_slip_apart(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  const std::string_view rest_a(in_a, a.end());
  const std::string_view rest_b(in_b, b.end());
  if (rest_a.empty() || rest_b.empty()) return rest_a.size() + rest_b.size() <= 1;
  const std::string_view tail_a = rest_a.substr(1);
  const std::string_view tail_b = rest_b.substr(1);
  if (tail_a == tail_b || tail_a == rest_b || rest_a == tail_b) return true;
  const bool swapped = !tail_a.empty() && !tail_b.empty() && rest_a[0] == rest_b[1] && rest_a[1] == rest_b[0];
  return swapped && rest_a.substr(2) == rest_b.substr(2);
}

std::string_view nearest(std::string_view name, std::span<const Field> fields) {
  constexpr std::size_t kNameBytesMax = 40;
  if (name.size() > kNameBytesMax) return {};  // none of ours is that long
  const std::string wanted = folded(name);
  for (const Field& field : fields) {
    if (folded(field.name) == wanted) return field.name;
  }
  for (const Field& field : fields) {
    if (one_slip_apart(folded(field.name), wanted)) return field.name;
  }
  return {};
}

}  // namespace

FieldTable::FieldTable(std::span<const Field> fields, Unknown unknown) : fields_(fields), unknown_(unknown) {
  MR_ASSERT(fields.size() <= 64, "a bit for every field");
  for (std::size_t i = 0; i < fields.size(); ++i) by_name_.emplace(fields[i].name, static_cast<std::uint8_t>(i));
}

std::uint64_t FieldTable::read(Decoding& decoding, json::Value object) const {
  std::uint64_t seen = 0;
  std::string unescaped;
  for (const auto [key, value] : object.members()) {
    std::optional<std::string_view> name = key.plain_string();
    if (!name) name = unescaped = key.get_string();
    const auto found = by_name_.find(*name);
    if (found == by_name_.end()) {
      unknown_(decoding, *this, *name, value);
    } else {
      const Field& field = fields_[found->second];
      if (value.is(json::Kind::null) && field.read != read::kept_data) continue;
      field.read(decoding, field, value);
      seen |= std::uint64_t{1} << found->second;
    }
    if (decoding.failed()) break;
  }
  return seen;
}

void FieldTable::require(Decoding& decoding, std::uint64_t seen, Field::Presence presence) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const bool missing = fields_[i].presence == presence && (seen >> i & 1) == 0;
    if (missing) decoding.refuse(fields_[i].name, "is required");
  }
}

std::vector<std::string_view> FieldTable::missing(json::Value object, Field::Presence presence) const {
  std::vector<std::string_view> names;
  for (const Field& field : fields_) {
    if (field.presence != presence) continue;
    const auto value = object.find(field.name);
    if (!value || value->is(json::Kind::null)) names.push_back(field.name);
  }
  return names;
}

const Field* FieldTable::kept_as(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::as);
  return found == fields_.end() ? nullptr : &*found;
}

void refuse_unknown(Decoding& decoding, const FieldTable& table, std::string_view name, json::Value) {
  const std::string_view meant = nearest(name, table.fields());
  if (meant.empty()) return decoding.refuse(name, "is not a field of an event");
  decoding.refuse(name, fmt::format("is not a field of an event; did you mean \"{}\"?", meant));
}

}  // namespace millrace::event
