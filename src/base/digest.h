// SHA-256, raw and as lower-case hex.
#pragma once

#include <string>
#include <string_view>

namespace millrace {

std::string sha256(std::string_view bytes);  // 32 raw bytes
std::string to_hex(std::string_view bytes);
// Compares without telling by its time where they differ.
bool equal_secret(std::string_view a, std::string_view b);

}  // namespace millrace
