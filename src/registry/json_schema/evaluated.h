// Which members or elements of one value some schema has looked at: what the unevaluated keywords ask. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::registry::json_schema {

class Evaluated {
 public:
  void mark(std::size_t index) {
    if (index < kInline * 64) {
      inline_[index / 64] |= std::uint64_t{1} << index % 64;
      return;
    }
    const std::size_t word = index / 64 - kInline;
    if (more_.size() <= word) more_.resize(word + 1);
    more_[word] |= std::uint64_t{1} << index % 64;
  }
  void mark_all() { all_ = true; }

  bool has(std::size_t index) const {
    if (all_) return true;
    if (index < kInline * 64) return (inline_[index / 64] >> index % 64 & 1) != 0;
    const std::size_t word = index / 64 - kInline;
    return word < more_.size() && (more_[word] >> index % 64 & 1) != 0;
  }

  void add(const Evaluated& other) {
    all_ |= other.all_;
    for (std::size_t i = 0; i < kInline; ++i) inline_[i] |= other.inline_[i];
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }

 private:
  static constexpr std::size_t kInline = 2;  // words without allocation: 128 members

  bool all_ = false;
  std::array<std::uint64_t, kInline> inline_ = {};
  std::vector<std::uint64_t> more_;
};

}  // namespace millrace::registry::json_schema
