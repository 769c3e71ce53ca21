#include "store/body_reads.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace millrace::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ShardId kShard{7};
const queue::QueueKey kQueue{*TenantId::parse("acme"), "events"};

class BodyReadsTest : public testing::Test {
 protected:
  std::vector<BodyReads::BodyPtr> fetch(std::span<const ItemId> ids) {
    const bool fails = fails_;
    if (std::this_thread::get_id() == caller_) {
      fetches_.push_back(ids.size());
    } else {
      ++fetches_ahead_;
      held_.wait(true);
    }
    if (fails) throw std::runtime_error("away");
    std::vector<BodyReads::BodyPtr> out;
    for (const ItemId id : ids) {
      out.push_back(id.value > kLast ? nullptr
                                     : std::make_shared<const queue::Body>(queue::Body{.title = title_of(id.value)}));
    }
    return out;
  }
  static std::string title_of(std::uint64_t id) { return fmt::format("item {}", id); }
  // "" where there is none.
  std::string title(std::uint64_t id) {
    const ItemId one{id};
    const auto body = reads_.read(kShard, kQueue, {&one, 1}).front();
    return body ? body->title : "";
  }

  // Returns when the thread that fetches ahead has begun so many reads.
  void wait_for_fetches_ahead(int count) const {
    while (fetches_ahead_ < count) std::this_thread::yield();
  }

  static constexpr std::uint64_t kLast = 200;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> fails_ = false;
  std::vector<std::size_t> fetches_;  // how many each read of the caller asked for
  std::atomic<int> fetches_ahead_ = 0;
  std::atomic<bool> held_ = false;  // keeps those from being answered
  BodyReads reads_{[this](ShardId, const queue::QueueKey&, std::span<const ItemId> ids) { return fetch(ids); }};
};

TEST_F(BodyReadsTest, EachItemInOrderHasItsOwnWithFewReads) {
  for (std::uint64_t id = 1; id <= kLast; ++id) EXPECT_EQ(title(id), title_of(id));
  EXPECT_EQ(title(kLast + 1), "");
  EXPECT_LE(fetches_.size(), 6U);
}

// S4.14: of many claims in order, none but the first two waits for a read.
TEST_F(BodyReadsTest, TheNextReadBeginsBeforeItIsNeeded) {
  for (std::uint64_t id = 1; id <= kLast; ++id) {
    EXPECT_EQ(title(id), title_of(id));
    // One item, then 64 from the second one on, of which half are taken, and so on.
    if (id >= 34) wait_for_fetches_ahead(static_cast<int>((id - 2) / 64 + ((id - 2) % 64 >= 32 ? 1 : 0)));
  }
  EXPECT_THAT(fetches_, ElementsAre(1, 64));
}

TEST_F(BodyReadsTest, WhoNeedsWhatIsJustFetchedAheadWaitsForIt) {
  for (std::uint64_t id = 1; id <= 33; ++id) title(id);
  held_ = true;
  EXPECT_EQ(title(34), title_of(34));
  for (std::uint64_t id = 35; id <= 65; ++id) EXPECT_EQ(title(id), title_of(id));
  const std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    held_ = false;
    held_.notify_all();
  });
  EXPECT_EQ(title(66), title_of(66));
  EXPECT_THAT(fetches_, ElementsAre(1, 64));
}

TEST_F(BodyReadsTest, AFetchAheadThatFailsIsTriedAgainByWhoNeedsIt) {
  for (std::uint64_t id = 1; id <= 33; ++id) title(id);
  fails_ = true;
  title(34);
  wait_for_fetches_ahead(1);
  fails_ = false;
  for (std::uint64_t id = 35; id <= 66; ++id) EXPECT_EQ(title(id), title_of(id));
}

TEST_F(BodyReadsTest, AtHandIsWhatWasFetchedAndNothingElse) {
  const auto at_hand = [&](std::uint64_t id) { return reads_.at_hand(kShard, kQueue, ItemId{id}); };
  EXPECT_EQ(at_hand(1), nullptr);
  title(1);
  title(2);
  EXPECT_EQ(reads_.at_hand(ShardId{8}, kQueue, ItemId{3}), nullptr);
  for (std::uint64_t id = 3; id <= 34; ++id) {
    const auto body = at_hand(id);
    ASSERT_NE(body, nullptr) << id;
    EXPECT_EQ(body->title, title_of(id));
  }
  EXPECT_EQ(at_hand(3), nullptr);
  wait_for_fetches_ahead(1);
  EXPECT_EQ(title(66), title_of(66));
  EXPECT_THAT(fetches_, ElementsAre(1, 64));
}

TEST_F(BodyReadsTest, WhatWasFetchedAlongIsGivenOutOnce) {
  title(1);
  title(2);
  fetches_.clear();
  EXPECT_EQ(title(3), title_of(3));
  EXPECT_THAT(fetches_, IsEmpty());
  EXPECT_EQ(title(3), title_of(3));
  EXPECT_EQ(fetches_.size(), 1U);
}

TEST_F(BodyReadsTest, OutOfOrderOnlyWhatIsAskedForIsFetched) {
  for (const std::uint64_t id : {190, 1, 150}) EXPECT_EQ(title(id), title_of(id));
  EXPECT_THAT(fetches_, ElementsAre(1, 1, 1));
}

TEST_F(BodyReadsTest, WhatIsForgottenIsReadAgain) {
  title(1);
  title(2);
  reads_.forget();
  fetches_.clear();
  EXPECT_EQ(title(3), title_of(3));
  EXPECT_EQ(fetches_.size(), 1U);
}

// A read that fails must not leave others waiting for it.
TEST_F(BodyReadsTest, AfterAFailedReadTheSameIsAskedAgain) {
  title(1);
  fails_ = true;
  EXPECT_THROW(title(2), std::runtime_error);
  fails_ = false;
  EXPECT_EQ(title(2), title_of(2));
}

TEST_F(BodyReadsTest, SeveralThreadsThatGoInOrderGetTheirOwn) {
  BodyReads reads([](ShardId, const queue::QueueKey&, std::span<const ItemId> ids) {
    std::vector<BodyReads::BodyPtr> out;
    for (const ItemId id : ids) {
      out.push_back(std::make_shared<const queue::Body>(queue::Body{.title = title_of(id.value)}));
    }
    return out;
  });
  std::atomic<std::uint64_t> next = 1;
  std::atomic<int> wrong = 0;
  const auto work = [&] {
    for (std::uint64_t id = next++; id <= 5'000; id = next++) {
      const ItemId one{id};
      if (reads.read(kShard, kQueue, {&one, 1}).front()->title != title_of(id)) ++wrong;
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace millrace::store
