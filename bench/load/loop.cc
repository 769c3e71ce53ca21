#include "load/loop.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <queue>
#include <stdexcept>
#include <utility>

#include "load/wire.h"

namespace millrace::load {
namespace {

constexpr std::uint64_t kErrorsMax = 1000;
constexpr auto kRefusedPause = std::chrono::milliseconds(5);
constexpr std::size_t kReadBytes = 256 * 1024;

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

int connect_to(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    fail("connect");
  }
  return fd;
}

struct Connection {
  std::unique_ptr<Script> script;
  int fd = -1;
  std::string out;       // the request under way, kept to be sent again
  std::size_t sent = 0;  // of `out`
  std::string in;
  std::string_view step;
  Instant began{};
  bool writes = false;  // waits for room in the socket
};

class Loop {
 public:
  Loop(const RunOptions& options, std::vector<std::unique_ptr<Script>> scripts) : options_(options) {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ < 0) fail("epoll_create1");
    connections_.resize(scripts.size());
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      connections_[i].script = std::move(scripts[i]);
      open(i);
    }
    active_ = connections_.size();
  }
  ~Loop() {
    for (const Connection& connection : connections_) {
      if (connection.fd >= 0) close(connection.fd);
    }
    close(epoll_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Report run();

 private:
  struct Sleeper {
    Instant wakes;
    std::size_t index;
    bool resend;
    bool operator<(const Sleeper& other) const { return wakes > other.wakes; }
  };

  void open(std::size_t index);
  void reopen(std::size_t index, std::string_view why);
  void watch(std::size_t index, int operation, std::uint32_t events) const;
  void advance(std::size_t index);
  void send_rest(std::size_t index);
  void receive(std::size_t index);
  void take(std::size_t index, const Answer& answer);
  void wake_sleepers();
  int wait_ms() const;
  bool measures() const { return options_.window.count() == 0 || (now_ >= from_ && now_ < until_); }
  void note_error(std::string text);

  RunOptions options_;
  int epoll_ = -1;
  std::vector<Connection> connections_;
  std::priority_queue<Sleeper> sleepers_;
  std::vector<char> buffer_ = std::vector<char>(kReadBytes);
  std::size_t active_ = 0;
  Instant now_{};
  Instant from_{};
  Instant until_{};
  Report report_;
};

void Loop::watch(std::size_t index, int operation, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = index;
  if (epoll_ctl(epoll_, operation, connections_[index].fd, &event) != 0) fail("epoll_ctl");
}

void Loop::open(std::size_t index) {
  connections_[index].fd = connect_to(options_.port);
  watch(index, EPOLL_CTL_ADD, EPOLLIN);
}

void Loop::note_error(std::string text) {
  if (++report_.errors == 1) report_.first_error = std::move(text);
  if (report_.errors > kErrorsMax) throw std::runtime_error("too many errors; the first: " + report_.first_error);
}

// The request under way is sent again on a new connection.
void Loop::reopen(std::size_t index, std::string_view why) {
  note_error(std::string(why));
  Connection& connection = connections_[index];
  close(connection.fd);
  connection.in.clear();
  connection.sent = 0;
  connection.writes = false;
  open(index);
  if (!connection.out.empty()) send_rest(index);
}

void Loop::advance(std::size_t index) {
  Connection& connection = connections_[index];
  connection.out.clear();
  connection.sent = 0;
  const Turn turn = connection.script->next(now_, connection.out);
  switch (turn.kind) {
    case Turn::Kind::done:
      --active_;
      close(std::exchange(connection.fd, -1));
      return;
    case Turn::Kind::pause:
      sleepers_.push({now_ + turn.pause, index, false});
      return;
    case Turn::Kind::send:
      connection.step = turn.step;
      connection.began = Clock::now();
      send_rest(index);
  }
}

void Loop::send_rest(std::size_t index) {
  Connection& connection = connections_[index];
  while (connection.sent < connection.out.size()) {
    const auto wrote = send(connection.fd, connection.out.data() + connection.sent,
                            connection.out.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote < 0 && errno == EAGAIN) {
      if (!connection.writes) watch(index, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      connection.writes = true;
      return;
    }
    if (wrote < 0) return reopen(index, fmt::format("send: {}", std::strerror(errno)));
    connection.sent += static_cast<std::size_t>(wrote);
  }
  if (connection.writes) watch(index, EPOLL_CTL_MOD, EPOLLIN);
  connection.writes = false;
}

void Loop::receive(std::size_t index) {
  Connection& connection = connections_[index];
  if (connection.fd < 0) return;  // done, by an event of the same round
  const auto got = recv(connection.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return reopen(index, got == 0 ? "the server closed the connection" : std::strerror(errno));
  connection.in.append(buffer_.data(), static_cast<std::size_t>(got));
  Answer answer;
  std::size_t used = 0;
  switch (read_answer(connection.in, answer, used)) {
    case Progress::incomplete:
      return;
    case Progress::malformed:
      return reopen(index, "malformed answer: " + connection.in.substr(0, 100));
    case Progress::complete:
      if (used != connection.in.size()) return reopen(index, "more than one answer: " + connection.in.substr(0, 100));
      take(index, answer);
  }
}

void Loop::take(std::size_t index, const Answer& answer) {
  Connection& connection = connections_[index];
  now_ = Clock::now();
  if (answer.status == 429 || answer.status == 503) {
    ++report_.refused;
    connection.in.clear();
    if (answer.closes) return reopen(index, fmt::format("closed after {}", answer.status));
    sleepers_.push({now_ + kRefusedPause, index, true});
    return;
  }
  const Verdict verdict = connection.script->answered(now_, answer.status, answer.body);
  if (!verdict.expected) {
    note_error(fmt::format("{} answered {} {}", connection.step, answer.status, answer.body.substr(0, 200)));
  }
  if (measures()) {
    ++report_.requests;
    report_.items += verdict.items;
    report_.steps[std::string(connection.step)].record(now_ -
                                                       (verdict.began == Instant{} ? connection.began : verdict.began));
  }
  connection.in.clear();
  connection.out.clear();
  if (answer.closes) reopen(index, "the server wanted to close");
  advance(index);
}

void Loop::wake_sleepers() {
  while (!sleepers_.empty() && sleepers_.top().wakes <= now_) {
    const Sleeper sleeper = sleepers_.top();
    sleepers_.pop();
    if (sleeper.resend) {
      connections_[sleeper.index].sent = 0;
      send_rest(sleeper.index);
    } else {
      advance(sleeper.index);
    }
  }
}

int Loop::wait_ms() const {
  auto left = std::chrono::nanoseconds(std::chrono::seconds(1));
  if (!sleepers_.empty()) left = std::min<std::chrono::nanoseconds>(left, sleepers_.top().wakes - now_);
  if (options_.window.count() > 0) left = std::min<std::chrono::nanoseconds>(left, until_ - now_);
  return static_cast<int>(std::max<std::int64_t>(0, (left.count() + 999'999) / 1'000'000));
}

Report Loop::run() {
  const Instant began = now_ = Clock::now();
  from_ = began + options_.warmup;
  until_ = from_ + options_.window;
  for (std::size_t i = 0; i < connections_.size(); ++i) advance(i);
  std::array<epoll_event, 256> events{};
  while (active_ > 0 && (options_.window.count() == 0 || now_ < until_)) {
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms());
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    now_ = Clock::now();
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.events & EPOLLOUT) send_rest(event.data.u64);
      if (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) receive(event.data.u64);
    }
    wake_sleepers();
  }
  const bool whole = options_.window.count() == 0;
  report_.seconds = std::chrono::duration<double>(whole ? now_ - began : options_.window).count();
  return std::move(report_);
}

}  // namespace

Report run(const RunOptions& options, std::vector<std::unique_ptr<Script>> scripts) {
  return Loop(options, std::move(scripts)).run();
}

}  // namespace millrace::load
