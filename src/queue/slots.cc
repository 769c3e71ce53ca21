#include "queue/slots.h"

#include "base/assert.h"

namespace millrace::queue {

SlotIndex Slots::take() {
  ++used_;
  if (!free_.empty()) {
    const SlotIndex index = free_.back();
    free_.pop_back();
    (*this)[index] = Slot{};
    return index;
  }
  MR_ASSERT(next_ != kNoSlot, "live items are bounded far below 2^32");
  if (next_ >> kChunkBits == chunks_.size()) chunks_.push_back(std::make_unique<Slot[]>(std::size_t{1} << kChunkBits));
  return next_++;
}

void Slots::give_back(SlotIndex index) {
  MR_ASSERT(used_ > 0, "a slot is given back once");
  --used_;
  free_.push_back(index);
}

}  // namespace millrace::queue
