// What a call answers when the caller's input or the present state forbids it. Infrastructure that
// fails throws instead (see store/store_error.h); bugs assert.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace millrace {

// Named for what the caller should do; mapped to HTTP once, in http/problem.
enum class Errc {
  malformed,          // 400: send well-formed text
  bad_query,          // 400: mend the query parameter or header `field`
  unauthenticated,    // 401: send a valid key
  forbidden,          // 403: use a key with the scope
  not_found,          // 404: nothing of yours has this id
  conflict,           // 409: the present state forbids it
  stale_version,      // 412: read again, then write
  too_large,          // 413: send less
  unsupported_media,  // 415: send the content type that `detail` names
  invalid,            // 422: mend the body field `field`
  overloaded,         // 429: slow down, retry later
  unavailable,        // 503: not now; nothing was done, or its fate is unknown
};

struct Error {
  Errc code;
  std::string detail;
  std::string field = {};  // JSON path or query parameter, where one is to blame

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Errc code, std::string detail, std::string field = {}) {
  return std::unexpected(Error{code, std::move(detail), std::move(field)});
}

}  // namespace millrace
