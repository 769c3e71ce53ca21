// How many bytes of bodies and answers the server holds for its peers, all connections together: what one peer may
// cost is bounded elsewhere, what many may cost together is bounded here. One always has room, however large: it would
// be refused for ever otherwise. Any thread.
#pragma once

#include <atomic>
#include <cstddef>

namespace millrace::http {

class HeldBytes {
 public:
  // A body or an answer of up to this is not counted: most are smaller, and cost nothing here.
  static constexpr std::size_t kUncountedBytes = 64 * 1024;

  explicit HeldBytes(std::size_t max) : max_(max) {}

  std::size_t held() const { return held_.load(std::memory_order_relaxed); }
  // For a body.
  bool has_room(std::size_t bytes) const { return fits(bytes, max_); }
  // For an answer that can be asked for again. Half of the room is not for these: peers who ask for much and read it
  // slowly would keep all bodies out.
  bool has_room_for_answer(std::size_t bytes) const { return fits(bytes, max_ / 2); }

  // What one connection holds. The HeldBytes must outlive it. One thread.
  class Lease {
   public:
    explicit Lease(HeldBytes& from) : from_(from) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { release(); }

    // False: there is no room, and nothing is added.
    bool grow(std::size_t bytes) {
      const std::size_t held_now = from_.held();
      if (held_now != bytes_ && held_now + bytes > from_.max_) return false;
      add(bytes);
      return true;
    }
    bool has_room_for_answer(std::size_t bytes) const { return from_.has_room_for_answer(bytes); }
    // Room or not: for what is there already.
    void add(std::size_t bytes) {
      from_.held_.fetch_add(bytes, std::memory_order_relaxed);
      bytes_ += bytes;
    }
    // REQUIRES: it holds as many.
    void give_back(std::size_t bytes) {
      from_.held_.fetch_sub(bytes, std::memory_order_relaxed);
      bytes_ -= bytes;
    }
    void release() {
      if (bytes_ > 0) give_back(bytes_);
    }

   private:
    HeldBytes& from_;
    std::size_t bytes_ = 0;
  };

 private:
  bool fits(std::size_t bytes, std::size_t max) const {
    const std::size_t held_now = held();
    return bytes <= kUncountedBytes || held_now == 0 || held_now + bytes <= max;
  }

  const std::size_t max_;
  std::atomic<std::size_t> held_ = 0;
};

}  // namespace millrace::http
