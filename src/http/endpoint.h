// One line of the endpoint table: what it is called, where it is, what it wants, what runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "async/async.h"
#include "base/result.h"
#include "http/method.h"
#include "http/problem.h"
#include "http/request.h"
#include "http/response.h"

namespace millrace::http {

enum class BodyRule : std::uint8_t {
  none,  // a body is read past (up to kIgnoredBodyBytesMax) and dropped
  json,  // application/json or anything +json; 415 otherwise
  any,
};

// A body that nobody wants is read past up to here, to keep the connection; beyond it the answer is 413.
inline constexpr std::size_t kIgnoredBodyBytesMax = 64 * 1024;

// Runs on the session's io thread and must not block it. The Request outlives the coroutine. What it throws
// becomes a 503 (Unavailable) or 500.
using Handler = std::function<Async<Response>(Request&)>;

struct Endpoint {
  Method method = Method::get;
  // "/events/{id}/complete". A last segment "{name...}" takes the rest of the path, at least one segment.
  std::string path;
  std::string name;   // of the operation: log, metrics, OpenAPI
  std::string scope;  // what the guard asks for; "" = nothing
  BodyRule body = BodyRule::none;
  std::size_t body_bytes_max = 1024 * 1024;
  ErrorStyle style = ErrorStyle::problem;
  bool no_head = false;  // a GET whose HEAD would have effects: 405
  Handler run;
};

// Runs before the body is read: who is asking, and may they? Sets Request::principal.
using Guard = std::function<Result<void>(Request&, const Endpoint&)>;

}  // namespace millrace::http
