#include "http/chunked.h"

#include <fmt/format.h>

#include <algorithm>

#include "http/ascii.h"

namespace millrace::http {

namespace {

std::unexpected<Error> refuse(const char* why) { return fail(Errc::malformed, why); }

}  // namespace

Result<std::size_t> ChunkDecoder::feed(std::string_view bytes, std::string& body) {
  std::size_t at = 0;
  while (at < bytes.size() && !done()) {
    if (state_ != State::data) {
      if (auto ok = step(bytes[at++]); !ok) return std::unexpected(std::move(ok).error());
      continue;
    }
    const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - at));
    if (body.size() + taken > body_bytes_max_)
      return fail(Errc::too_large, fmt::format("the body is larger than {} bytes", body_bytes_max_));
    body.append(bytes.substr(at, taken));
    at += taken;
    left_ -= taken;
    overhead_ = 0;
    if (left_ == 0) state_ = State::data_cr;
  }
  return at;
}

Result<void> ChunkDecoder::step(char c) {
  if (++overhead_ > kChunkOverheadBytesMax) return refuse("the chunked body has too much between its data");
  switch (state_) {
    case State::size:
      if (const int digit = hex_value(c); digit >= 0) {
        if (++size_digits_ > kChunkSizeDigitsMax) return refuse("a chunk is too large");
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        return {};
      }
      if (size_digits_ == 0) return refuse("a chunk has no size");
      if (c == '\r') return state_ = State::size_lf, Result<void>();
      if (c == ';') return state_ = State::extension, Result<void>();
      if (is_blank(c)) return state_ = State::after_size, Result<void>();
      return refuse("a chunk's size is not hexadecimal");
    case State::after_size:
      if (c == '\r') return state_ = State::size_lf, Result<void>();
      if (c == ';') return state_ = State::extension, Result<void>();
      return is_blank(c) ? Result<void>() : refuse("a chunk's size has something after it that is no extension");
    case State::extension:
      if (c == '\r') return state_ = State::size_lf, Result<void>();
      return is_value_char(c) ? Result<void>() : refuse("a chunk extension holds a control character");
    case State::size_lf:
      return c == '\n' ? end_of_size() : refuse("a chunk's size does not end with CRLF");
    case State::data_cr:
      if (c != '\r') return refuse("a chunk is longer than its size");
      state_ = State::data_lf;
      return {};
    case State::data_lf:
      if (c != '\n') return refuse("a chunk does not end with CRLF");
      state_ = State::size;
      return {};
    case State::trailer:
      if (c == '\n') return end_of_trailer_line();
      line_.push_back(c);
      return {};
    case State::data:
    case State::done:
      break;
  }
  return refuse("the chunked body goes on after its end");
}

Result<void> ChunkDecoder::end_of_size() {
  state_ = left_ == 0 ? State::trailer : State::data;
  size_digits_ = 0;
  return {};
}

Result<void> ChunkDecoder::end_of_trailer_line() {
  if (line_.empty() || line_.back() != '\r') return refuse("a trailer line does not end with CRLF");
  line_.pop_back();
  if (line_.empty()) {
    state_ = State::done;
    return {};
  }
  const std::size_t colon = line_.find(':');
  if (colon == std::string::npos || !is_token(std::string_view(line_).substr(0, colon)) ||
      !std::ranges::all_of(line_, is_value_char))
    return refuse("a trailer is not a header field");
  line_.clear();
  return {};
}

}  // namespace millrace::http
