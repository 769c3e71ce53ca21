// What a handler answers, and its text on the wire.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/async.h"

namespace millrace::http {

using async::Async;

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProblemJson = "application/problem+json";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

// Where a streamed body goes, piece by piece. Given to Response::stream by the session.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Ends when the bytes are with the kernel. False: the peer is gone or the server stops; write no more.
  virtual Async<bool> write(std::string_view bytes) = 0;
  // Whether so much may be held for a peer who may be slow to read it: little always, more while such answers take no
  // more than their part of the memory. It is for the caller to ask: write() takes whatever is there.
  virtual bool has_room(std::size_t bytes) const = 0;
};

struct Response {
  int status = 200;
  std::string_view content_type = kJson;  // REQUIRES: static storage
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Instead of `body`: called once the head is sent, writes until it returns. Not called for HEAD. For
  // server-sent events and long exports; the Request outlives it.
  std::function<Async<>(BodyStream&)> stream = {};
};

inline Response json_response(int status, std::string body) { return {.status = status, .body = std::move(body)}; }
inline Response text_response(int status, std::string body) {
  return {.status = status, .content_type = kPlainText, .body = std::move(body)};
}

// "Not Found"; "" for a status that Millrace does not use.
std::string_view reason_phrase(int status);

// What the session adds to a response.
struct Envelope {
  std::string_view correlation_id;
  std::string_view request_id;
  enum class Connection { implied, keep_alive, close } connection = Connection::implied;
};

// Appends status line and header fields with the empty line. Control characters in extra header values
// become spaces, so that no value can end its line.
void append_head(std::string& out, const Response& response, const Envelope& envelope);

// Whether a body follows a status at all (not for 204 and 304).
inline bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace millrace::http
