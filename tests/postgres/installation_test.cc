// Which installation a database is (S0.9).
#include "store/installation.h"

#include <gtest/gtest.h>

#include <future>

#include "postgres/test_cluster.h"
#include "store/postgres/postgres_store.h"
#include "store/store_error.h"

namespace millrace::test {
namespace {

class Installation : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
  }
  std::string url_;
};

TEST_F(Installation, IsMadeOnceAndTheSameForAllNodes) {
  EXPECT_EQ(store::find_postgres_installation(url_), std::nullopt);  // a database without our schema
  store::open_postgres({.url = url_, .node_id = "a"});
  EXPECT_EQ(store::find_postgres_installation(url_), std::nullopt);
  std::vector<std::future<std::string>> starting;
  for (int i = 0; i < 4; ++i) {
    starting.push_back(std::async(std::launch::async, [this] { return store::postgres_installation(url_); }));
  }
  const std::string made = store::postgres_installation(url_);
  EXPECT_TRUE(store::is_installation(made));
  for (auto& node : starting) EXPECT_EQ(node.get(), made);
  EXPECT_EQ(store::find_postgres_installation(url_), made);
}

TEST_F(Installation, OfAServerThatIsNotThereIsUnavailable) {
  EXPECT_THROW(store::find_postgres_installation("postgres://postgres@127.0.0.1:1/none"), store::StoreError);
}

}  // namespace
}  // namespace millrace::test
