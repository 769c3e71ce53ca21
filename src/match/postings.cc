#include "match/postings.h"

#include <numeric>

namespace millrace::match {

void Postings::pack() {
  begins_.assign(std::size_t{lists_} + 1, 0);
  for (const Added& added : added_) ++begins_[added.list + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  branches_.resize(added_.size());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (const Added& added : added_) branches_[next[added.list]++] = added.branch;
  added_ = {};
}

}  // namespace millrace::match
