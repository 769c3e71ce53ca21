// Base64 of RFC 4648, section 4, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace {

void append_base64(std::string& out, std::string_view bytes);
std::string to_base64(std::string_view bytes);

// Nullopt for other characters, wrong padding, or bits that no encoder leaves.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace millrace
