// The sixteen members that carry the keys of the access patterns, for the forms whose senders may compute them.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "event/field_table.h"
#include "event/keys.h"

namespace millrace::event {

inline constexpr std::size_t kKeyFields = kIndexes * 2;

// PK, SK, GSI1PK … GSI7SK.
inline std::array<Field, kKeyFields> key_fields() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{Field{name_of(Index{i / 2}, KeyPart{i % 2}), read::key<Index{i / 2}, KeyPart{i % 2}>}...};
  }(std::make_index_sequence<kKeyFields>());
}

// A form's own fields, then those of the keys.
template <std::size_t own>
std::array<Field, own + kKeyFields> with_key_fields(const Field (&fields)[own]) {
  std::array<Field, own + kKeyFields> all{};
  std::ranges::copy(key_fields(), std::ranges::copy(fields, all.begin()).out);
  return all;
}

}  // namespace millrace::event
