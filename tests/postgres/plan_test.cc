// Reads and writes cost in proportion to what they return, also when their plans were made while the tables
// were empty and nobody has gathered statistics since.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

using queue::Status;

constexpr std::uint64_t kDone = 4000;
constexpr std::uint64_t kPending = 50;
// A page is 20 rows, read through up to four tables; a scan would be thousands.
constexpr std::uint64_t kRowsAtMost = 400;

class PlanTest : public testing::Test {
 protected:
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
    url_ = TestCluster::shared()->create_database();
    store_ = store::open_postgres(quiet_node(url_, "a"));
    run_sql(url_, "ALTER TABLE millrace.item_state SET (autovacuum_enabled = off);"
                  "ALTER TABLE millrace.item_body SET (autovacuum_enabled = off);"
                  "ALTER TABLE millrace.item_log SET (autovacuum_enabled = off)");
    epoch_ = acquire(*store_);
  }

  // Plans are made by the first use: here on empty tables.
  void use_everything() {
    for (const store::ItemQuery& query : queries()) {
      store_->items(kShard, query);
      store_->count(kShard, query, 10);
    }
    touch_points();
    const shard::ItemWrite item = new_item(1);
    commit(*store_, epoch_, batch_of({item}));
    commit(*store_, epoch_, batch_of({changed(item.record, leased(item.record))}));
  }
  void touch_points() {
    store_->item(kShard, sample_queue(), ItemId{1});
    store_->bodies(kShard, sample_queue(), std::vector{ItemId{1}, ItemId{2}});
    store_->log(kShard, sample_queue(), ItemId{1}, 10);
    store_->parked(kShard, kNoon, 10);
    store_->expired(kShard, kNoon, 10);
    store_->fetch(kShard, {.items = {{sample_queue(), ItemId{1}}, {sample_queue(), ItemId{2}}},
                           .dedup = {{.tenant = TenantId::default_tenant(), .key = "k"}}});
  }

  static std::vector<store::ItemQuery> queries() {
    const queue::QueueKey queue = sample_queue();
    return {{.queue = queue},
            {.queue = queue, .status = Status::pending},
            {.queue = queue, .status = Status::completed},
            {.queue = queue, .status = Status::failed},
            {.queue = queue, .any_tags = {"red"}},
            {.queue = queue, .any_tags = {"rare", "none"}},
            {.queue = queue, .status = Status::pending, .any_tags = {"red"}}};
  }

  void fill() {
    std::vector<shard::ItemWrite> items;
    for (std::uint64_t id = 2; id < 2 + kDone + kPending; ++id) {
      items.push_back(new_item(id, id % 1000 == 0 ? std::vector<std::string>{"rare"} : std::vector<std::string>{"red"}));
      if (id < 2 + kDone) items.back().record = completed(items.back().record);
    }
    commit(*store_, epoch_, batch_of(items));
  }

  // Rows of the item tables that `work` made the server look at.
  std::uint64_t rows_read(const std::function<void()>& work) {
    const std::uint64_t before = rows_read_so_far();
    work();
    return rows_read_so_far() - before;
  }
  // Statistics of a connection count once it is idle for a while, or at its next statement after a second;
  // this asks each one to hand them in with its next statement.
  std::uint64_t rows_read_so_far();

  std::string url_;
  std::unique_ptr<store::Store> store_;
  Epoch epoch_;
};

}  // namespace
}  // namespace millrace::test
