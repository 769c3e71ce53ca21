// URIs as schemas use them: references resolved against a base (RFC 3986), fragments, JSON pointers (RFC 6901).
// Text only: nothing is ever fetched. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::registry::json_schema {

struct SplitUri {
  std::string_view document;  // without fragment and its '#'
  std::string_view fragment;  // as written, percent-encoded; empty if there is none
};

SplitUri split_fragment(std::string_view uri);

// `reference` made absolute by `base`, which may itself be relative or empty. Fragments: the reference's.
std::string resolve_uri(std::string_view base, std::string_view reference);

// With %XX undone; nullopt for a % without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

// Appends "/token" with ~ and / escaped.
void append_pointer_token(std::string& pointer, std::string_view token);
std::string pointer_with(std::string_view pointer, std::string_view token);

// Takes the first token from a JSON pointer and unescapes it; nullopt if it has a ~ without 0 or 1.
// REQUIRES: `pointer` starts with '/'.
std::optional<std::string> take_pointer_token(std::string_view& pointer);

}  // namespace millrace::registry::json_schema
