// The byte side of a connection, plain or TLS: reads, writes, and notices that the peer has left, all under
// the deadline that the connection's set watches. Owned by a session through a shared_ptr, since a read may
// still be under way when the session ends. One io thread.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "async/async.h"
#include "async/one_shot.h"
#include "http/connection_set.h"
#include "http/inbox.h"
#include "http/server.h"

namespace millrace::http {

using PlainStream = boost::asio::ip::tcp::socket;
using TlsStream = boost::asio::ssl::stream<PlainStream>;

template <class Stream>
class Wire : public Connection, public std::enable_shared_from_this<Wire<Stream>> {
 public:
  using ErrorCode = boost::system::error_code;
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;
  // A peer makes progress if it moves this much in Patience::progress.
  static constexpr std::size_t kProgressBytes = 16 * 1024;

  explicit Wire(Stream stream) : stream_(std::move(stream)) {
    ErrorCode ignored;
    socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    socket().non_blocking(true, ignored);
  }

  Inbox inbox;

  // The peer cannot be reached any more.
  bool closed() const { return closed_; }
  // The last wait ended because the peer took too long.
  bool expired() const { return expired_; }
  // Whether bytes wait in the kernel.
  bool has_input() {
    ErrorCode ignored;
    return !inbox.empty() || socket().available(ignored) > 0;
  }

  void arm(std::chrono::milliseconds patience) {
    expired_ = false;
    deadline_ = async::Steady::now() + patience;
  }
  void disarm() { deadline_ = async::Deadline::max(); }

  Async<bool> handshake()
    requires kTls
  {
    ErrorCode error;
    co_await stream_.async_handshake(boost::asio::ssl::stream_base::server, redirect(error));
    closed_ = static_cast<bool>(error);
    co_return !closed_;
  }

  // Reads once into the inbox. False: closed or expired. REQUIRES: the inbox is not full.
  Async<bool> fill() {
    if (watch_reading_) co_return co_await watched_read();
    ErrorCode error;
    const std::span<char> room = inbox.prepare();
    const std::size_t bytes =
        co_await stream_.async_read_some(boost::asio::buffer(room.data(), room.size()), redirect(error));
    inbox.commit(bytes);
    co_return took(error);
  }

  // Reads once into `room`: what the inbox holds, else from the peer. 0: closed or expired.
  Async<std::size_t> read_into(std::span<char> room) {
    if (inbox.empty() && watch_reading_ && !co_await watched_read()) co_return 0;
    if (!inbox.empty()) {
      const std::size_t bytes = inbox.view().copy(room.data(), room.size());
      inbox.consume(bytes);
      co_return bytes;
    }
    ErrorCode error;
    const std::size_t bytes =
        co_await stream_.async_read_some(boost::asio::buffer(room.data(), room.size()), redirect(error));
    took(error);
    co_return bytes;
  }

  // Tries without waiting and cuts off what went. False: something is left, see write_rest.
  bool write_now(std::array<std::string_view, 2>& pieces) {
    if constexpr (kTls) {
      return closed_;
    } else {
      ErrorCode error;
      const std::size_t bytes = stream_.write_some(buffers(pieces), error);
      if (error && error != boost::asio::error::would_block) closed_ = true;
      return closed_ || advance(pieces, bytes);
    }
  }

  // Writes all of it, giving up on a peer that does not read for `patience`.
  Async<> write_rest(std::array<std::string_view, 2> pieces, std::chrono::milliseconds patience) {
    std::size_t progress = kProgressBytes;
    while (!closed_) {
      if (progress >= kProgressBytes) {
        arm(patience);
        progress = 0;
      }
      ErrorCode error;
      const std::size_t bytes = co_await stream_.async_write_some(buffers(pieces), redirect(error));
      progress += bytes;
      if (!took(error)) closed_ = true;
      if (advance(pieces, bytes)) break;
    }
    disarm();
  }

  // Keeps a read under way, so that `gone` is called when the peer leaves; what it sends meanwhile waits in the
  // inbox. A peer that only ends its sending side counts as gone.
  void watch(std::function<void()> gone) {
    gone_ = std::move(gone);
    if (!watch_reading_) read_while_watching();
  }
  void unwatch() { gone_ = nullptr; }

  // Ends the connection. With input left unread the kernel would reset it and the peer might lose the
  // answer, so what comes is read past: up to kLingerBytesMax, each kLingerStepBytes of it within `patience`.
  Async<> close(bool lingering, std::chrono::milliseconds patience) {
    ErrorCode ignored;
    if (!closed_) {
      arm(patience);
      if constexpr (kTls) {
        if (!watch_reading_) co_await stream_.async_shutdown(redirect(ignored));
      }
      socket().shutdown(PlainStream::shutdown_send, ignored);
      if (lingering && !watch_reading_) co_await read_past(patience);
      disarm();
    }
    closed_ = true;
    socket().close(ignored);
  }

  void expire() override {
    expired_ = true;
    cancel();
  }
  void abort() override {
    closed_ = true;
    ErrorCode ignored;
    socket().close(ignored);
  }

 protected:
  void cancel() {
    ErrorCode ignored;
    socket().cancel(ignored);
  }

 private:
  // Many clients send all of a body before they look at the answer: this much of one that is refused as too large.
  static constexpr std::size_t kLingerBytesMax = 64 * 1024 * 1024;
  static constexpr std::size_t kLingerStepBytes = 1024 * 1024;

  static auto redirect(ErrorCode& error) { return boost::asio::redirect_error(boost::asio::use_awaitable, error); }
  static std::array<boost::asio::const_buffer, 2> buffers(const std::array<std::string_view, 2>& pieces) {
    return {boost::asio::buffer(pieces[0]), boost::asio::buffer(pieces[1])};
  }
  // True if nothing is left.
  static bool advance(std::array<std::string_view, 2>& pieces, std::size_t bytes) {
    for (auto& piece : pieces) {
      const std::size_t cut = std::min(bytes, piece.size());
      piece.remove_prefix(cut);
      bytes -= cut;
    }
    return pieces[0].empty() && pieces[1].empty();
  }

  PlainStream& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  bool took(const ErrorCode& error) {
    if (error && !expired_) closed_ = true;
    return !error;
  }

  void read_while_watching() {
    if (inbox.full() || closed_) return;
    watch_reading_ = true;
    const std::span<char> room = inbox.prepare();
    stream_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                            [self = this->shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                              self->on_watched_read(error, bytes);
                            });
  }

  void on_watched_read(const ErrorCode& error, std::size_t bytes) {
    watch_reading_ = false;
    inbox.commit(bytes);
    const bool more = took(error);
    if (arrival_) {
      auto arrival = std::exchange(arrival_, nullptr);
      arrival->fulfil(more);
    } else if (!gone_) {
      return;
    } else if (more) {
      read_while_watching();
    } else {
      std::exchange(gone_, nullptr)();
    }
  }

  // Waits for the read that a watch has left under way.
  Async<bool> watched_read() {
    async::OneShot<bool> arrived;
    arrival_ = std::make_unique<async::OneShot<bool>::Sender>(arrived.sender());
    co_return co_await arrived.wait();
  }

  // REQUIRES: armed with `patience`.
  Async<> read_past(std::chrono::milliseconds patience) {
    std::array<char, 16 * 1024> dropped;
    ErrorCode error;
    std::size_t step = 0;
    for (std::size_t total = 0; total < kLingerBytesMax && !error;) {
      const std::size_t bytes = co_await socket().async_read_some(boost::asio::buffer(dropped), redirect(error));
      total += bytes;
      step += bytes;
      if (step < kLingerStepBytes) continue;
      arm(patience);
      step = 0;
    }
  }

  Stream stream_;
  bool closed_ = false;
  bool expired_ = false;
  bool watch_reading_ = false;  // a read for a watch is under way; nobody else may read or move the inbox
  std::function<void()> gone_;
  std::unique_ptr<async::OneShot<bool>::Sender> arrival_;
};

}  // namespace millrace::http
