#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using testing::Each;

TEST(CountItems, OfAnUnknownQueueIsZeroAndLeavesNothingBehind) {
  ShardUnderTest shard;
  add(shard, new_item({"a"}));
  const queue::QueueKey unknown{TenantId::default_tenant(), "unknown"};
  EXPECT_THAT(shard.expect<Counts>(CountItems{unknown}).by_status, Each(0u));
  EXPECT_THAT(shard.expect<Counts>(CountItems{{TenantId::trusted("nobody"), "events"}}).by_status, Each(0u));
  add(shard, new_item({"a"}));  // writes the tenant's counters
  ASSERT_EQ(shard.counters.size(), 1u);
  EXPECT_EQ(shard.counters.begin()->second.queues.size(), 1u);
}

}  // namespace
}  // namespace millrace::shard
