// The schemas that describe schemas, word for word as the two drafts publish them. Constants of the standard:
// nothing is ever fetched. Any thread.
#pragma once

#include <string_view>

namespace millrace::registry::json_schema {

inline constexpr std::string_view kDraft07Uri = "http://json-schema.org/draft-07/schema";
inline constexpr std::string_view kDraft202012Uri = "https://json-schema.org/draft/2020-12/schema";

// The document published under this URI (without fragment), or empty.
std::string_view metaschema_text(std::string_view uri);

}  // namespace millrace::registry::json_schema
