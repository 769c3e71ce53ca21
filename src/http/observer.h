// What the server tells about each answered request, and its default listener: one log line and a few
// metrics. Called on the io thread that answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "async/async.h"
#include "http/endpoint.h"

namespace millrace::http {

inline constexpr std::size_t kNoEndpoint = static_cast<std::size_t>(-1);

// Views are valid during the call. No header and no body is in here, so no secret reaches the log.
struct Answered {
  Method method = Method::other;
  const Endpoint* endpoint = nullptr;        // null: none was found
  std::size_t endpoint_index = kNoEndpoint;  // in Router::endpoints()
  std::string_view path;                     // as sent, without the query
  int status = 0;
  async::Steady::duration took{};
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::string_view remote;
  std::string_view correlation_id;
  std::string_view request_id;
  std::span<const std::pair<std::string_view, std::string>> notes;
};

// Any io thread.
using Observer = std::function<void(const Answered&)>;

// One wide JSON line a request: from 500 on as warn, the rest as info; never headers or bodies.
void log_answer(const Answered& answered);

}  // namespace millrace::http
