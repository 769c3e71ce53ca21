// The memory of one live item: 48 bytes in a pool of fixed chunks, named by a 32-bit index. Everything
// that many items share (lane, group, retry policy) is an index too. Payloads never come here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "queue/item.h"

namespace millrace::queue {

using SlotIndex = std::uint32_t;
using LaneIndex = std::uint32_t;
using GroupIndex = std::uint32_t;
inline constexpr SlotIndex kNoSlot = ~SlotIndex{0};
inline constexpr GroupIndex kNoGroup = ~GroupIndex{0};

// Which structure holds the item now; exactly one does.
enum class Where : std::uint8_t {
  nowhere,  // between two steps of one command, or a failed item that blocks its group
  ready,    // in its lane, can be claimed
  timer,    // waits for its due time
  grouped,  // waits for the items of its group before it
  leased,
};

struct Slot {
  std::uint64_t id = 0;
  std::int64_t due_ms = 0;
  LaneIndex lane = 0;
  GroupIndex group = kNoGroup;
  std::int32_t priority = 0;
  std::uint32_t policy = 0;
  std::uint32_t attempt = 0;
  std::uint16_t retry_count = 0;
  std::uint16_t max_retries = 0;
  Status status = Status::pending;
  Where where = Where::nowhere;
  bool retry_wait = false;
  bool aside = false;  // left its group's order after a failure (next_on_error)
};
static_assert(sizeof(Slot) <= 48, "a waiting item must stay small: see docs/benchmarks.md, memory");

// A pool that never moves its slots.
class Slots {
 public:
  SlotIndex take();
  void give_back(SlotIndex index);
  Slot& operator[](SlotIndex index) { return chunks_[index >> kChunkBits][index & kChunkMask]; }
  const Slot& operator[](SlotIndex index) const { return chunks_[index >> kChunkBits][index & kChunkMask]; }
  std::size_t used() const { return used_; }

 private:
  static constexpr unsigned kChunkBits = 12;
  static constexpr SlotIndex kChunkMask = (1u << kChunkBits) - 1;

  std::vector<std::unique_ptr<Slot[]>> chunks_;
  std::vector<SlotIndex> free_;
  SlotIndex next_ = 0;
  std::size_t used_ = 0;
};

}  // namespace millrace::queue
