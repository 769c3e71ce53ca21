#include "http/server.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <stdexcept>
#include <vector>

#include "base/log.h"
#include "http/admission.h"
#include "http/connection_set.h"
#include "http/problem.h"
#include "http/request_id.h"
#include "http/session.h"
#include "http/tls.h"

namespace millrace::http {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr int kBacklog = 4096;
// After accept failed for want of something (file descriptors): time for others to give some back.
constexpr auto kAcceptPause = 100ms;
// How long the cut connections get to notice.
constexpr auto kAbortPatience = 5s;

// Refused connections are told in the log no more often than this.
constexpr auto kRefusalInterval = 1s;

// One io thread and what lives on it.
struct Lane {
  async::IoThread* thread;
  std::shared_ptr<ConnectionSet> connections;
};

tcp::acceptor bind(asio::io_context& io, const ServerOptions& options) {
  error_code error;
  const auto check = [&] {
    if (error)
      throw std::runtime_error(
          fmt::format("cannot listen on {} port {}: {}", options.address, options.port, error.message()));
  };
  const auto address = asio::ip::make_address(options.address, error);
  check();
  const tcp::endpoint endpoint(address, options.port);
  tcp::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  check();
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  check();
  acceptor.bind(endpoint, error);
  check();
  acceptor.listen(kBacklog, error);
  check();
  return acceptor;
}

// A quarter of the shortest patience: a deadline is kept to within that.
std::chrono::milliseconds watch_interval(const Patience& patience) {
  return std::clamp(std::min({patience.head, patience.idle, patience.progress, patience.linger}) / 4,
                    std::chrono::milliseconds(5), std::chrono::milliseconds(500));
}

Async<> watch(std::shared_ptr<ConnectionSet> connections, std::chrono::milliseconds interval) {
  while (!connections->finished()) {
    co_await async::sleep_until(async::Steady::now() + interval);
    connections->expire(async::Steady::now());
  }
}

std::string text_of(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

// Says why and closes, without waiting for the peer. Under TLS there is nothing that could be said before a handshake,
// which is what there is no room for.
void turn_away(tcp::socket socket, const ServerCore& core) {
  if (core.tls) return;
  const Response response = error_response({Errc::unavailable, "there are too many connections; try again"});
  const std::string id = make_request_id();
  std::string text;
  append_head(text, response, {id, id, Envelope::Connection::close});
  text += response.body;
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(text), ignored);
  // What has come already: closed with it unread, the kernel would reset the connection and the answer be lost.
  socket.shutdown(tcp::socket::shutdown_send, ignored);
  std::array<char, 16 * 1024> dropped;
  socket.read_some(asio::buffer(dropped), ignored);
}

// One line for all the refusals of a while.
class RefusalLog {
 public:
  void note(const Admission& admission, const asio::ip::address& peer) {
    const auto now = async::Steady::now();
    if (now < next_) return;
    next_ = now + kRefusalInterval;
    spdlog::warn(R"("msg":"connections refused: there are too many","refusedSinceStart":{},"open":{},"remote":"{}")",
                 admission.refused(), admission.total(), text_of(peer));
  }

 private:
  async::Deadline next_{};
};

}  // namespace

struct Server::Listener {
  std::shared_ptr<ServerCore> core;
  std::vector<Lane> lanes;
  std::shared_ptr<tcp::acceptor> acceptor;  // on the first lane's thread once started
  tcp::endpoint bound;
  std::future<void> accepting;  // ready when no connection will come any more; invalid before the start

  // Returns once nobody new can come in, so that an empty house stays empty.
  void close_acceptor() {
    lanes.front().thread->mailbox().push([open = std::move(acceptor)] {
      error_code ignored;
      if (open) open->close(ignored);
    });
    if (accepting.valid()) accepting.wait_for(kAbortPatience);
  }
  void on_each_lane(void (ConnectionSet::*action)()) {
    for (const Lane& lane : lanes)
      lane.thread->mailbox().push([set = lane.connections, action] { ((*set).*action)(); });
  }
};

namespace {

// A connection goes to the next lane in turn. Parameters by value: the server may go before this ends.
Async<> accept_connections(std::shared_ptr<tcp::acceptor> acceptor, std::shared_ptr<const ServerCore> core,
                           std::vector<Lane> lanes, std::promise<void> ended) {
  RefusalLog refusals;
  for (std::size_t turn = 0; acceptor->is_open(); ++turn) {
    const Lane& lane = lanes[turn % lanes.size()];
    error_code error;
    tcp::endpoint peer;
    tcp::socket socket =
        co_await acceptor->async_accept(lane.thread->context(), peer, asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::operation_aborted) break;
    if (error) {
      spdlog::warn(R"("msg":"accept failed","error":{})", quoted(error.message()));
      co_await async::sleep_until(async::Steady::now() + kAcceptPause);
      continue;
    }
    auto ticket = core->admission->enter(peer.address());
    if (!ticket) {
      // Told before it is closed: who sees that it was refused finds it in the log.
      refusals.note(*core->admission, peer.address());
      turn_away(std::move(socket), *core);
      continue;
    }
    async::spawn(*lane.thread,
                 serve({core, lane.connections, std::move(socket), std::move(ticket), text_of(peer.address())}),
                 "http session");
  }
  ended.set_value();
}

}  // namespace

Server::Server(async::IoThreads& io, Router router, ServerOptions options, Guard guard, Observer observer)
    : listener_(std::make_unique<Listener>()) {
  auto tls = options.tls ? load_tls(*options.tls) : nullptr;
  auto admission = std::make_unique<Admission>(options.connections_max, options.connections_per_address_max);
  auto held = std::make_unique<HeldBytes>(options.held_bytes_max);
  listener_->acceptor = std::make_shared<tcp::acceptor>(bind(io.at(0).context(), options));
  listener_->bound = listener_->acceptor->local_endpoint();
  listener_->core = std::make_shared<ServerCore>(ServerCore{std::move(router), std::move(options), std::move(guard),
                                                            std::move(observer), std::move(tls), std::move(admission),
                                                            std::move(held)});
  for (std::size_t i = 0; i < io.size(); ++i)
    listener_->lanes.push_back({&io.at(i), std::make_shared<ConnectionSet>()});
}

Server::~Server() {
  listener_->close_acceptor();
  listener_->on_each_lane(&ConnectionSet::abort);
  listener_->core->admission->wait_until_empty(async::Steady::now() + kAbortPatience);
}

void Server::start() {
  std::promise<void> ended;
  listener_->accepting = ended.get_future();
  for (const Lane& lane : listener_->lanes)
    async::spawn(*lane.thread, watch(lane.connections, watch_interval(listener_->core->options.patience)),
                 "http connection watch");
  async::spawn(*listener_->lanes.front().thread,
               accept_connections(listener_->acceptor, listener_->core, listener_->lanes, std::move(ended)),
               "http accept");
}

std::uint16_t Server::port() const { return listener_->bound.port(); }

std::string Server::url() const {
  const auto address = listener_->bound.address();
  const auto host = address.is_v6() ? fmt::format("[{}]", address.to_string()) : address.to_string();
  return fmt::format("{}://{}:{}", listener_->core->tls ? "https" : "http", host, port());
}

std::size_t Server::connections() const { return listener_->core->admission->total(); }

std::uint64_t Server::refused_connections() const { return listener_->core->admission->refused(); }

std::size_t Server::held_bytes() const { return listener_->core->held->held(); }

const Router& Server::router() const { return listener_->core->router; }

bool Server::drain(std::chrono::milliseconds patience) {
  listener_->close_acceptor();
  listener_->on_each_lane(&ConnectionSet::drain);
  const auto& admission = *listener_->core->admission;
  if (admission.wait_until_empty(async::Steady::now() + patience)) return true;
  spdlog::warn(R"("msg":"connections cut after the drain's patience","connections":{})", admission.total());
  listener_->on_each_lane(&ConnectionSet::abort);
  admission.wait_until_empty(async::Steady::now() + kAbortPatience);
  return false;
}

}  // namespace millrace::http
