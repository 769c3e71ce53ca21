#include "match/interval_table.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace millrace::match {

void IntervalTable::add(const Interval& interval, PostingId posting) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  added_.push_back({interval.low ? interval.low->number.nearest : -kInfinity,
                    interval.high ? interval.high->number.nearest : kInfinity, posting});
}

std::size_t IntervalTable::slot_of(double number) const {
  const auto end = std::ranges::lower_bound(ends_, number);
  const auto before = static_cast<std::size_t>(end - ends_.begin());
  return 2 * before + (end != ends_.end() && *end == number ? 1 : 0);
}

// The nodes that together are exactly the slots of the entry, at most two a level.
template <class Visit>
void IntervalTable::cover(const Entry& entry, Visit visit) const {
  std::size_t left = leaves_ + slot_of(entry.low);
  std::size_t right = leaves_ + slot_of(entry.high) + 1;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) visit(left++);
    if (right % 2 == 1) visit(--right);
  }
}

void IntervalTable::build() {
  for (const Entry& entry : added_) ends_.insert(ends_.end(), {entry.low, entry.high});
  std::ranges::sort(ends_);
  ends_.erase(std::ranges::unique(ends_).begin(), ends_.end());
  leaves_ = 1;
  while (leaves_ < 2 * ends_.size() + 1) leaves_ *= 2;

  begins_.assign(2 * leaves_ + 1, 0);
  for (const Entry& entry : added_) cover(entry, [&](std::size_t node) { ++begins_[node + 1]; });
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  postings_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (const Entry& entry : added_) cover(entry, [&](std::size_t node) { postings_[next[node]++] = entry.posting; });
  added_ = {};
  filled_.assign(2 * leaves_, 0);
  for (std::uint32_t node = 1; node < filled_.size(); ++node) {
    filled_[node] = begins_[node] < begins_[node + 1] ? node : filled_[node / 2];
  }
}

}  // namespace millrace::match
