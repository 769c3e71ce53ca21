// What came back from the API: a document, or a refusal in the words of the server. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.h"
#include "http/client.h"
#include "json/value.h"

namespace millrace::cli {

// The body. Throws Failure{refused} with what the server says for a status of 400 and above, or where the body
// is no JSON: then something else answered.
json::Document accepted(http::ClientResponse answer);

// "what the server said (what to do)"; for any status of 400 and above.
std::string refusal(const http::ClientResponse& answer);

// A member as text for people: a string's content, a number's digits; "" for null, absent and anything else.
std::string text_of(json::Value object, std::string_view key);
std::optional<std::int64_t> number_of(json::Value object, std::string_view key);

// The elements of an array member; none where there is no such array.
std::vector<json::Value> elements_of(json::Value object, std::string_view key);

// The document with one member or element a line, two spaces a level.
std::string indented(json::Value value);

}  // namespace millrace::cli
