// A TCP proxy in front of PostgreSQL that can cut connections: what a network does to a commit.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace millrace::test {

class Proxy {
 public:
  // Forwards to 127.0.0.1:`server_port`.
  explicit Proxy(int server_port);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  int port() const { return port_; }
  // The next answer of the server does not arrive: its connection is closed instead.
  void cut_at_next_answer() { cut_at_answer_ = true; }
  // Closes the clients' side of all connections; the server does not learn of it.
  void cut_clients() { cut_clients_ = true; }
  // From now on nobody gets through any more; connections that exist go on.
  void refuse_clients() { refuse_clients_ = true; }

 private:
  struct Pair {
    int client;
    int server;
  };
  void forward(const std::stop_token& stop);
  void accept_client();
  // False once one side is gone.
  bool pump(const Pair& pair, int from);

  int server_port_;
  int listener_;
  int port_ = 0;
  std::atomic<bool> cut_at_answer_ = false;
  std::atomic<bool> cut_clients_ = false;
  std::atomic<bool> refuse_clients_ = false;
  std::vector<Pair> pairs_;
  std::vector<int> abandoned_;  // to the server, without a client
  std::jthread thread_;
};

}  // namespace millrace::test
