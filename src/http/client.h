// A small blocking HTTP/1.1 client for the command line and for tests. Keeps its connection between
// requests. One thread; not for webhooks, which have a dialer of their own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace millrace::http {

using ClientHeaders = std::vector<std::pair<std::string, std::string>>;

struct ClientResponse {
  int status = 0;
  ClientHeaders headers;
  std::string body;

  // The first of this name, in any case.
  std::optional<std::string_view> header(std::string_view name) const;
};

// How an answer without an end is taken in.
struct ClientStream {
  std::function<bool(std::string_view piece)> take;                  // false: that was enough
  std::chrono::milliseconds silence_max = std::chrono::seconds(30);  // a peer that says nothing for longer is lost
  int interrupt_fd = -1;                                             // the stream ends when it can be read
};

class Client {
 public:
  // "http://host:port" or "https://host:port"; a path in front of every target is allowed. Throws
  // std::invalid_argument for anything else. `ca_file` (PEM) is trusted instead of the system's certificates.
  explicit Client(std::string_view url, std::optional<std::string> ca_file = {});
  ~Client();
  Client(Client&&) noexcept;

  // Sent with every request, for instance Authorization.
  void set_header(std::string name, std::string value);

  // The answer, whatever its status. Errc::unavailable if there was none in time; then the request may or may
  // not have been taken. One that a kept connection lost is sent again only if its method allows that.
  Result<ClientResponse> request(std::string_view method, std::string_view target, const ClientHeaders& headers,
                                 std::string body, std::chrono::milliseconds timeout = std::chrono::seconds(30));

  // A GET on a connection of its own whose body goes to `stream.take` as it comes, if the status is 200. Returns
  // the head, and the body of any other status, when the peer has ended the body, `take` had enough, or the
  // interrupt came. Errc::unavailable if the connection was lost.
  Result<ClientResponse> stream(std::string_view target, const ClientHeaders& headers, const ClientStream& stream);

 private:
  struct Link;
  std::unique_ptr<Link> link_;
};

}  // namespace millrace::http
