#include "queue/retry.h"

#include <gtest/gtest.h>

namespace millrace::queue {
namespace {

using std::chrono::seconds;

// S4.6
TEST(Retry, FixedWaitsTheSameEachTime) {
  const RetryPolicy policy{.kind = Backoff::fixed, .base = seconds(300)};
  for (std::uint32_t tries : {1u, 2u, 1000u}) EXPECT_EQ(retry_delay(policy, tries, 7), seconds(300));
}

// S4.6
TEST(Retry, ExponentialDoublesUpToItsCap) {
  const RetryPolicy policy{.kind = Backoff::exponential, .base = seconds(10), .cap = seconds(60)};
  EXPECT_EQ(retry_delay(policy, 1, 7), seconds(10));
  EXPECT_EQ(retry_delay(policy, 2, 7), seconds(20));
  EXPECT_EQ(retry_delay(policy, 3, 7), seconds(40));
  EXPECT_EQ(retry_delay(policy, 4, 7), seconds(60));
  EXPECT_EQ(retry_delay(policy, 1000, 7), seconds(60));
}

TEST(Retry, BaseAboveTheCapIsCut) {
  EXPECT_EQ(retry_delay({.kind = Backoff::exponential, .base = seconds(90), .cap = seconds(60)}, 1, 7), seconds(60));
}

TEST(Retry, JitterStaysInTheUpperHalfAndDependsOnTheItem) {
  const RetryPolicy policy{.kind = Backoff::fixed, .jitter = true, .base = seconds(100)};
  bool differs = false;
  for (std::uint64_t salt = 0; salt < 1000; ++salt) {
    const Millis wait = retry_delay(policy, 1, salt);
    EXPECT_GE(wait, seconds(50));
    EXPECT_LE(wait, seconds(100));
    EXPECT_EQ(wait, retry_delay(policy, 1, salt));
    differs = differs || wait != retry_delay(policy, 1, salt + 1);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace millrace::queue
