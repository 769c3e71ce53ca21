// The body of a streamed answer: each write becomes one chunk. A large one counts as held while it is being sent.
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>

#include "http/held_bytes.h"
#include "http/response.h"
#include "http/wire.h"

namespace millrace::http {

template <class Stream>
class ChunkedBody final : public BodyStream {
 public:
  // REQUIRES: wire and lease outlive it.
  ChunkedBody(Wire<Stream>& wire, HeldBytes::Lease& held, std::chrono::milliseconds patience)
      : wire_(wire), held_(held), patience_(patience) {}

  Async<bool> write(std::string_view bytes) override {
    if (bytes.empty()) co_return !wire_.closed();
    chunk_.clear();
    fmt::format_to(std::back_inserter(chunk_), "{:x}\r\n", bytes.size());
    if (bytes.size() > HeldBytes::kUncountedBytes) co_return co_await write_large(bytes);
    chunk_.append(bytes).append("\r\n");
    co_return co_await put(chunk_);
  }
  bool has_room(std::size_t bytes) const override { return held_.has_room_for_answer(bytes); }
  // As it is, without a chunk around it.
  Async<bool> put(std::string_view text) {
    const Pieces pieces = {text, {}};
    co_return co_await send(pieces);
  }
  std::size_t sent() const { return sent_; }

 private:
  using Pieces = std::array<std::string_view, 2>;

  // Sent from where the caller has it: a copy would hold as much again. REQUIRES: chunk_ has its size.
  Async<bool> write_large(std::string_view bytes) {
    const Pieces pieces = {chunk_, bytes};
    held_.add(bytes.size());
    const bool heard = co_await send(pieces);
    held_.give_back(bytes.size());
    if (!heard) co_return false;
    co_return co_await put("\r\n");
  }
  Async<bool> send(Pieces pieces) {
    sent_ += pieces[0].size() + pieces[1].size();
    if (wire_.closed()) co_return false;
    if (!wire_.write_now(pieces)) co_await wire_.write_rest(pieces, patience_);
    co_return !wire_.closed();
  }

  Wire<Stream>& wire_;
  HeldBytes::Lease& held_;
  std::chrono::milliseconds patience_;
  std::string chunk_;
  std::size_t sent_ = 0;
};

}  // namespace millrace::http
