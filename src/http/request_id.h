// The two ids that every answer carries. Cheap: a generator a thread, unique but no secret.
#pragma once

#include <string>
#include <string_view>

namespace millrace::http {

// A new UUIDv7.
std::string make_request_id();

// The caller's X-Correlation-ID if it is 1..128 printable ASCII characters.
bool is_correlation_id(std::string_view text);

}  // namespace millrace::http
