#include "store/memory/memory_store.h"

#include <gtest/gtest.h>

namespace millrace::store {
namespace {

constexpr ShardId kShard{3};

shard::Batch document_batch(std::uint64_t version) {
  return {.shard = kShard, .documents = {{{"kind", "key", TenantId::default_tenant(), version, "{}", Time{}}}}};
}

std::uint64_t version_in(Store& store) {
  const auto state = store.load(kShard);
  return state.documents.empty() ? 0 : state.documents.front().version;
}

std::optional<Fate> fate_of_commit(Store& store, Epoch epoch, std::uint64_t version) {
  const auto batch = document_batch(version);
  try {
    store.commit(epoch, {&batch, 1});
    return std::nullopt;
  } catch (const StoreError& error) {
    return error.fate();
  }
}

TEST(MemoryStore, FailsAsOftenAsItIsTold) {
  MemoryStore store;
  const auto epoch = store.acquire({}).value();
  store.fail_next_commit(Fate::not_done);
  store.fail_next_commit(Fate::unknown);
  EXPECT_EQ(fate_of_commit(store, epoch, 1), Fate::not_done);
  EXPECT_EQ(fate_of_commit(store, epoch, 1), Fate::unknown);
  EXPECT_EQ(version_in(store), 0u);
  EXPECT_EQ(fate_of_commit(store, epoch, 1), std::nullopt);
  EXPECT_EQ(version_in(store), 1u);
  EXPECT_EQ(store.commits(), 3u);
}

TEST(MemoryStore, UnknownCommitMayHaveHappened) {
  MemoryStore store;
  const auto epoch = store.acquire({}).value();
  store.fail_next_commit(Fate::unknown, MemoryStore::Outcome::applied);
  EXPECT_EQ(fate_of_commit(store, epoch, 1), Fate::unknown);
  EXPECT_EQ(version_in(store), 1u);
}

TEST(MemoryStore, BrokenStoreStaysBroken) {
  const auto disk = std::make_shared<MemoryDisk>();
  MemoryStore store(disk);
  const auto epoch = store.acquire({}).value();
  store.fail_next_commit(Fate::broken);
  EXPECT_EQ(fate_of_commit(store, epoch, 1), Fate::broken);
  EXPECT_EQ(fate_of_commit(store, epoch, 1), Fate::broken);
  MemoryStore reopened(disk);
  EXPECT_EQ(fate_of_commit(reopened, reopened.acquire({}).value(), 1), std::nullopt);
}

TEST(MemoryStore, LaterStoreOnTheSameDiskFencesTheEarlier) {
  const auto disk = std::make_shared<MemoryDisk>();
  MemoryStore first(disk);
  const auto first_epoch = first.acquire({}).value();
  EXPECT_EQ(fate_of_commit(first, first_epoch, 1), std::nullopt);
  MemoryStore second(disk);
  const auto second_epoch = second.acquire({}).value();
  EXPECT_EQ(fate_of_commit(first, first_epoch, 2), Fate::fenced);
  EXPECT_EQ(version_in(second), 1u);
  EXPECT_EQ(fate_of_commit(second, second_epoch, 3), std::nullopt);
  EXPECT_EQ(version_in(first), 3u);
}

TEST(MemoryStoreDeathTest, PriorThatIsNotHeldIsABug) {
  MemoryStore store;
  const auto epoch = store.acquire({}).value();
  queue::ItemRecord record;
  record.id = ItemId{1};
  record.lane =
      std::make_shared<const queue::LaneKey>(queue::LaneKey{{TenantId::default_tenant(), "events"}, "default", {}});
  const shard::Batch batch{.shard = kShard, .items = {{record, nullptr, shard::PriorItem{}}}};
  EXPECT_DEATH(store.commit(epoch, {&batch, 1}), "new exactly when it has no prior");
}

}  // namespace
}  // namespace millrace::store
