// A hash map by text that is asked with views, and the hash it uses.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace millrace::registry::json_schema {

// Debian's absl has a string_view of its own, so that its maps do not take the standard one. Its hash of that is
// seeded in every program run; for the standard one it would fall back to std::hash, which is not.
inline std::size_t hash_text(std::string_view text) {
  return absl::Hash<absl::string_view>{}(absl::string_view(text.data(), text.size()));
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash_text(text); }
};

template <class Value>
using TextMap = absl::flat_hash_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace millrace::registry::json_schema
