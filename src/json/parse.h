// The strict reader of untrusted JSON text: RFC 8259 and nothing beside it, in one pass, into a Document.
// Also refused, because two readers would understand them differently: invalid UTF-8, unpaired surrogates
// in escapes, the same key twice in one object. Numbers of any size pass; their text is kept. Any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "json/value.h"

namespace millrace::json {

// Offsets and child counts of a longer text would not fit a Node; far above any body limit.
inline constexpr std::size_t kTextBytesMax = std::size_t{1} << 28;

struct ParseLimits {
  int depth = limits::kJsonDepthMax;  // arrays and objects inside each other
};

struct ParseError {
  std::size_t offset = 0;  // of the first byte that cannot stay
  std::size_t line = 1;    // from 1, by line feeds
  std::size_t column = 1;  // from 1, in characters, not bytes
  std::string message;
};

// Errc::malformed, with line and column in the detail.
Error to_error(const ParseError& error);

// REQUIRES: `text` outlives the Document.
std::expected<Document, ParseError> parse(std::string_view text, ParseLimits limits = {});
// A temporary string would be gone before its Document: give it away with parse_owned().
template <std::same_as<std::string> S>
std::expected<Document, ParseError> parse(S&& text, ParseLimits limits = {}) = delete;
std::expected<Document, ParseError> parse_owned(std::string text, ParseLimits limits = {});
// The same into a Document whose buffer is reused. After an error it holds nothing.
std::expected<void, ParseError> parse_into(Document& document, std::string_view text, ParseLimits limits = {});

}  // namespace millrace::json
