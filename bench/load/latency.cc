#include "load/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace millrace::load {

// Below 64 each value has its own bucket; above, each power of two is cut into 64.
std::size_t Latency::bucket_of(std::uint64_t ns) {
  if (ns < (1u << kFineBits)) return ns;
  const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1;
  const std::uint64_t fine = (ns >> (power - kFineBits)) & ((1u << kFineBits) - 1);
  return std::min<std::size_t>(((power - kFineBits + 1) << kFineBits) + fine, kBuckets - 1);
}

std::uint64_t Latency::upper_edge(std::size_t bucket) {
  if (bucket < (1u << kFineBits)) return bucket;
  const auto shift = (bucket >> kFineBits) - 1;
  const std::uint64_t fine = bucket & ((1u << kFineBits) - 1);
  return ((((std::uint64_t{1} << kFineBits) | fine) + 1) << shift) - 1;
}

void Latency::record(std::chrono::nanoseconds took) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
  ++buckets_[bucket_of(ns)];
  ++count_;
  max_ = std::max(max_, took);
}

std::chrono::nanoseconds Latency::quantile(double q) const {
  if (count_ == 0) return std::chrono::nanoseconds(0);
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) return std::min(max_, std::chrono::nanoseconds(upper_edge(bucket)));
  }
  return max_;
}

}  // namespace millrace::load
