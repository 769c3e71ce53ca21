// Claims that do not wait while what is parked for them is being read (S4.2): nobody is told that there is nothing.
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "engine/corked_store.h"
#include "engine/engine.h"
#include "store/memory/memory_store.h"

namespace millrace::engine {
namespace {

using namespace std::chrono_literals;
using shard::Claimed;
using shard::Reply;

const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};
constexpr ShardId kShard{7};
constexpr std::size_t kBound = 16;

class EngineSearchTest : public testing::Test {
 public:
  ~EngineSearchTest() override { corked_.holds_parked = false; }

 protected:
  EngineSearchTest()
      : engine_(corked_, clock_, {.shard = {.live_items_max = kBound}}, [](const std::string& why) { FAIL() << why; }) {
    engine_.start();
    while (engine_.state() != State::ready) std::this_thread::yield();
    for (std::size_t i = 0; i < kBound; ++i) create("other-" + std::to_string(i));
    create("a");  // parked
  }

  std::future<Reply> send(shard::Command command) {
    auto promise = std::make_shared<std::promise<Reply>>();
    auto future = promise->get_future();
    last_ =
        engine_.submit(kShard, std::move(command), [promise](Reply reply) { promise->set_value(std::move(reply)); });
    return future;
  }
  void create(const std::string& tag) {
    shard::NewItem item;
    item.tags = {tag};
    item.body = std::make_shared<queue::Body>(queue::Body{"title", std::nullopt, tag, "{}", {}});
    send(shard::Create{kQueue, {std::move(item)}}).get();
  }
  static shard::Claim claim() { return {.queue = kQueue, .tags = {"a"}, .worker = "w:1"}; }

  // A claim that is held: what is parked is being read, and the read is not let through.
  std::future<Reply> hold() {
    corked_.holds_parked = true;
    auto reply = send(claim());
    while (corked_.parked_reads.load() == 0) std::this_thread::yield();
    EXPECT_EQ(reply.wait_for(0s), std::future_status::timeout);
    return reply;
  }

  SystemClock clock_;
  store::MemoryStore memory_;
  CorkedStore corked_{memory_};
  Engine engine_;
  RequestId last_;
};

TEST_F(EngineSearchTest, AClaimIsAnsweredOnceWhatIsParkedForItIsRead) {
  auto held = hold();
  corked_.holds_parked = false;
  EXPECT_EQ(std::get<Claimed>(held.get()).items.size(), 1u);
  EXPECT_EQ(corked_.parked_reads.load(), 1u);
  EXPECT_TRUE(std::get<Claimed>(send(claim()).get()).items.empty());
}

// Its caller can be told when it leaves: see api/ask.h.
TEST_F(EngineSearchTest, ThatItMayBeHeldIsKnown) {
  while (!engine_.may_hold()) send(shard::CountItems{kQueue}).get();
}

TEST_F(EngineSearchTest, EndWaitAnswersItEmpty) {
  auto held = hold();
  engine_.end_wait(kShard, last_);
  EXPECT_TRUE(std::get<Claimed>(held.get()).items.empty());
  corked_.holds_parked = false;
  EXPECT_EQ(std::get<Claimed>(send(claim()).get()).items.size(), 1u);
}

TEST_F(EngineSearchTest, ADrainAnswersItAndThoseThatComeLater) {
  auto held = hold();
  engine_.drain();
  EXPECT_TRUE(std::get<Claimed>(held.get()).items.empty());
  EXPECT_TRUE(std::get<Claimed>(send(claim()).get()).items.empty());
}

TEST_F(EngineSearchTest, AStopDoesNotWaitForTheWalk) {
  auto held = hold();
  auto stopping = std::async(std::launch::async, [this] { engine_.stop(); });
  EXPECT_TRUE(std::get<Claimed>(held.get()).items.empty());
  corked_.holds_parked = false;
  stopping.get();
  EXPECT_EQ(corked_.parked_reads.load(), 1u);
}

TEST_F(EngineSearchTest, IsRefusedWhereTheStoreCannotBeRead) {
  auto held = hold();
  corked_.fails_parked = true;
  corked_.holds_parked = false;
  EXPECT_EQ(std::get<Error>(held.get()).code, Errc::unavailable);
}

TEST_F(EngineSearchTest, IsRefusedWhenTheShardsAreLost) {
  auto held = hold();
  corked_.owned = false;
  EXPECT_EQ(std::get<Error>(held.get()).code, Errc::unavailable);
}

}  // namespace
}  // namespace millrace::engine
