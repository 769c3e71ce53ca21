// The keys under which the eight access patterns find an event, as text. Their byte order is the order of
// the answers; where two are equal, the lower position comes first. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "event/event.h"

namespace millrace::event {

enum class Index : std::uint8_t { table = 0, gsi1, gsi2, gsi3, gsi4, gsi5, gsi6, gsi7 };
inline constexpr std::size_t kIndexes = 8;

// "table", "GSI1" … "GSI7".
std::string_view name_of(Index index);
std::optional<Index> parse_index(std::string_view name);

struct Key {
  std::string partition;  // PK, GSI1PK …
  std::string sort;       // SK, GSI1SK …

  auto operator<=>(const Key&) const = default;
};

enum class KeyPart : std::uint8_t { partition, sort };

// The member by which answers carry a part of a key, and senders may: "PK", "SK", "GSI1PK" … "GSI7SK".
std::string_view name_of(Index index, KeyPart part);

Key key_of(const TenantId& tenant, const Header& header, Index index);
std::array<Key, kIndexes> keys_of(const TenantId& tenant, const Header& header);

}  // namespace millrace::event
