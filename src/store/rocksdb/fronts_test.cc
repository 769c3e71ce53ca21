// A long expiry costs the same in every round (S4.15, S0.7): what was dropped before is not passed again.
#include <gtest/gtest.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <filesystem>

#include "store/rocksdb/rocksdb_store.h"

namespace millrace::store {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr ShardId kShard{3};
const TenantId kTenant = TenantId::default_tenant();
constexpr std::uint64_t kMany = 1000;
constexpr std::size_t kRound = 100;
constexpr Time kStart{std::chrono::days(20'000)};

class FrontsTest : public testing::Test {
 public:
  ~FrontsTest() override {
    store_.reset();
    fs::remove_all(root_);
  }

 protected:
  FrontsTest() {
    auto pattern = (fs::temp_directory_path() / "millrace-fronts-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    store_ = open_rocksdb({.path = root_ / "data", .block_cache_bytes = 8 << 20});
    epoch_ = store_->acquire({}).value();
    rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  }
  void commit(const shard::Batch& batch) { store_->commit(epoch_, {&batch, 1}); }

  // Drops round after round; the most that a round passed of what earlier ones had dropped.
  template <class Round>
  std::uint64_t most_passed(Round round) {
    std::uint64_t most = 0;
    for (std::size_t dropped = 0; dropped < kMany; dropped += kRound) {
      rocksdb::get_perf_context()->Reset();
      const shard::Batch batch = round();
      most = std::max<std::uint64_t>(most, rocksdb::get_perf_context()->internal_delete_skipped_count);
      commit(batch);
    }
    return most;
  }

  fs::path root_;
  std::unique_ptr<Store> store_;
  Epoch epoch_;
};

TEST_F(FrontsTest, ItemsPastRetention) {
  shard::Batch batch{.shard = kShard};
  const auto lane = std::make_shared<const queue::LaneKey>(queue::LaneKey{{kTenant, "events"}, "default", {"tag"}});
  const auto body = std::make_shared<const queue::Body>(queue::Body{"title", std::nullopt, "tag", "{}", kStart});
  for (std::uint64_t id = 1; id <= kMany; ++id) {
    queue::ItemRecord record;
    record.id = ItemId{id};
    record.lane = lane;
    record.status = queue::Status::completed;
    record.placement = queue::Placement::done;
    record.updated = kStart + seconds(id);
    batch.items.push_back({record, body, std::nullopt});
  }
  commit(batch);
  std::size_t dropped = 0;
  const std::uint64_t passed = most_passed([&] {
    shard::Batch drops{.shard = kShard};
    for (const auto& record : store_->expired(kShard, kStart + seconds(2 * kMany), kRound)) {
      drops.drops.push_back({record});
    }
    dropped += drops.drops.size();
    return drops;
  });
  EXPECT_EQ(dropped, kMany);
  EXPECT_LE(passed, kRound);
  EXPECT_TRUE(store_->expired(kShard, kStart + seconds(2 * kMany), kRound).empty());
}

TEST_F(FrontsTest, EventsPastTheirTimeAndEventsReceivedTooLongAgo) {
  shard::Batch batch{.shard = kShard};
  for (std::uint64_t n = 1; n <= kMany; ++n) {
    auto event = std::make_shared<event::Record>(event::Record{
        .tenant = kTenant, .position = Position{n}, .received = kStart + seconds(n), .header = {}, .rest = {}});
    event->header.event_id = std::to_string(n);
    event->header.type = "order.created";
    event->header.time = event->received;
    if (n % 2 == 0) event->header.expires = kStart + seconds(n);
    event->rest = std::make_shared<const std::string>("{}");
    batch.events.push_back(std::move(event));
  }
  commit(batch);
  const Horizon horizon{.now = kStart + seconds(2 * kMany), .received_before = kStart + seconds(kMany + 1)};
  std::size_t dropped = 0;
  const std::uint64_t passed = most_passed([&] {
    shard::Batch drops{.shard = kShard};
    for (const auto& record : store_->expired_events(kShard, horizon, kRound)) {
      drops.event_drops.push_back({record.tenant, record.position, record.header});
    }
    dropped += drops.event_drops.size();
    return drops;
  });
  EXPECT_EQ(dropped, kMany);
  // Those with a time of their own went first, from between the others: these are passed once, and the last round's.
  EXPECT_LE(passed, kMany / 2 + 2 * kRound);
}

// A clock that went back puts items in front of where the last round began.
TEST_F(FrontsTest, WhatComesInFrontIsFoundOnceARoundFoundLess) {
  const auto lane = std::make_shared<const queue::LaneKey>(queue::LaneKey{{kTenant, "events"}, "default", {"tag"}});
  const auto body = std::make_shared<const queue::Body>(queue::Body{"title", std::nullopt, "tag", "{}", kStart});
  const auto done = [&](std::uint64_t id, Time updated) {
    queue::ItemRecord record;
    record.id = ItemId{id};
    record.lane = lane;
    record.status = queue::Status::completed;
    record.placement = queue::Placement::done;
    record.updated = updated;
    commit({.shard = kShard, .items = {{record, body, std::nullopt}}});
  };
  done(1, kStart + seconds(10));
  done(2, kStart + seconds(11));
  EXPECT_EQ(store_->expired(kShard, kStart + seconds(100), 1).size(), 1u);
  done(3, kStart);
  EXPECT_EQ(store_->expired(kShard, kStart + seconds(100), 10).size(), 2u);
  EXPECT_EQ(store_->expired(kShard, kStart + seconds(100), 10).size(), 3u);
}

}  // namespace
}  // namespace millrace::store
