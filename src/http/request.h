// One request as a handler sees it. Owned by its session, on that session's io thread, from the moment
// the head is read until the answer is sent; whatever a handler wants to keep longer it copies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/signal.h"
#include "base/result.h"
#include "http/framing.h"
#include "http/method.h"
#include "http/target.h"

namespace millrace::http {

// Who is asking. The guard makes one; what it holds is the business of the API.
struct Principal {
  virtual ~Principal() = default;
};

// Notices when the peer of the request in flight leaves.
class PeerWatch {
 public:
  virtual void watch_peer() = 0;

 protected:
  ~PeerWatch() = default;
};

class Request {
 public:
  Request() = default;
  explicit Request(Head h) : head(std::move(h)) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const { return head.method; }
  // As sent, see path_of().
  std::string_view path() const { return path_of(head.target); }
  // The first header field of this name, in any case.
  std::optional<std::string_view> header(std::string_view name) const { return head.field(name); }
  // What stood in the path for "{name}", decoded. REQUIRES: the endpoint's path has it.
  const std::string& param(std::string_view name) const;

  // The query parameter, nullopt without it. Errc::bad_query if it is there twice.
  Result<std::optional<std::string>> query(std::string_view name) const;
  // The parameter as a number, `otherwise` without it. Errc::bad_query unless it is a whole number in
  // min..max.
  Result<std::int64_t> query_int(std::string_view name, std::int64_t min, std::int64_t max,
                                 std::int64_t otherwise) const;

  // Puts a fact into the request's log line. Never a secret or a payload.
  void note(std::string_view key, std::string value) { notes.emplace_back(key, std::move(value)); }

  Head head;
  Target target;
  std::vector<std::pair<std::string_view, std::string>> params;
  std::string body;
  std::string_view remote;     // the peer's address, without its port
  std::string correlation_id;  // the caller's, or made here
  std::string request_id;      // made here
  std::shared_ptr<const Principal> principal;
  std::vector<std::pair<std::string_view, std::string>> notes;

  // Before a long wait: from now on it is noticed when the peer leaves. Costs a read that stays under way.
  void watch_peer() {
    if (connection != nullptr) connection->watch_peer();
  }

  // Raised when a handler that waits should answer now: the server drains, or the peer has gone (noticed
  // only after watch_peer(), and then peer_gone is true and nobody will read the answer).
  async::Signal interrupt;
  bool peer_gone = false;
  PeerWatch* connection = nullptr;
};

}  // namespace millrace::http
