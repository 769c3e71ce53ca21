#include "engine/committer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/corked_store.h"

namespace millrace::engine {
namespace {

// Makes visible in a step of its own, and tells what happened in which order.
class StepStore final : public CorkedStore {
 public:
  StepStore(store::MemoryStore& inner, std::vector<std::string>& steps) : CorkedStore(inner), steps_(steps) {}

  std::unique_ptr<Persisted> persist(Epoch, std::span<const shard::Batch>) override {
    steps_.emplace_back("persisted");
    return std::make_unique<Persisted>();
  }
  void announce(const Persisted&) override { steps_.emplace_back("announced"); }
  void apply(Persisted&) override {
    steps_.emplace_back("applied");
    if (apply_fails) throw store::StoreError(store::Fate::broken, "no memory");
  }
  bool congested() const override { return slow; }

  bool apply_fails = false;
  bool slow = false;

 private:
  std::vector<std::string>& steps_;
};

class CommitterTest : public testing::Test {
 public:
  ~CommitterTest() override { committer_.stop(); }

 protected:
  CommitterTest() { inbox_.open(); }

  // A group that wrote so many items, and has one caller.
  void commit(std::size_t items) {
    Group group;
    group.number = 1;
    group.batches.push_back({.shard = ShardId{1}});
    group.batches[0].items.resize(items);
    group.deliveries.push_back({[this](const shard::Reply&) { steps_.emplace_back("answered"); }, {}});
    committer_.commit(Epoch{1}, std::move(group));
    committer_.wait_finished();
  }

  std::vector<Mail> mail() {
    std::vector<Mail> out;
    inbox_.take(out, Millis(0), Inbox::Done::wakes);
    return out;
  }

  using Steps = std::vector<std::string>;
  Steps steps_;
  store::MemoryStore memory_;
  StepStore store_{memory_, steps_};
  Inbox inbox_;
  Committer committer_{store_,
                       inbox_,
                       {.durable = [](const Group&) {},
                        .deliver = [](Delivery&& delivery) { delivery.done(std::move(delivery.reply)); },
                        .around = {},
                        .refuse = [this](Delivery&&, const std::string&) { steps_.emplace_back("refused"); }}};
};

TEST_F(CommitterTest, ASmallGroupIsAnsweredWhenItIsDurableAndReadsWaitUntilItIsVisible) {
  commit(3);
  EXPECT_EQ(steps_, (Steps{"persisted", "announced", "answered", "applied"}));
  EXPECT_EQ(mail().size(), 1u);
}

TEST_F(CommitterTest, WhereThatMayTakeLongReadsDoNotWait) {
  commit(5000);
  EXPECT_EQ(steps_, (Steps{"persisted", "applied", "answered"}));
  steps_.clear();
  store_.slow = true;
  commit(3);
  EXPECT_EQ(steps_, (Steps{"persisted", "applied", "answered"}));
}

// What is durable was answered truly, also if the node can't go on; the next start reads it from the log.
TEST_F(CommitterTest, AGroupThatCannotBeMadeVisibleIsAFailureAndNobodyIsAnsweredTwice) {
  store_.apply_fails = true;
  commit(3);
  EXPECT_EQ(steps_, (Steps{"persisted", "announced", "answered", "applied"}));
  const auto failed = mail();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(std::get<CommitFailed>(failed[0]).fate, store::Fate::broken);
  steps_.clear();
  commit(5000);
  EXPECT_EQ(steps_, (Steps{"persisted", "applied", "refused"}));
}

}  // namespace
}  // namespace millrace::engine
