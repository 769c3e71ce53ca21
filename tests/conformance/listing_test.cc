// Listings: newest first, every filter and every mix of them (S4).
#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using queue::Placement;
using queue::Status;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

class Listing : public StoreTest {
 protected:
  // One item of each status and placement, twice over, with tags by turns.
  void SetUp() override {
    StoreTest::SetUp();
    std::vector<shard::ItemWrite> writes;
    for (std::uint64_t round = 0; round < 2; ++round) {
      const auto id = [&](std::uint64_t n) { return round * 10 + n; };
      writes.push_back(created(make_item(queue_, id(1), {"red"})));
      auto leased = make_item(queue_, id(2), {"red", "blue"});
      leased.status = Status::processing;
      writes.push_back(created(leased));
      writes.push_back(created(finished(make_item(queue_, id(3), {"blue"}), Status::completed, at(1))));
      writes.push_back(created(finished(make_item(queue_, id(4)), Status::failed, at(1))));
      writes.push_back(created(finished(make_item(queue_, id(5), {"redder"}), Status::cancelled, at(1))));
      const Time time = at(static_cast<std::int64_t>(1000 - id(6)));
      writes.push_back(created(parked(make_item(queue_, id(6), {"red"}), time)));
      auto blocking = make_item(queue_, id(7), {"blue"});
      blocking.status = Status::failed;
      writes.push_back(created(blocking));
    }
    commit_items(writes);
  }
  const queue::QueueKey queue_ = queue_of("acme");
};
MR_ON_EVERY_STORE(Listing);

TEST_P(Listing, AllOfAQueueNewestFirst) {
  const auto page = store().items(kShard, {.queue = queue_, .limit = 100});
  EXPECT_THAT(ids(page), ElementsAreArray({17, 16, 15, 14, 13, 12, 11, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_FALSE(page.more);
  EXPECT_EQ(page.items.front().body->title, "a title");
}

TEST_P(Listing, ByStatusWhereverTheItemsArePlaced) {
  EXPECT_THAT(list({.queue = queue_, .status = Status::pending}), ElementsAre(16, 11, 6, 1));
  EXPECT_THAT(list({.queue = queue_, .status = Status::processing}), ElementsAre(12, 2));
  EXPECT_THAT(list({.queue = queue_, .status = Status::completed}), ElementsAre(13, 3));
  EXPECT_THAT(list({.queue = queue_, .status = Status::failed}), ElementsAre(17, 14, 7, 4));
  EXPECT_THAT(list({.queue = queue_, .status = Status::cancelled}), ElementsAre(15, 5));
}

TEST_P(Listing, ByAnyOfSeveralTagsWithoutDuplicates) {
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"red"}}), ElementsAre(16, 12, 11, 6, 2, 1));
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"red", "blue"}}), ElementsAre(17, 16, 13, 12, 11, 7, 6, 3, 2, 1));
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"blue", "blue", "none"}}), ElementsAre(17, 13, 12, 7, 3, 2));
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"re"}}), IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .any_tags = {""}}), IsEmpty());
}

TEST_P(Listing, ByTagsAndStatus) {
  EXPECT_THAT(list({.queue = queue_, .status = Status::pending, .any_tags = {"red"}}), ElementsAre(16, 11, 6, 1));
  EXPECT_THAT(list({.queue = queue_, .status = Status::failed, .any_tags = {"red", "blue"}}), ElementsAre(17, 7));
  EXPECT_THAT(list({.queue = queue_, .status = Status::completed, .any_tags = {"blue"}}), ElementsAre(13, 3));
  EXPECT_THAT(list({.queue = queue_, .status = Status::cancelled, .any_tags = {"red"}}), IsEmpty());
}

TEST_P(Listing, CursorOffsetAndLimit) {
  EXPECT_THAT(list({.queue = queue_, .before = ItemId{7}, .limit = 3}), ElementsAre(6, 5, 4));
  EXPECT_THAT(list({.queue = queue_, .before = ItemId{8}, .offset = 2, .limit = 2}), ElementsAre(5, 4));
  EXPECT_THAT(list({.queue = queue_, .offset = 13, .limit = 5}), ElementsAre(1));
  EXPECT_THAT(list({.queue = queue_, .offset = 14}), IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .before = ItemId{1}}), IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .before = ItemId{0}}), IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .status = Status::pending, .before = ItemId{16}, .offset = 1, .limit = 1}),
              ElementsAre(6));
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"red", "blue"}, .before = ItemId{12}, .limit = 2}),
              ElementsAre(11, 7));
}

TEST_P(Listing, MoreSaysWhetherAnythingFollows) {
  EXPECT_TRUE(store().items(kShard, {.queue = queue_, .limit = 13}).more);
  EXPECT_FALSE(store().items(kShard, {.queue = queue_, .limit = 14}).more);
  EXPECT_TRUE(store().items(kShard, {.queue = queue_, .status = Status::failed, .limit = 3}).more);
  EXPECT_FALSE(store().items(kShard, {.queue = queue_, .status = Status::failed, .offset = 1, .limit = 3}).more);
  EXPECT_FALSE(store().items(kShard, {.queue = queue_, .any_tags = {"blue"}, .before = ItemId{3}, .limit = 1}).more);
}

// S4.9
TEST_P(Listing, PagesByCursorGiveEveryItemOnce) {
  std::vector<std::uint64_t> seen;
  ItemQuery query{.queue = queue_, .limit = 4};
  for (bool more = true; more;) {
    const auto page = store().items(kShard, query);
    for (const auto& item : page.items) seen.push_back(item.record.id.value);
    query.before = page.items.back().record.id;
    more = page.more;
  }
  EXPECT_THAT(seen, ElementsAreArray({17, 16, 15, 14, 13, 12, 11, 7, 6, 5, 4, 3, 2, 1}));
}

TEST_P(Listing, CountsByFilterUpToACap) {
  EXPECT_EQ(store().count(kShard, {.queue = queue_}, 100), 14u);
  EXPECT_EQ(store().count(kShard, {.queue = queue_}, 5), 5u);
  EXPECT_EQ(store().count(kShard, {.queue = queue_}, 0), 0u);
  EXPECT_EQ(store().count(kShard, {.queue = queue_, .status = Status::pending}, 100), 4u);
  EXPECT_EQ(store().count(kShard, {.queue = queue_, .any_tags = {"red", "blue"}}, 100), 10u);
  EXPECT_EQ(store().count(kShard, {.queue = queue_, .status = Status::failed, .any_tags = {"blue"}}, 100), 2u);
}

TEST_P(Listing, CountIgnoresThePage) {
  EXPECT_EQ(store().count(kShard, {.queue = queue_, .before = ItemId{3}, .offset = 5, .limit = 1}, 100), 14u);
}

TEST_P(Listing, QueuesAndTenantsOfSimilarNamesDoNotMix) {
  const std::vector<queue::QueueKey> others = {queue_of("acm"),
                                               queue_of("acme2"),
                                               queue_of("acme", "event"),
                                               queue_of("acme", "event2"),
                                               queue_of("acme", "events2"),
                                               queue_of("acme.", "events"),
                                               queue_of("acm", "eevents")};
  std::vector<shard::ItemWrite> writes;
  for (const auto& other : others) writes.push_back(created(make_item(other, 1, {"red"})));
  commit_items(writes);
  EXPECT_EQ(store().count(kShard, {.queue = queue_}, 100), 14u);
  EXPECT_EQ(store().count(kShard, {.queue = queue_, .any_tags = {"red"}}, 100), 6u);
  for (const auto& other : others) {
    EXPECT_THAT(list({.queue = other}), ElementsAre(1));
    EXPECT_THAT(list({.queue = other, .any_tags = {"red"}}), ElementsAre(1));
    EXPECT_THAT(list({.queue = other, .status = Status::pending}), ElementsAre(1));
  }
  EXPECT_THAT(store().items(kOtherShard, {.queue = queue_}).items, IsEmpty());
}

TEST_P(Listing, LongRunsOfOtherItemsAreSkipped) {
  std::vector<shard::ItemWrite> writes;
  for (std::uint64_t id = 100; id < 400; ++id) {
    const bool rare = id % 100 == 0;
    auto record =
        make_item(queue_, id, rare ? std::vector<std::string>{"many", "rare"} : std::vector<std::string>{"many"});
    writes.push_back(created(id < 300 ? finished(record, Status::completed, at(2)) : record));
  }
  commit_items(writes);
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"rare"}}), ElementsAre(300, 200, 100));
  EXPECT_THAT(list({.queue = queue_, .status = Status::completed, .any_tags = {"rare"}}), ElementsAre(200, 100));
  EXPECT_THAT(list({.queue = queue_, .status = Status::pending, .any_tags = {"rare", "red"}}),
              ElementsAre(300, 16, 11, 6, 1));
  EXPECT_THAT(list({.queue = queue_, .status = Status::processing, .any_tags = {"many", "blue"}}), ElementsAre(12, 2));
  EXPECT_EQ(store().count(kShard, {.queue = queue_, .status = Status::completed, .any_tags = {"many"}}, 1000), 200u);
}

}  // namespace
}  // namespace millrace::store::conformance
