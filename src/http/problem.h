// The one place where an Error becomes an HTTP answer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "http/response.h"

namespace millrace::http {

// How a group of endpoints says what is wrong: RFC 9457 problem+json, or {"error": ..., "field": ...}.
enum class ErrorStyle : std::uint8_t { problem, plain_error };

int status_of(Errc code);
// "bad_query", as in the problem's type.
std::string_view name_of(Errc code);

// One of several things that are wrong with a body.
struct FieldError {
  std::string field;
  std::string message;
};

// 401 carries WWW-Authenticate, 429 and 503 carry Retry-After.
Response error_response(const Error& error, ErrorStyle style = ErrorStyle::problem);
// A problem with every field that is to blame.
Response error_response(const Error& error, std::span<const FieldError> fields);
// The server holds as much for its peers as it may, see held_bytes.h.
Error too_much_held();
// For what HTTP refuses and no Errc names: 405, 408, 417, 431, 500, 505.
Response status_response(int status, std::string_view detail, ErrorStyle style = ErrorStyle::problem);

}  // namespace millrace::http
