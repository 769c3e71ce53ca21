// Reads cost in proportion to what they return, also when their plans were made while the tables were empty
// and nobody has gathered statistics since.
#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "postgres/read_cost.h"
#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

using queue::Status;
using store::ItemQuery;
using store::Store;

constexpr std::uint64_t kDone = 20'000;
constexpr std::uint64_t kPending = 50;
// One row through four tables, or a look at each of twelve stages. Any whole index has over 150.
constexpr int kBlocksAtMost = 100;

struct Read {
  std::string name;
  std::function<void(Store&)> run;
};

std::vector<Read> reads();

// All reads share one database. Each has a store of its own, whose connection has planned the read before
// there was anything to read.
class ReadPlan : public testing::TestWithParam<Read> {
 protected:
  static void SetUpTestSuite() {
    if (TestCluster::shared() == nullptr) return;
    url = TestCluster::shared()->create_database();
    for (const Read& read : reads()) {
      auto& reader = readers[read.name] = store::open_postgres(quiet_node(url, read.name));
      read.run(*reader);
    }
    run_sql(url,
            "ALTER TABLE millrace.item_state SET (autovacuum_enabled = off);"
            "ALTER TABLE millrace.item_body SET (autovacuum_enabled = off)");
    fill();
  }
  static void TearDownTestSuite() { readers.clear(); }
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
  }

  static void fill() {
    auto writer = store::open_postgres(quiet_node(url, "writer"));
    const Epoch epoch = acquire(*writer);
    std::vector<shard::ItemWrite> items;
    for (std::uint64_t id = 1; id <= kDone + kPending; ++id) {
      items.push_back(new_item(id, {id % 5000 == 0 ? "rare" : "red"}));
      if (id <= kDone) items.back().record = completed(items.back().record);
    }
    commit(*writer, epoch, batch_of(items));
    writer->release();
    writer.reset();
    cost().await_end_of("application_name IN (SELECT 'millrace ' || instance FROM millrace.nodes)");
  }

  static ReadCost cost() { return {url, "'item_state', 'item_body'"}; }

  static inline std::string url;
  static inline std::map<std::string, std::unique_ptr<Store>> readers;
};

TEST_P(ReadPlan, CostsWhatItReturns) {
  EXPECT_LT(cost().blocks(std::move(readers[GetParam().name]), GetParam().run), kBlocksAtMost);
}

Read listing(std::string name, ItemQuery query) {
  query.limit = 1;
  return {std::move(name), [query](Store& store) { store.items(kShard, query); }};
}

std::vector<Read> reads() {
  const queue::QueueKey queue = sample_queue();
  return {
      listing("ListAll", {.queue = queue}),
      listing("ListPending", {.queue = queue, .status = Status::pending}),
      listing("ListCompleted", {.queue = queue, .status = Status::completed}),
      listing("ListFailed", {.queue = queue, .status = Status::failed}),
      listing("ListTag", {.queue = queue, .any_tags = {"red"}}),
      listing("ListRareTag", {.queue = queue, .any_tags = {"rare", "none"}}),
      listing("ListPendingOfTag", {.queue = queue, .status = Status::pending, .any_tags = {"red"}}),
      listing("ListFromCursor", {.queue = queue, .status = Status::completed, .before = ItemId{9000}}),
      {"CountUpTo10",
       [queue](Store& store) { store.count(kShard, {.queue = queue, .status = Status::completed}, 10); }},
      {"Item", [queue](Store& store) { store.item(kShard, queue, ItemId{7}); }},
      {"Bodies", [queue](Store& store) { store.bodies(kShard, queue, std::vector{ItemId{7}, ItemId{70}}); }},
      {"Parked", [](Store& store) { store.parked(kShard, kNoon, 1); }},
      {"Expired", [](Store& store) { store.expired(kShard, kNoon + Millis(1), 1); }},
      {"Facts", [queue](Store& store) { store.fetch(kShard, {.items = {{queue, ItemId{7}}, {queue, ItemId{70}}}}); }},
  };
}
INSTANTIATE_TEST_SUITE_P(Reads, ReadPlan, testing::ValuesIn(reads()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace millrace::test
