// One connection from its accept to its close: reads requests, lets the endpoint answer, writes the
// answers in order. Runs on one io thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "async/async.h"
#include "http/admission.h"
#include "http/connection_set.h"
#include "http/endpoint.h"
#include "http/held_bytes.h"
#include "http/observer.h"
#include "http/router.h"
#include "http/server.h"

namespace millrace::http {

// What all sessions of a server share and none changes. Kept alive by each of them.
struct ServerCore {
  Router router;
  ServerOptions options;
  Guard guard;
  Observer observer;
  std::shared_ptr<boost::asio::ssl::context> tls;  // null: plain
  std::unique_ptr<Admission> admission;
  std::unique_ptr<HeldBytes> held;
};

// What a session is made from. `connections` belongs to the io thread that the socket is on.
struct Arrival {
  std::shared_ptr<const ServerCore> core;
  std::shared_ptr<ConnectionSet> connections;
  boost::asio::ip::tcp::socket socket;
  Admission::Ticket ticket;
  std::string remote;
};

// Ends with the connection. Throws nothing that the peer caused.
Async<> serve(Arrival arrival);

}  // namespace millrace::http
