#include "engine/body_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace millrace::engine {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};
const queue::QueueKey kOther{TenantId::default_tenant(), "others"};

std::shared_ptr<const queue::Body> body(const std::string& title, std::size_t payload_bytes = 0) {
  return std::make_shared<const queue::Body>(
      queue::Body{title, std::nullopt, "tag", std::string(payload_bytes, 'x'), Time{}});
}

// How many of the items 1..count are there, each with the body that it was kept with.
int found(BodyCache& cache, const queue::QueueKey& queue, std::uint64_t count) {
  int all = 0;
  for (std::uint64_t id = 1; id <= count; ++id) {
    const auto there = cache.find(queue, ItemId{id});
    if (there == nullptr) continue;
    EXPECT_EQ(there->title, queue.name + std::to_string(id));
    ++all;
  }
  return all;
}

void keep(BodyCache& cache, const queue::QueueKey& queue, std::uint64_t id, std::size_t payload_bytes = 0) {
  cache.keep(queue, ItemId{id}, body(queue.name + std::to_string(id), payload_bytes));
}

TEST(BodyCache, GivesBackWhatWasKept) {
  BodyCache cache(kMiB);
  EXPECT_EQ(nullptr, cache.find(kQueue, ItemId{7}));
  keep(cache, kQueue, 7);
  EXPECT_EQ("events7", cache.find(kQueue, ItemId{7})->title);
  EXPECT_EQ(nullptr, cache.find(kQueue, ItemId{8}));
}

TEST(BodyCache, KeepsTheBodyThatItHas) {
  BodyCache cache(kMiB);
  cache.keep(kQueue, ItemId{7}, body("first"));
  cache.keep(kQueue, ItemId{7}, body("second"));
  EXPECT_EQ("first", cache.find(kQueue, ItemId{7})->title);
}

TEST(BodyCache, TellsQueuesApart) {
  BodyCache cache(kMiB);
  keep(cache, kQueue, 7);
  EXPECT_EQ(nullptr, cache.find(kOther, ItemId{7}));
  for (std::uint64_t id = 1; id <= 200; ++id) keep(cache, kQueue, id);
  for (std::uint64_t id = 1; id <= 200; ++id) keep(cache, kOther, id);
  EXPECT_EQ(200, found(cache, kOther, 200));
  found(cache, kQueue, 200);  // some may have lost their place; none has another's
}

TEST(BodyCache, TheOldestOfAQueueGoFirst) {
  BodyCache cache(kMiB);
  for (std::uint64_t id = 1; id <= 1500; ++id) keep(cache, kQueue, id);
  EXPECT_EQ(1024, found(cache, kQueue, 1500));
  EXPECT_EQ(0, found(cache, kQueue, 400));
}

TEST(BodyCache, ItsBytesAreBounded) {
  BodyCache cache(kMiB);
  for (std::uint64_t id = 1; id <= 1000; ++id) keep(cache, kQueue, id, 10'000);
  const int kept = found(cache, kQueue, 1000);
  EXPECT_LE(kept, 1000 * 1000 / 10'000);
  EXPECT_GE(kept, 90);
  EXPECT_NE(nullptr, cache.find(kQueue, ItemId{1000}));
}

TEST(BodyCache, ABodyLargerThanAPartIsNotKept) {
  BodyCache cache(kMiB);
  keep(cache, kQueue, 1);
  keep(cache, kQueue, 9, kMiB / 8);
  EXPECT_EQ(nullptr, cache.find(kQueue, ItemId{9}));
  EXPECT_NE(nullptr, cache.find(kQueue, ItemId{1})) << "nothing had to go for it";
}

TEST(BodyCache, OneThatFillsAPartTakesItAll) {
  BodyCache cache(kMiB);
  keep(cache, kQueue, 1);
  keep(cache, kQueue, 9, kMiB / 8 - 400);
  EXPECT_EQ(nullptr, cache.find(kQueue, ItemId{1}));
  EXPECT_NE(nullptr, cache.find(kQueue, ItemId{9}));
}

TEST(BodyCache, AnEmptyOneKeepsNothing) {
  BodyCache cache(0);
  keep(cache, kQueue, 1);
  EXPECT_EQ(nullptr, cache.find(kQueue, ItemId{1}));
}

TEST(BodyCache, ThreadsKeepAndFindAtOnce) {
  BodyCache cache(kMiB);
  const auto run = [&](const queue::QueueKey& queue) {
    for (std::uint64_t id = 1; id <= 3000; ++id) {
      keep(cache, queue, id, id % 2000);
      found(cache, queue, 3);
      if (const auto there = cache.find(kQueue, ItemId{id})) {
        EXPECT_EQ(there->title, "events" + std::to_string(id));
      }
    }
  };
  std::vector<std::jthread> threads;
  for (const auto* queue : {&kQueue, &kOther, &kQueue, &kOther}) threads.emplace_back(run, *queue);
}

}  // namespace
}  // namespace millrace::engine
