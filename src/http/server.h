// The HTTP/1.1 server: listens, admits connections, gives each to an io thread, and drains. Knows nothing
// of what the endpoints do. Owned by main; destroyed before the IoThreads and before what handlers use.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "async/io_threads.h"
#include "http/endpoint.h"
#include "http/observer.h"
#include "http/router.h"

namespace millrace::http {

struct TlsFiles {
  std::string certificate;  // PEM, the whole chain
  std::string key;          // PEM
};

// How long a peer may keep a connection without doing its part. Checked a few times in each, not exactly.
struct Patience {
  std::chrono::milliseconds head{10'000};  // from the first byte of a request (or the accept) to the end of its head
  std::chrono::milliseconds idle{60'000};  // between requests
  std::chrono::milliseconds progress{30'000};  // for the next 16 KiB of a body, in either direction
  std::chrono::milliseconds linger{2'000};     // for the next MiB of what is not wanted, while the peer reads a refusal
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, no brackets
  std::uint16_t port = 8080;          // 0 = any free one, see Server::port
  std::optional<TlsFiles> tls = {};
  std::size_t connections_max = 10'000;
  std::size_t connections_per_address_max = 5'000;
  std::size_t held_bytes_max = 512 * 1024 * 1024;  // see held_bytes.h
  Patience patience = {};
};

class Server {
 public:
  // Binds and listens, so that a taken port shows at once; answers nobody before start(). Throws
  // std::runtime_error that says which address, port or file is to blame.
  Server(async::IoThreads& io, Router router, ServerOptions options, Guard guard, Observer observer);
  // Cuts whatever connections are left.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  std::uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:8080"
  std::size_t connections() const;
  std::uint64_t refused_connections() const;  // since the start, for there were too many
  std::size_t held_bytes() const;
  const Router& router() const;

  // Blocks, not on an io thread. Takes no new connections, closes the idle ones, raises Request::interrupt
  // of every request in flight, and waits for their answers (sent with Connection: close). What is left after
  // `patience` is cut. True if nothing was.
  bool drain(std::chrono::milliseconds patience);

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace millrace::http
