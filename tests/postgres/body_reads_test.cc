// Bodies of the next items come along while items are asked for in order.
#include <gmock/gmock.h>

#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

class BodyReads : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
    store_ = store::open_postgres(quiet_node(url_, "a"));
    epoch_ = acquire(*store_);
    for (std::uint64_t id = 1; id <= 200; ++id) items_.push_back(new_item(id));
    commit(*store_, epoch_, batch_of(items_));
  }
  // "" where there is none.
  std::string title(std::uint64_t id) {
    const ItemId one{id};
    const auto body = store_->bodies(kShard, sample_queue(), {&one, 1}).front();
    return body ? body->title : "";
  }

  std::string url_;
  std::unique_ptr<store::Store> store_;
  Epoch epoch_;
  std::vector<shard::ItemWrite> items_;
};

TEST_F(BodyReads, EachItemInOrderHasItsOwn) {
  for (const shard::ItemWrite& item : items_) EXPECT_EQ(title(item.record.id.value), item.body->title);
  EXPECT_EQ(title(items_.size() + 1), "");
}

TEST_F(BodyReads, InOrderTheNextAreFetchedAlongAndGivenOutOnce) {
  title(1);
  title(2);
  run_sql(url_, "DELETE FROM millrace.item_body");
  EXPECT_EQ(title(3), "item 3");
  EXPECT_EQ(title(3), "");
  EXPECT_EQ(title(60), "item 60");
}

TEST_F(BodyReads, OutOfOrderOnlyWhatIsAskedForIsFetched) {
  title(1);
  title(190);
  run_sql(url_, "DELETE FROM millrace.item_body");
  EXPECT_EQ(title(2), "");
  EXPECT_EQ(title(191), "");
}

TEST_F(BodyReads, ADroppedItemHasNoneThoughItWasFetchedAlong) {
  title(1);
  title(2);
  shard::Batch batch = batch_of({});
  batch.drops.push_back({items_[2].record});
  commit(*store_, epoch_, batch);
  EXPECT_EQ(title(3), "");
  EXPECT_EQ(title(4), "item 4");
}

// A read that fails must not leave others waiting for it.
TEST_F(BodyReads, AfterAFailedReadTheSameIsAskedAgain) {
  title(1);
  run_sql(url_, "ALTER TABLE millrace.item_body RENAME TO elsewhere");
  EXPECT_THROW(title(2), store::StoreError);
  run_sql(url_, "ALTER TABLE millrace.elsewhere RENAME TO item_body");
  EXPECT_EQ(title(2), "item 2");
}

}  // namespace
}  // namespace millrace::test
