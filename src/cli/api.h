// What commands talk to: the HTTP API, at a server or in this very process on a store whose server is stopped.
// One thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/time.h"
#include "cli/failure.h"
#include "cli/where.h"
#include "http/client.h"
#include "http/method.h"

namespace millrace::cli {

struct Call {
  http::Method method = http::Method::get;
  std::string target;
  std::string body = {};  // JSON
  http::ClientHeaders headers = {};
  Millis timeout = std::chrono::seconds(30);
};

class Api {
 public:
  virtual ~Api() = default;
  // The answer, whatever its status. Throws Failure{unreachable} where there is none.
  virtual http::ClientResponse call(const Call& call) = 0;
  // A GET whose answer has no end; see http::Client::stream(). Throws Failure{unreachable} where the connection was
  // lost, Failure{usage} where there is no server.
  virtual http::ClientResponse follow(const Call& call, const http::ClientStream& stream);
};

// Throws Failure{usage} for an address that is none.
std::unique_ptr<Api> connect_server(const Place& place);

// Opens the store and takes ownership of it for as long as the Api lives. Throws Failure{unreachable}: the
// store cannot be used, or a running server has it.
std::unique_ptr<Api> open_local(const Place& place);

// The one of the two that `place` names.
std::unique_ptr<Api> connect(const Place& place);

}  // namespace millrace::cli
