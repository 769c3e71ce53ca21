// Large payloads as rows (S0.9).
#include "store/postgres/blob_table.h"

#include <gtest/gtest.h>

#include "postgres/test_cluster.h"
#include "store/postgres/postgres_store.h"

namespace millrace::test {
namespace {

using store::BlobTable;

const TenantId kAcme = *TenantId::parse("acme");
const TenantId kOther = *TenantId::parse("other");
const Time kNow = time_from_ms(1'800'000'000'000);

class Blobs : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
    store::open_postgres({.url = url_, .node_id = "a"});
    table_ = std::make_unique<BlobTable>(url_, 2);
  }
  std::string url_;
  std::unique_ptr<BlobTable> table_;
};

TEST_F(Blobs, AreThereForEveryConnectionAndEachTenantAlone) {
  std::string bytes("\0\xff{}", 4);
  bytes.append(1'000'000, 'x');
  EXPECT_TRUE(table_->put(kAcme, "events/r/e", bytes, kNow));
  BlobTable another(url_, 1);
  EXPECT_EQ(another.get(kAcme, "events/r/e"), bytes);
  EXPECT_EQ(another.get(kOther, "events/r/e"), std::nullopt);
  EXPECT_EQ(another.get(kAcme, "events/r"), std::nullopt);
}

TEST_F(Blobs, KeepTheirBytes) {
  EXPECT_TRUE(table_->put(kAcme, "k", "first", kNow));
  EXPECT_FALSE(table_->put(kAcme, "k", "other", kNow));
  EXPECT_TRUE(table_->put(kAcme, "k", "first", kNow));
  EXPECT_EQ(table_->get(kAcme, "k"), "first");
}

TEST_F(Blobs, AreRemovedOnlyIfOldEnough) {
  table_->put(kAcme, "k", "v", kNow);
  table_->remove(kAcme, "k", kNow);
  EXPECT_TRUE(table_->get(kAcme, "k"));
  table_->put(kAcme, "k", "v", kNow + Millis(1));
  table_->remove(kAcme, "k", kNow + Millis(1));
  EXPECT_TRUE(table_->get(kAcme, "k")) << "the same bytes again count as new";
  table_->remove(kOther, "k", kNever);
  EXPECT_TRUE(table_->get(kAcme, "k"));
  table_->remove(kAcme, "k", kNow + Millis(2));
  EXPECT_FALSE(table_->get(kAcme, "k"));
}

TEST_F(Blobs, AreListedPageByPage) {
  for (int i = 0; i < 20; ++i) {
    table_->put(*TenantId::parse("t" + std::to_string(i % 5)), "k" + std::to_string(i), "v", kNow);
  }
  std::vector<std::string> keys;
  BlobTable::Place place;
  for (auto page = table_->list(place, 7); !page.empty(); page = table_->list(place, 7)) {
    for (const auto& row : page) keys.push_back(row.key);
    EXPECT_EQ(page.front().written, kNow);
    place = {page.back().tenant.text(), page.back().key};
  }
  EXPECT_EQ(keys.size(), 20u);
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::unique(keys).size(), 0u);
}

}  // namespace
}  // namespace millrace::test
