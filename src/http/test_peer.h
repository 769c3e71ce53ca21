// For tests: a peer that says exactly the bytes it is told, and a server with a few endpoints.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "async/io_threads.h"
#include "async/one_shot.h"
#include "base/unavailable.h"
#include "http/server.h"

namespace millrace::http::testing {

struct Answer {
  int status = 0;
  std::string head;
  std::string body;

  std::string header(std::string_view name) const {
    const std::string start = "\r\n" + std::string(name) + ": ";
    const auto at = head.find(start);
    if (at == std::string::npos) return "";
    const auto begin = at + start.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

// Every read gives up after ten seconds, so that a test fails instead of hanging.
class RawPeer {
 public:
  explicit RawPeer(std::uint16_t port) : socket_(io_) {
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  RawPeer& say(std::string_view bytes) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
    return *this;
  }

  Answer hear(bool bodiless = false) {
    Answer answer;
    std::size_t end = 0;
    while ((end = held_.find("\r\n\r\n")) == std::string::npos) {
      if (!read()) return answer;
    }
    answer.head = held_.substr(0, end + 2);
    held_.erase(0, end + 4);
    std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
    std::size_t length = 0;
    const std::string text = answer.header("Content-Length");
    std::from_chars(text.data(), text.data() + text.size(), length);
    if (bodiless) length = 0;
    while (held_.size() < length) {
      if (!read()) return answer;
    }
    answer.body = held_.substr(0, length);
    held_.erase(0, length);
    return answer;
  }

  bool hears_within(std::chrono::milliseconds patience) {
    pollfd waiting{.fd = socket_.native_handle(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, static_cast<int>(patience.count())) > 0;
  }
  // Everything until the server closes; false if it does not.
  bool closed_by_server() {
    while (read()) {
    }
    return ended_;
  }
  std::string take_rest() {
    closed_by_server();
    return std::exchange(held_, "");
  }
  void end_sending() { socket_.shutdown(socket_.shutdown_send); }
  void leave() { socket_.close(); }
  boost::asio::ip::tcp::socket& socket() { return socket_; }

 private:
  bool read() {
    // The native call, because Asio's blocking read would wait on after the timeout.
    char buffer[4096];
    const ssize_t bytes = ::recv(socket_.native_handle(), buffer, sizeof buffer, 0);
    if (bytes > 0) held_.append(buffer, static_cast<std::size_t>(bytes));
    if (bytes == 0 || (bytes < 0 && errno == ECONNRESET)) ended_ = true;
    return bytes > 0;
  }

  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string held_;
  bool ended_ = false;
};

inline constexpr std::size_t kHugeBytes = 64 << 20;  // more than the kernel's buffers hold

using Reply = async::OneShot<std::string>;

// What the waiting endpoint tells the test.
struct Waiting {
  std::promise<Reply::Sender> entered;  // its handler runs; answer through this
  std::promise<bool> interrupted;       // the wait ended early; true: because the peer left
};

class TestServer {
 public:
  explicit TestServer(ServerOptions options = {}, Guard guard = {}) : io_(2) {
    options.port = 0;
    server.emplace(io_, Router(endpoints()), std::move(options), std::move(guard),
                   [this](const Answered& answered) { note(answered); });
    server->start();
  }

  RawPeer peer() { return RawPeer(server->port()); }
  Answer ask(std::string_view bytes) { return peer().say(bytes).hear(); }

  // Status and endpoint of each answered request so far.
  std::vector<std::pair<int, std::string>> answered() {
    std::lock_guard lock(mutex_);
    return answered_;
  }

  Waiting waiting;

 private:
  void note(const Answered& answered) {
    std::lock_guard lock(mutex_);
    answered_.emplace_back(answered.status, answered.endpoint != nullptr ? answered.endpoint->name : "");
  }

  std::vector<Endpoint> endpoints() {
    std::vector<Endpoint> table;
    table.push_back({.path = "/hello", .name = "hello", .run = hello});
    table.push_back({.path = "/items/{id}", .name = "item", .run = item});
    table.push_back({.method = Method::post, .path = "/echo", .name = "echo", .body = BodyRule::json, .run = echo});
    table.push_back({.method = Method::post,
                     .path = "/small",
                     .name = "small",
                     .body = BodyRule::any,
                     .body_bytes_max = 1000,
                     .style = ErrorStyle::plain_error,
                     .run = echo});
    table.push_back({.method = Method::post,
                     .path = "/large",
                     .name = "large",
                     .body = BodyRule::any,
                     .body_bytes_max = 8 << 20,
                     .run = echo});
    table.push_back({.path = "/huge", .name = "huge", .run = huge});
    table.push_back({.path = "/effects", .name = "effects", .no_head = true, .run = hello});
    table.push_back({.path = "/throw", .name = "throw", .run = throwing});
    table.push_back({.path = "/unavailable", .name = "unavailable", .run = unavailable});
    table.push_back({.path = "/stream", .name = "stream", .run = streaming});
    table.push_back({.path = "/pour", .name = "pour", .run = pouring});
    table.push_back({.path = "/wait", .name = "wait", .run = [this](Request& r) { return wait(r); }});
    return table;
  }

  static Async<Response> hello(Request&) { co_return text_response(200, "hi"); }
  static Async<Response> huge(Request&) { co_return text_response(200, std::string(kHugeBytes, 'x')); }
  static Async<Response> item(Request& request) { co_return text_response(200, request.param("id")); }
  static Async<Response> echo(Request& request) { co_return text_response(200, std::move(request.body)); }
  static Async<Response> throwing(Request&) {
    throw std::logic_error("on purpose, \"quoted\"");
    co_return Response{};
  }
  static Async<Response> unavailable(Request&) {
    throw Unavailable("the disk is away");
    co_return Response{};
  }
  static Async<Response> streaming(Request&) {
    Response response{.content_type = kPlainText};
    response.stream = [](BodyStream& out) -> Async<> {
      co_await out.write("one,");
      co_await out.write("two");
    };
    co_return response;
  }
  static Async<Response> pouring(Request&) {
    Response response{.content_type = kPlainText};
    response.stream = [](BodyStream& out) -> Async<> {
      const std::string chunk(kHugeBytes, 'x');
      co_await out.write(chunk);
    };
    co_return response;
  }
  Async<Response> wait(Request& request) {
    request.watch_peer();
    Reply reply;
    waiting.entered.set_value(reply.sender());
    const auto text = co_await reply.wait_until(async::Steady::now() + std::chrono::minutes(1), &request.interrupt);
    if (!text) waiting.interrupted.set_value(request.peer_gone);
    co_return text_response(200, text.value_or("interrupted"));
  }

  std::mutex mutex_;
  std::vector<std::pair<int, std::string>> answered_;
  async::IoThreads io_;

 public:
  std::optional<Server> server;  // last, to go first
};

}  // namespace millrace::http::testing
