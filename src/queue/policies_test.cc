#include "queue/policies.h"

#include <gtest/gtest.h>

namespace millrace::queue {
namespace {

RetryPolicy policy(int base_ms) { return {.base = Millis(base_ms)}; }

TEST(Policies, EqualOnesShareANumber) {
  Policies policies;
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(policies.join(policy(i % 200)));
  EXPECT_EQ(policies.size(), 200u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(policies[numbers[static_cast<std::size_t>(i)]], policy(i % 200));
}

TEST(Policies, OneThatNoItemHasIsForgottenAndItsNumberUsedAgain) {
  Policies policies;
  policies.join(policy(-1));
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t number = policies.join(policy(i));
    EXPECT_LE(number, 1u);
    EXPECT_EQ(policies[number], policy(i));
    policies.leave(number);
  }
  EXPECT_EQ(policies.size(), 1u);
}

TEST(Policies, OneStaysUntilItsLastItemGoes) {
  Policies policies;
  const std::uint32_t number = policies.join(policy(1));
  EXPECT_EQ(policies.join(policy(1)), number);
  policies.leave(number);
  EXPECT_EQ(policies.join(policy(2)), number + 1);
  EXPECT_EQ(policies[number], policy(1));
}

}  // namespace
}  // namespace millrace::queue
