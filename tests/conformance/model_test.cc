// Hundreds of random groups, with restarts between them: the store answers as the model does.
#include <algorithm>

#include "conformance/store_test.h"
#include "conformance/workload.h"

namespace millrace::store::conformance {
namespace {

constexpr int kGroups = 150;

class RandomHistory : public StoreTest {
 protected:
  void compare_shards(Workload& workload) {
    for (const auto shard : Workload::shards()) {
      SCOPED_TRACE("shard " + std::to_string(shard.value));
      const auto& model = workload.model();
      const auto state = store().load(shard);
      EXPECT_EQ(sorted(describe_all(state.live)), model.live(shard));
      EXPECT_EQ(state.has_parked, !model.parked(shard, at(-1), 1).empty());
      EXPECT_EQ(sorted(describe_all(state.parked_groups)), model.parked_groups(shard));
      EXPECT_EQ(sorted(describe_all(state.counters)), model.counters(shard));
      EXPECT_EQ(sorted(describe_all(state.documents)), model.documents(shard));
      EXPECT_EQ(sorted(describe_all(state.workers)), model.workers(shard));
      const auto time = workload.random_time();
      for (const std::size_t limit : {3, 1000}) {
        EXPECT_EQ(describe_all(store().parked(shard, time, limit)), model.parked(shard, time, limit));
        EXPECT_EQ(describe_all(store().expired(shard, time, limit)), model.expired(shard, time, limit));
      }
    }
  }

  void compare_items(Workload& workload) {
    const auto& model = workload.model();
    for (const auto& [address, item] : model.items()) {
      const auto& [shard, queue, id] = address;
      ASSERT_EQ(item_text(queue, id.value, shard), describe(item));
      const auto facts = store().fetch(shard, {.items = {{queue, id}}});
      ASSERT_TRUE(facts.items.at(0));
      EXPECT_EQ(describe_all(facts.items[0]->log), model.log(address));
    }
    for (const auto& queue : Workload::queues()) {
      const auto shard = Workload::shard_of(queue);
      EXPECT_EQ(describe_all(store().items(shard, {.queue = queue, .limit = 100'000}).items),
                model.listed(shard, {.queue = queue, .limit = 100'000}));
      EXPECT_EQ(describe_all(store().audit(shard, {.tenant = queue.tenant, .limit = 100'000})),
                model.audit(shard, queue.tenant));
    }
  }

  void compare_queries(Workload& workload) {
    const auto& model = workload.model();
    for (int n = 0; n < 20; ++n) {
      auto query = workload.random_query();
      const auto shard = Workload::shard_of(query.queue);
      const auto page = store().items(shard, query);
      EXPECT_EQ(describe_all(page.items), model.listed(shard, query));
      auto rest = query;
      rest.offset += query.limit;
      rest.limit = 1;
      EXPECT_EQ(page.more, !model.listed(shard, rest).empty());
      query.before = {};
      query.offset = 0;
      query.limit = 100'000;
      EXPECT_EQ(store().count(shard, query, 100'000), model.listed(shard, query).size());
    }
    for (const auto& [address, record] : model.dedup()) {
      const auto facts = store().fetch(address.first, {.dedup = {address.second}});
      ASSERT_TRUE(facts.dedup.at(0));
      EXPECT_EQ(describe(*facts.dedup[0]), describe(record));
    }
  }

  void compare(Workload& workload) {
    compare_shards(workload);
    compare_items(workload);
    compare_queries(workload);
  }

  void run(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Workload workload(seed);
    for (int n = 0; n < kGroups && !HasFailure(); ++n) {
      commit(workload.next_group());
      if (n % 10 == 9) {
        EXPECT_EQ(store().sweep(workload.now(), 100'000), workload.model().sweep(workload.now()));
        compare_queries(workload);
      }
      if (n % 50 == 49) restart();
      if (n % 50 == 49 || n == kGroups / 3) compare(workload);
    }
  }

 private:
  static std::vector<std::string> sorted(std::vector<std::string> lines) {
    std::ranges::sort(lines);
    return lines;
  }
};
MR_ON_EVERY_STORE(RandomHistory);

TEST_P(RandomHistory, StoreAnswersAsTheModelDoes1) { run(1); }
TEST_P(RandomHistory, StoreAnswersAsTheModelDoes2) { run(2); }
TEST_P(RandomHistory, StoreAnswersAsTheModelDoes3) { run(3); }

}  // namespace
}  // namespace millrace::store::conformance
