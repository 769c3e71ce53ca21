// The story of a history, line by line: printed if asked for, and always summed to a digest, so that two
// runs of one seed can be compared.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/mix.h"

namespace millrace::simulation {

class Trace {
 public:
  enum class Output { none, print };
  explicit Trace(Output output) : output_(output) {}

  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    buffer_.clear();
    fmt::format_to(std::back_inserter(buffer_), text, std::forward<Args>(args)...);
    add({buffer_.data(), buffer_.size()});
  }

  std::uint64_t digest() const { return digest_; }

 private:
  void add(std::string_view text) {
    for (const char c : text) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    digest_ = mix64(digest_);
    if (output_ == Output::print) fmt::print("{}\n", text);
  }

  Output output_;
  fmt::memory_buffer buffer_;
  std::uint64_t digest_ = 0xcbf29ce484222325ull;
};

}  // namespace millrace::simulation
