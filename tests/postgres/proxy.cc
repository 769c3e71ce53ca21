#include "postgres/proxy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace millrace::test {
namespace {

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool send_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

Proxy::Proxy(int server_port) : server_port_(server_port), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = local(0);
  socklen_t size = sizeof address;
  MR_ASSERT(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0, "a free port");
  MR_ASSERT(listen(listener_, 16) == 0, "listen");
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { forward(stop); });
}

Proxy::~Proxy() {
  thread_ = {};
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
  for (const int server : abandoned_) close(server);
  close(listener_);
}

void Proxy::forward(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (cut_clients_.exchange(false)) {
      for (const Pair& pair : pairs_) {
        close(pair.client);
        abandoned_.push_back(pair.server);
      }
      pairs_.clear();
    }
    std::vector<pollfd> waiting = {{.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const Pair& pair : pairs_) {
      waiting.push_back({.fd = pair.client, .events = POLLIN, .revents = 0});
      waiting.push_back({.fd = pair.server, .events = POLLIN, .revents = 0});
    }
    poll(waiting.data(), waiting.size(), 20);
    std::vector<Pair> open;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const bool alive = (waiting[1 + 2 * i].revents == 0 || pump(pairs_[i], pairs_[i].client)) &&
                         (waiting[2 + 2 * i].revents == 0 || pump(pairs_[i], pairs_[i].server));
      if (alive) {
        open.push_back(pairs_[i]);
      } else {
        close(pairs_[i].client);
        close(pairs_[i].server);
      }
    }
    pairs_ = open;
    if (waiting[0].revents != 0) accept_client();
  }
}

void Proxy::accept_client() {
  const Pair pair{.client = accept(listener_, nullptr, nullptr), .server = socket(AF_INET, SOCK_STREAM, 0)};
  const sockaddr_in address = local(server_port_);
  if (!refuse_clients_ && connect(pair.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    pairs_.push_back(pair);
  } else {
    close(pair.client);
    close(pair.server);
  }
}

bool Proxy::pump(const Pair& pair, int from) {
  std::array<char, 65536> buffer;
  const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  if (from == pair.client) return send_all(pair.server, buffer.data(), static_cast<std::size_t>(got));
  return !cut_at_answer_.exchange(false) && send_all(pair.client, buffer.data(), static_cast<std::size_t>(got));
}

}  // namespace millrace::test
