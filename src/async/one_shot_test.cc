#include "async/one_shot.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "async/block_on.h"
#include "async/io_threads.h"
#include "base/unavailable.h"

namespace millrace::async {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 1h;  // a wait that must end for another reason

TEST(OneShot, DeliversAValueFromAnotherThread) {
  IoThread io;
  auto run = [](IoThread& home) -> Async<std::string> {
    OneShot<std::string> answer;
    std::jthread other([sender = answer.sender()]() mutable { sender.fulfil("forty-two"); });
    std::string value = co_await answer.wait();
    EXPECT_TRUE(home.mailbox().is_current());
    co_return value;
  };
  EXPECT_EQ(block_on(io, run(io)), "forty-two");
}

TEST(OneShot, ReturnsAtOnceIfFulfilledOnItsOwnThread) {
  IoThread io;
  auto run = []() -> Async<int> {
    OneShot<int> answer;
    answer.sender().fulfil(7);
    bool ran = false;
    Mailbox::current().push([&ran] { ran = true; });
    const int value = co_await answer.wait();
    EXPECT_FALSE(ran) << "the wait suspended";
    co_await sleep_until(Steady::now());
    co_return value;
  };
  EXPECT_EQ(block_on(io, run()), 7);
}

TEST(OneShot, WaitEndsWithUnavailableIfTheSenderVanishes) {
  IoThread io;
  auto run = []() -> Async<> {
    OneShot<int> answer;
    std::jthread other([sender = answer.sender()] {});
    co_await answer.wait();
  };
  EXPECT_THROW(block_on(io, run()), Unavailable);
}

TEST(OneShot, SurvivesAWaiterThatIsGone) {
  IoThread io;
  auto run = []() -> Async<std::shared_ptr<OneShot<int>::Sender>> {
    OneShot<int> answer;
    co_return std::make_shared<OneShot<int>::Sender>(answer.sender());
  };
  auto sender = block_on(io, run());
  sender->fulfil(1);
}

TEST(OneShot, DeadlineEndsTheWaitAndTheAnswerCanStillBeAwaited) {
  IoThread io;
  auto run = []() -> Async<int> {
    OneShot<int> answer;
    auto sender = answer.sender();
    EXPECT_EQ(co_await answer.wait_until(Steady::now() + 1ms), std::nullopt);
    std::jthread other([s = std::move(sender)]() mutable { s.fulfil(3); });
    co_return co_await answer.wait();
  };
  EXPECT_EQ(block_on(io, run()), 3);
}

TEST(OneShot, AnswerBeforeTheDeadlineIsReturned) {
  IoThread io;
  auto run = []() -> Async<std::optional<int>> {
    OneShot<int> answer;
    std::jthread other([s = answer.sender()]() mutable { s.fulfil(5); });
    co_return co_await answer.wait_until(Steady::now() + kLong);
  };
  EXPECT_EQ(block_on(io, run()), 5);
}

TEST(OneShot, SignalEndsTheWait) {
  IoThread io;
  auto run = []() -> Async<> {
    OneShot<int> answer;
    auto sender = answer.sender();
    Signal signal;
    Mailbox::current().push([&signal] { signal.raise(); });
    EXPECT_EQ(co_await answer.wait_until(Steady::now() + kLong, &signal), std::nullopt);
    // A raised signal ends the next wait at once.
    EXPECT_EQ(co_await answer.wait_until(Steady::now() + kLong, &signal), std::nullopt);
  };
  block_on(io, run());
}

TEST(OneShot, LateAlarmDoesNotEndTheNextWait) {
  IoThread io;
  auto run = []() -> Async<int> {
    OneShot<int> answer;
    auto sender = answer.sender();
    Signal first;
    Signal second;
    // Both raise before either is delivered: the second belongs to a wait that is over by then.
    Mailbox::current().push([&] { first.raise(); });
    EXPECT_EQ(co_await answer.wait_until(Steady::now(), &first), std::nullopt);
    Mailbox::current().push([&] { sender.fulfil(9); });
    co_return co_await answer.wait();
  };
  EXPECT_EQ(block_on(io, run()), 9);
}

TEST(OneShot, WaiterOfAStoppedThreadIsDestroyed) {
  auto token = std::make_shared<int>(1);
  std::weak_ptr<int> watch = token;
  {
    IoThread io;
    std::promise<OneShot<int>::Sender> made;
    auto run = [](std::shared_ptr<int> held, std::promise<OneShot<int>::Sender>& out) -> Async<> {
      OneShot<int> answer;
      out.set_value(answer.sender());
      co_await answer.wait();
      ADD_FAILURE() << *held;
    };
    spawn(io, run(std::move(token), made), "test");
    auto sender = made.get_future().get();
    block_on(io, sleep_until(Steady::now()));  // by now it waits
    io.stop();
    EXPECT_FALSE(watch.expired());
    sender.fulfil(1);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(OneShot, ManyAnswersFromOneThreadAllArrive) {
  IoThreads io(2);
  using Senders = std::vector<OneShot<int>::Sender>;
  std::mutex mutex;
  Senders waiting;
  std::atomic<int> sum{0};
  std::promise<void> all;
  constexpr int kCalls = 20'000;
  std::atomic<int> left{kCalls};
  // Its captures live until all calls have ended.
  auto call = [&](int i) -> Async<> {  // NOLINT(cppcoreguidelines-avoid-capturing-lambda-coroutines)
    OneShot<int> answer;
    {
      std::lock_guard lock(mutex);
      waiting.push_back(answer.sender());
    }
    sum += co_await answer.wait() - i + i;
    if (--left == 0) all.set_value();
  };
  std::jthread answering([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      Senders batch;
      {
        std::lock_guard lock(mutex);
        batch.swap(waiting);
      }
      Mailbox::Gather gather;
      for (auto& sender : batch) sender.fulfil(1);
    }
  });
  for (int i = 0; i < kCalls; ++i) spawn(io.next(), call(i), "test");
  all.get_future().wait();
  EXPECT_EQ(sum, kCalls);
}

}  // namespace
}  // namespace millrace::async
