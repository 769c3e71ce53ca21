// The bytes a connection has received and not yet used. Grows from small, since most connections only ever
// see small requests, to one head. Memory moves only in prepare().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "base/assert.h"
#include "http/framing.h"

namespace millrace::http {

class Inbox {
 public:
  std::string_view view() const { return {storage_.get() + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  bool full() const { return size() == kHeadBytesMax; }

  // Room to read into. REQUIRES: not full.
  std::span<char> prepare() {
    if (empty()) begin_ = end_ = 0;
    if (end_ == capacity_) make_room();
    return {storage_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t bytes) {
    MR_ASSERT(bytes <= capacity_ - end_, "no more was read than there was room for");
    end_ += bytes;
  }
  void consume(std::size_t bytes) {
    MR_ASSERT(bytes <= size(), "only what is there can be used");
    begin_ += bytes;
  }

 private:
  static constexpr std::size_t kStartBytes = 4096;

  void make_room() {
    MR_ASSERT(!full(), "a full inbox is emptied before more is read");
    const std::size_t held = size();
    if (held < capacity_) {
      std::memmove(storage_.get(), storage_.get() + begin_, held);
    } else {
      const std::size_t grown = std::clamp(capacity_ * 2, kStartBytes, kHeadBytesMax);
      auto larger = std::make_unique_for_overwrite<char[]>(grown);
      if (held > 0) std::memcpy(larger.get(), storage_.get() + begin_, held);
      storage_ = std::move(larger);
      capacity_ = grown;
    }
    begin_ = 0;
    end_ = held;
  }

  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace millrace::http
