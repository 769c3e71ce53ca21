// Cursors of listings: where a page ended, as the client gets it, keeps it and sends it back, with a check so
// that a mangled or invented one is refused instead of starting somewhere. Opaque, not secret. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::api {

// `listing` names what is listed; a cursor of one listing is none of another.
std::string make_cursor(std::string_view listing, std::string_view last);
std::optional<std::string> read_cursor(std::string_view listing, std::string_view cursor);
// The same for listings by number.
std::string make_number_cursor(std::string_view listing, std::uint64_t last);
std::optional<std::uint64_t> read_number_cursor(std::string_view listing, std::string_view cursor);

// Room for the longest cursor that is made.
inline constexpr std::size_t kCursorBytesMax = 512;

// RFC 4648, section 5, without padding.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace millrace::api
