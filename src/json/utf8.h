// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace millrace::json {

bool is_valid_utf8(std::string_view text);

// Length of the longest valid prefix; text.size() if all of it is valid. Byte by byte: for errors.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace millrace::json
