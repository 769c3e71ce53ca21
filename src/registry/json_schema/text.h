// What a JSON string says, as a view where its source has no escapes, and its length in characters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

namespace millrace::registry::json_schema {

// REQUIRES: the Document outlives it.
class Text {
 public:
  // REQUIRES: kind string.
  explicit Text(json::Value string) {
    if (string.plain_string().has_value()) {
      const std::string_view source = string.raw();
      view_ = std::string_view(source.data() + 1, source.size() - 2);
    } else {
      view_ = unescaped_.emplace(string.get_string());
    }
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  std::string_view view() const { return view_; }

 private:
  std::optional<std::string> unescaped_;
  std::string_view view_;
};

// Characters, not bytes: what minLength and maxLength count. REQUIRES: valid UTF-8.
inline std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

}  // namespace millrace::registry::json_schema
