#include "async/mailbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <latch>
#include <vector>

#include "async/io_threads.h"

namespace millrace::async {
namespace {

TEST(Mailbox, RunsTasksOnItsThreadInTheOrderPushed) {
  IoThread thread;
  std::vector<int> seen;
  std::promise<void> done;
  for (int i = 0; i < 1000; ++i) {
    thread.mailbox().push([&, i] {
      EXPECT_TRUE(thread.mailbox().is_current());
      seen.push_back(i);
      if (i == 999) done.set_value();
    });
  }
  done.get_future().wait();
  ASSERT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST(Mailbox, TasksPushedByATaskRunToo) {
  IoThread thread;
  std::promise<void> done;
  thread.mailbox().push([&] { Mailbox::current().push([&] { done.set_value(); }); });
  done.get_future().wait();
}

TEST(Mailbox, GatherHoldsPushesBackUntilItEnds) {
  IoThread one;
  IoThread two;
  std::atomic<int> ran{0};
  std::latch all(6);
  auto task = [&] {
    ++ran;
    all.count_down();
  };
  {
    Mailbox::Gather gather;
    for (int i = 0; i < 3; ++i) {
      one.mailbox().push(task);
      two.mailbox().push(task);
    }
    // A task that did get through would be seen here, after a round trip on another path.
    std::promise<void> round_trip;
    std::thread([&] { one.mailbox().push([&] { round_trip.set_value(); }); }).join();
    round_trip.get_future().wait();
    EXPECT_EQ(ran, 0);
  }
  all.wait();
  EXPECT_EQ(ran, 6);
}

TEST(Mailbox, DestroysWhatAStoppedThreadNeverRan) {
  auto token = std::make_shared<int>(1);
  std::weak_ptr<int> watch = token;
  {
    IoThread thread;
    thread.stop();
    thread.mailbox().push([token = std::move(token)] { FAIL() << *token; });
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace millrace::async
