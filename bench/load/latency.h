// How long things took: counts in buckets that are at most 1/64 wide, from 1 ns to half an hour.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace millrace::load {

class Latency {
 public:
  void record(std::chrono::nanoseconds took);

  std::uint64_t count() const { return count_; }
  std::chrono::nanoseconds max() const { return max_; }
  // The upper edge of the bucket that holds the quantile, never above max(); zero if nothing was recorded.
  std::chrono::nanoseconds quantile(double q) const;

 private:
  static constexpr unsigned kFineBits = 6;
  static constexpr std::size_t kBuckets = std::size_t{42 - kFineBits} << kFineBits;
  static std::size_t bucket_of(std::uint64_t ns);
  static std::uint64_t upper_edge(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::chrono::nanoseconds max_{0};
};

}  // namespace millrace::load
