#include "store/body_reads.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
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
    if (fails_) throw std::runtime_error("away");
    fetches_.push_back(ids.size());
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

  static constexpr std::uint64_t kLast = 200;
  bool fails_ = false;
  std::vector<std::size_t> fetches_;  // how many each read asked for
  BodyReads reads_{[this](ShardId, const queue::QueueKey&, std::span<const ItemId> ids) { return fetch(ids); }};
};

TEST_F(BodyReadsTest, EachItemInOrderHasItsOwnWithFewReads) {
  for (std::uint64_t id = 1; id <= kLast; ++id) EXPECT_EQ(title(id), title_of(id));
  EXPECT_EQ(title(kLast + 1), "");
  EXPECT_LE(fetches_.size(), 6U);
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
