// The texts of CloudEvents attributes: which characters they may have, and how they stand in HTTP header
// fields. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::event {

// No control characters (U+0000-1F, U+007F-9F) and no noncharacters. REQUIRES: valid UTF-8.
bool is_attribute_text(std::string_view text);

// Whether a URI-reference can be read so: not empty, without spaces and control characters, every percent sign before
// two hexadecimal digits. Letters beyond ASCII pass, as in an IRI. REQUIRES: valid UTF-8.
bool is_uri_reference(std::string_view text);
// The same with a scheme in front: "https://…", "urn:…".
bool is_uri(std::string_view text);
// `text` with what keeps it from being a URI-reference percent-encoded. REQUIRES: not empty.
std::string to_uri_reference(std::string_view text);

// What a header field value says: quotes taken off, percent-decoded once. Nullopt where that leaves invalid
// UTF-8, or a quote without its end.
std::optional<std::string> decode_header_value(std::string_view value);

// The text in printable ASCII, everything else percent-encoded, spaces, quotes and percent signs too.
std::string encode_header_value(std::string_view text);

}  // namespace millrace::event
