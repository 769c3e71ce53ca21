// Reads a request's body off the wire, under a deadline that moves on with each kProgressBytes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "http/chunked.h"
#include "http/framing.h"
#include "http/held_bytes.h"
#include "http/problem.h"
#include "http/wire.h"

namespace millrace::http {

template <class Stream>
class BodyReader {
 public:
  // REQUIRES: all of them outlive it.
  BodyReader(Wire<Stream>& wire, std::string& body, HeldBytes::Lease& held, std::chrono::milliseconds patience)
      : wire_(wire), body_(body), held_(held), patience_(patience) {}

  // Errc::malformed, also if the peer stops sending, Errc::too_large, or Errc::unavailable where the server holds
  // too much already; then the connection is of no further use.
  Async<Result<void>> read(const Head& head, std::size_t limit) {
    wire_.arm(patience_);
    auto whole = co_await (head.chunked ? chunks(limit) : length(static_cast<std::size_t>(*head.content_length)));
    wire_.disarm();
    co_return whole;
  }

 private:
  // Memory is given to a body as it arrives, not as it is announced.
  static constexpr std::size_t kStepBytes = HeldBytes::kUncountedBytes;

  Async<Result<void>> length(std::size_t bytes) {
    std::size_t size = 0;
    while (size < bytes) {
      if (size == body_.size()) {
        const std::size_t next = std::min(bytes, size + kStepBytes);
        if (!has_room(next)) co_return std::unexpected(too_much_held());
        body_.resize(next);
      }
      const std::size_t read = co_await wire_.read_into(std::span(body_).subspan(size));
      if (read == 0) co_return fail(Errc::malformed, "the body ends early");
      size += read;
      note(read);
    }
    co_return Result<void>();
  }

  Async<Result<void>> chunks(std::size_t limit) {
    ChunkDecoder decoder(limit);
    for (;;) {
      const auto taken = decoder.feed(wire_.inbox.view(), body_);
      if (!taken) co_return std::unexpected(taken.error());
      wire_.inbox.consume(*taken);
      note(*taken);
      if (!has_room(body_.size())) co_return std::unexpected(too_much_held());
      if (decoder.done()) co_return Result<void>();
      if (!co_await wire_.fill()) co_return fail(Errc::malformed, "the body ends early");
    }
  }

  // Whether the body may have so many bytes; what it may have is counted a step at a time.
  bool has_room(std::size_t bytes) {
    if (bytes <= counted_ + kStepBytes) return true;
    if (!held_.grow(bytes - counted_)) return false;
    counted_ = bytes;
    return true;
  }

  void note(std::size_t bytes) {
    progress_ += bytes;
    if (progress_ < Wire<Stream>::kProgressBytes) return;
    progress_ = 0;
    wire_.arm(patience_);
  }

  Wire<Stream>& wire_;
  std::string& body_;
  HeldBytes::Lease& held_;
  std::chrono::milliseconds patience_;
  std::size_t progress_ = 0;
  std::size_t counted_ = 0;  // of the body's bytes
};

}  // namespace millrace::http
