// The base of every conformance test: an empty store, owned, and a short way to commit.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "conformance/samples.h"
#include "conformance/store_cases.h"

namespace millrace::store::conformance {

inline constexpr ShardId kShard{7};
inline constexpr ShardId kOtherShard{8};

class StoreTest : public testing::TestWithParam<StoreCase> {
 protected:
  void SetUp() override {
    under_test_ = GetParam().make();
    own();
  }
  Store& store() { return under_test_->store(); }
  void restart() {
    under_test_->restart();
    own();
  }
  void own() {
    const auto epoch = store().acquire({});
    ASSERT_TRUE(epoch.has_value());
    epoch_ = *epoch;
  }
  void commit(const shard::Batch& batch) { store().commit(epoch_, {&batch, 1}); }
  void commit(const std::vector<shard::Batch>& group) { store().commit(epoch_, group); }

  // One batch for kShard.
  void commit_items(std::vector<shard::ItemWrite> items) { commit({.shard = kShard, .items = std::move(items)}); }

  // What item() gives, as text; "none" if it knows no such item.
  std::string item_text(const queue::QueueKey& queue, std::uint64_t id, ShardId shard = kShard) {
    const auto found = store().item(shard, queue, ItemId{id});
    return found ? describe(*found) : "none";
  }
  std::vector<std::uint64_t> ids(const ItemPage& page) {
    std::vector<std::uint64_t> out;
    for (const auto& item : page.items) out.push_back(item.record.id.value);
    return out;
  }
  std::vector<std::uint64_t> list(const ItemQuery& query) { return ids(store().items(kShard, query)); }

  Epoch epoch_;

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
};

}  // namespace millrace::store::conformance

// Once for each suite: runs it on every store.
#define MR_ON_EVERY_STORE(suite)                                                                              \
  INSTANTIATE_TEST_SUITE_P(Stores, suite, testing::ValuesIn(millrace::store::conformance::all_store_cases()), \
                           [](const auto& info) { return info.param.name; })
