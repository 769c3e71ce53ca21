// Takes a chunked body apart as it arrives. Pure; one for each body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace::http {

inline constexpr int kChunkSizeDigitsMax = 8;
// Extensions and trailers mean nothing here; they are read past, up to this between two chunks.
inline constexpr std::size_t kChunkOverheadBytesMax = 4096;

class ChunkDecoder {
 public:
  explicit ChunkDecoder(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  // Appends the data in `bytes` to `body` and returns how many bytes it took; fewer than given only once
  // the body is complete. Errc::malformed, or Errc::too_large beyond the limit; unusable afterwards.
  Result<std::size_t> feed(std::string_view bytes, std::string& body);
  bool done() const { return state_ == State::done; }

 private:
  enum class State : std::uint8_t { size, after_size, extension, size_lf, data, data_cr, data_lf, trailer, done };

  Result<void> step(char c);
  Result<void> end_of_size();
  Result<void> end_of_trailer_line();

  std::size_t body_bytes_max_;
  State state_ = State::size;
  std::uint64_t left_ = 0;  // of the chunk's data; while its size is read: the size so far
  int size_digits_ = 0;
  std::size_t overhead_ = 0;  // bytes of sizes, extensions and trailers without data between them
  std::string line_;          // the trailer line so far
};

}  // namespace millrace::http
