#include "engine/mail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace millrace::engine {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};
constexpr std::chrono::microseconds kEver = 60s;
constexpr std::chrono::microseconds kShort = 20ms;

class InboxTest : public testing::Test {
 protected:
  InboxTest() {
    inbox_.set_turn_away([](Mail&&) {});
    inbox_.open();
  }

  void put_call() {
    inbox_.put(Call{.shard = ShardId{1}, .request = RequestId{1}, .command = shard::CountItems{kQueue}, .done = {}});
  }

  std::size_t take_all() {
    std::vector<Mail> mail;
    inbox_.take(mail, 0ms, Inbox::Done::wakes);
    return mail.size();
  }

  // Whether it ends before its time is over.
  bool gathers(std::size_t count) {
    const auto begin = Clock::now();
    inbox_.gather(count, kEver);
    return Clock::now() - begin < kEver;
  }
  bool gathers_in_vain(std::size_t count) {
    const auto begin = Clock::now();
    inbox_.gather(count, kShort);
    return Clock::now() - begin >= kShort;
  }

  Inbox inbox_;
};

TEST_F(InboxTest, GatheringEndsWithTheLastCallThatWasExpected) {
  const std::jthread caller([this] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(5ms);
      put_call();
    }
  });
  EXPECT_TRUE(gathers(3));
  EXPECT_EQ(take_all(), 3u);
}

TEST_F(InboxTest, GatheringEndsAfterTheTimeWhoeverIsMissing) {
  put_call();
  EXPECT_TRUE(gathers_in_vain(2));
  EXPECT_EQ(take_all(), 1u);
}

TEST_F(InboxTest, WhoExpectsNobodyDoesNotWait) {
  EXPECT_TRUE(gathers(0));
  put_call();
  EXPECT_TRUE(gathers(0));
  EXPECT_TRUE(gathers(1));
}

// Nobody new has come with it.
TEST_F(InboxTest, ACommitIsNoCaller) {
  inbox_.put(CommitDone{1});
  EXPECT_TRUE(gathers_in_vain(1));
  inbox_.put(DrainWanted{});
  EXPECT_TRUE(gathers(1));
}

TEST_F(InboxTest, WhatWasTakenOrTurnedAwayIsNotCountedAgain) {
  put_call();
  EXPECT_EQ(take_all(), 1u);
  EXPECT_TRUE(gathers_in_vain(1));
  put_call();
  inbox_.close();
  EXPECT_TRUE(gathers_in_vain(1));
  put_call();  // turned away at once
  EXPECT_TRUE(gathers_in_vain(1));
}

}  // namespace
}  // namespace millrace::engine
