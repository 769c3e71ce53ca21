// URIs (RFC 3986), IRIs (RFC 3987) and templates of them (RFC 6570), by their syntax. Pure.
#pragma once

#include <string_view>

namespace millrace::registry::json_schema {

bool is_uri(std::string_view text);
bool is_uri_reference(std::string_view text);
// IRIs: every character beyond ASCII counts, which is slightly more than the RFC allows.
bool is_iri(std::string_view text);
bool is_iri_reference(std::string_view text);
bool is_uri_template(std::string_view text);

}  // namespace millrace::registry::json_schema
