// The body of a streamed answer: each write becomes one chunk.
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>

#include "http/response.h"
#include "http/wire.h"

namespace millrace::http {

template <class Stream>
class ChunkedBody final : public BodyStream {
 public:
  ChunkedBody(Wire<Stream>& wire, std::chrono::milliseconds patience) : wire_(wire), patience_(patience) {}

  Async<bool> write(std::string_view bytes) override {
    if (bytes.empty()) co_return !wire_.closed();
    chunk_.clear();
    fmt::format_to(std::back_inserter(chunk_), "{:x}\r\n", bytes.size());
    chunk_.append(bytes).append("\r\n");
    co_return co_await put(chunk_);
  }
  // As it is, without a chunk around it.
  Async<bool> put(std::string_view text) {
    std::array<std::string_view, 2> pieces = {text, {}};
    sent_ += text.size();
    if (wire_.closed()) co_return false;
    if (!wire_.write_now(pieces)) co_await wire_.write_rest(pieces, patience_);
    co_return !wire_.closed();
  }
  std::size_t sent() const { return sent_; }

 private:
  Wire<Stream>& wire_;
  std::chrono::milliseconds patience_;
  std::string chunk_;
  std::size_t sent_ = 0;
};

}  // namespace millrace::http
