// Escapes of JSON strings, in both directions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::json {

// The value of four hexadecimal digits at p, or -1. REQUIRES: four readable bytes.
std::int32_t hex4(const char* p);

inline bool is_high_surrogate(std::int32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
inline bool is_low_surrogate(std::int32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

// Appends what the content of a string (without its quotes) says. REQUIRES: content passed the parser.
void append_unescaped(std::string& out, std::string_view content);

// Appends `text` as a JSON string with its quotes, escaping only what must be. A byte that is not part
// of valid UTF-8 becomes U+FFFD, so that the output is always valid JSON.
void append_string(std::string& out, std::string_view text);

}  // namespace millrace::json
