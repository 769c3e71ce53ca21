// Finding the prefixes, suffixes and inner parts that a text has among many, at a cost that depends on the text
// and not on how many there are. Keys are views of patterns, which must outlive the tables.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "match/condition.h"
#include "match/postings.h"

namespace millrace::match {

using TextTable = absl::flat_hash_map<std::string_view, PostingId>;

// Prefixes or suffixes by length: one probe for each length that occurs.
class AffixTable {
 public:
  explicit AffixTable(Shape shape) : shape_(shape) {}

  PostingId& at(std::string_view affix);
  template <class Found>
  void find(std::string_view text, Found found) const;

 private:
  Shape shape_;
  std::vector<std::uint32_t> lengths_;  // ascending
  TextTable table_;
};

// Literals anywhere in a text, found by their last eight bytes, or all if fewer. What is found is a candidate; the
// caller looks again.
class InfixTable {
 public:
  static constexpr std::size_t kWidthMax = 8;

  // REQUIRES: not empty.
  PostingId& at(std::string_view literal);
  // Calls found(PostingId, std::size_t) with the place where the found bytes begin, of each width in ascending order.
  template <class Found>
  void find(std::string_view text, Found found) const;

  // The `width` bytes from `at` on, as one number. REQUIRES: they are there, and at most kWidthMax.
  static std::uint64_t load(std::string_view text, std::size_t at, std::size_t width) {
    std::uint64_t window = 0;
    if (text.size() - at >= sizeof window) {
      std::memcpy(&window, text.data() + at, sizeof window);
      return window << (64 - 8 * width) >> (64 - 8 * width);
    }
    std::memcpy(&window, text.data() + at, width);
    return window;
  }

 private:
  // Windows of one width. Most windows of a text are none of ours, and a bit tells without a look at the table.
  class Windows {
   public:
    PostingId& at(std::uint64_t window);
    const PostingId* find(std::uint64_t window) const {
      const std::size_t bit = bit_of(window);
      if ((bits_[bit / 64] >> (bit % 64) & 1) == 0) return nullptr;
      const auto entry = table_.find(window);
      return entry == table_.end() ? nullptr : &entry->second;
    }

   private:
    std::size_t bit_of(std::uint64_t window) const { return window * 0x9e3779b97f4a7c15 >> shift_; }
    void set(std::uint64_t window) { bits_[bit_of(window) / 64] |= std::uint64_t{1} << (bit_of(window) % 64); }

    absl::flat_hash_map<std::uint64_t, PostingId> table_;
    std::vector<std::uint64_t> bits_ = std::vector<std::uint64_t>(16);
    int shift_ = 54;  // the number of bits is 2^(64 - shift_), at least 16 an entry
  };

  std::array<std::unique_ptr<Windows>, kWidthMax> by_width_;  // of 1 to 8 bytes
};

template <class Found>
void AffixTable::find(std::string_view text, Found found) const {
  for (const std::uint32_t length : lengths_) {
    if (length > text.size()) return;
    const std::string_view affix = shape_ == Shape::prefix ? text.substr(0, length) : text.substr(text.size() - length);
    const auto entry = table_.find(affix);
    if (entry != table_.end()) found(entry->second);
  }
}

template <class Found>
void InfixTable::find(std::string_view text, Found found) const {
  for (std::size_t width = 1; width <= std::min(kWidthMax, text.size()); ++width) {
    const Windows* windows = by_width_[width - 1].get();
    if (windows == nullptr) continue;
    for (std::size_t i = 0; i + width <= text.size(); ++i) {
      const PostingId* list = windows->find(load(text, i, width));
      if (list != nullptr) found(*list, i);
    }
  }
}

}  // namespace millrace::match
