// What is written of an item comes back, field by field, wherever the item is placed.
#include <algorithm>
#include <limits>

#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using queue::Placement;
using queue::Status;
using testing::ElementsAre;
using testing::IsEmpty;

class Items : public StoreTest {
 protected:
  const queue::QueueKey queue_ = queue_of("acme");
};
MR_ON_EVERY_STORE(Items);

queue::ItemRecord with_every_field(const queue::QueueKey& queue) {
  auto record = make_item(queue, kIdMax, {"a tag with spaces", "eins", "ünïcode ✓", "'; drop--", "%_\\\""});
  record.group = std::make_shared<const queue::GroupKey>(queue::GroupKey{"Gruppe 1", queue::GroupMode::block_on_error});
  record.retry = {queue::Backoff::exponential, true, Millis(1), Millis(2'592'000'000)};
  record.priority = std::numeric_limits<std::int32_t>::min();
  record.max_retries = 1000;
  record.status = Status::processing;
  record.retry_wait = true;
  record.retry_count = 999;
  record.attempt = std::numeric_limits<std::int32_t>::max();
  record.due = time_from_ms(0);
  record.updated = at(5);
  record.lease = {LeaseToken{kIdMax}, time_from_ms(253'402'300'799'999), std::make_shared<const std::string>("wörker")};
  return record;
}

Status status_in(Placement placement) {
  if (placement == Placement::live) return Status::processing;
  return placement == Placement::parked ? Status::pending : Status::completed;
}

TEST_P(Items, EveryFieldComesBackFromEveryPlacement) {
  auto record = with_every_field(queue_);
  const auto body = std::make_shared<const queue::Body>(
      queue::Body{"tïtle \t\n\x01", "", "b,a", R"({"emoji":"😀","n":1e400})", at(-5)});
  commit_items({created(record, body)});
  for (const auto placement : {Placement::live, Placement::done, Placement::parked, Placement::live}) {
    const auto before = record;
    record.placement = placement;
    record.status = status_in(placement);
    record.priority = std::numeric_limits<std::int32_t>::max();
    record.due += Millis(1);
    record.parked_at = placement == Placement::parked ? at(7) : Time{};
    commit_items({changed(before, record)});
    EXPECT_EQ(item_text(queue_, kIdMax), describe(ItemView{record, body}));
    restart();
    EXPECT_EQ(item_text(queue_, kIdMax), describe(ItemView{record, body}));
  }
}

TEST_P(Items, AbsentFieldsStayAbsent) {
  const auto record = make_item(queue_of("a", "q"), 1);
  const auto body = std::make_shared<const queue::Body>(queue::Body{"", std::nullopt, "", "null", at(0)});
  commit_items({created(record, body)});
  const auto found = store().item(kShard, queue_of("a", "q"), ItemId{1});
  ASSERT_TRUE(found);
  EXPECT_EQ(describe(*found), describe(ItemView{record, body}));
  EXPECT_EQ(found->record.group, nullptr);
  EXPECT_EQ(found->record.lease.worker, nullptr);
  EXPECT_EQ(found->body->description, std::nullopt);
}

TEST_P(Items, EmptyWorkerAndGroupNamesAreNotAbsentOnes) {
  auto record = make_item(queue_, 1);
  record.group = std::make_shared<const queue::GroupKey>(queue::GroupKey{"", queue::GroupMode::next_on_error});
  record.lease.worker = std::make_shared<const std::string>("");
  commit_items({created(record)});
  EXPECT_EQ(item_text(queue_, 1), describe(ItemView{record, make_body("a title")}));
}

TEST_P(Items, LargestPayloadComesBackByteForByte) {
  std::string payload(std::size_t{1024} * 1024 - 2, 'x');
  for (std::size_t i = 0; i < payload.size(); i += 7) payload[i] = static_cast<char>('a' + i % 26);
  const auto body = make_body("large", "\"" + payload + "\"");
  commit_items({created(make_item(queue_, 1), body)});
  restart();
  const auto found = store().item(kShard, queue_, ItemId{1});
  ASSERT_TRUE(found);
  EXPECT_TRUE(*found->body == *body);
}

TEST_P(Items, UnknownItemsAreNotFound) {
  commit_items({created(make_item(queue_, 5))});
  EXPECT_FALSE(store().item(kShard, queue_, ItemId{4}));
  EXPECT_FALSE(store().item(kShard, queue_of("acme", "event"), ItemId{5}));
  EXPECT_FALSE(store().item(kShard, queue_of("acm"), ItemId{5}));
  EXPECT_FALSE(store().item(kOtherShard, queue_, ItemId{5}));
}

TEST_P(Items, BodiesComeInTheOrderOfTheIdsWithGaps) {
  commit_items({created(make_item(queue_, 1), make_body("one")), created(make_item(queue_, 2), make_body("two"))});
  const std::vector<ItemId> ids = {{2}, {9}, {1}, {2}};
  const auto bodies = store().bodies(kShard, queue_, ids);
  ASSERT_EQ(bodies.size(), 4u);
  EXPECT_EQ(bodies[0]->title, "two");
  EXPECT_EQ(bodies[1], nullptr);
  EXPECT_EQ(bodies[2]->title, "one");
  EXPECT_EQ(bodies[3]->title, "two");
  EXPECT_THAT(store().bodies(kShard, queue_, {}), IsEmpty());
}

// Stores may fetch the next ones along.
TEST_P(Items, BodiesAskedForOneByOneInOrderAreEachItemsOwn) {
  std::vector<shard::ItemWrite> writes;
  for (std::uint64_t id = 1; id <= 150; id += id % 10 == 9 ? 2 : 1) {
    writes.push_back(created(make_item(queue_, id), make_body(std::to_string(id))));
  }
  commit_items(writes);
  for (std::uint64_t id = 1; id <= 160; ++id) {
    const ItemId one{id};
    const auto body = store().bodies(kShard, queue_, {&one, 1}).front();
    const bool there = id % 10 != 0 && id <= 150;
    ASSERT_EQ(body != nullptr, there) << id;
    if (there) EXPECT_EQ(body->title, std::to_string(id));
  }
}

TEST_P(Items, ADroppedItemHasNoBodyThoughItsNeighboursWereRead) {
  std::vector<shard::ItemWrite> writes;
  for (std::uint64_t id = 1; id <= 9; ++id) {
    writes.push_back(created(finished(make_item(queue_, id), Status::failed, at(1)), make_body(std::to_string(id))));
  }
  commit_items(writes);
  const auto read = [&](std::uint64_t id) {
    const ItemId one{id};
    return store().bodies(kShard, queue_, {&one, 1}).front();
  };
  EXPECT_TRUE(read(1) && read(2));
  commit({.shard = kShard, .drops = {{writes[2].record}}});
  EXPECT_EQ(read(3), nullptr);
  EXPECT_EQ(read(4)->title, "4");
}

TEST_P(Items, LastWriteOfABatchStands) {
  const auto first = make_item(queue_, 1, {"tag"});
  auto second = first;
  second.status = Status::processing;
  second.attempt = 1;
  const auto third = finished(second, Status::failed, at(9));
  commit_items({created(first), changed(first, second), changed(second, third)});
  EXPECT_EQ(item_text(queue_, 1), describe(ItemView{third, make_body("a title")}));
  EXPECT_THAT(store().load(kShard).live, IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .status = Status::processing}), IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .status = Status::failed}), ElementsAre(1));
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"tag"}}), ElementsAre(1));
  EXPECT_EQ(store().expired(kShard, at(10), 10).size(), 1u);
}

TEST_P(Items, MovesLeaveNothingBehind) {
  auto record = make_item(queue_, 1);
  commit_items({created(record)});
  auto next = finished(record, Status::cancelled, at(3));
  commit_items({changed(record, next)});
  EXPECT_THAT(list({.queue = queue_, .status = Status::cancelled}), ElementsAre(1));
  record = next;  // a reset
  next = make_item(queue_, 1);
  next.updated = at(4);
  commit_items({changed(record, next)});
  EXPECT_THAT(list({.queue = queue_, .status = Status::cancelled}), IsEmpty());
  EXPECT_THAT(store().expired(kShard, at(100), 10), IsEmpty());
  EXPECT_EQ(describe_all(store().load(kShard).live), describe_all(std::vector{next}));
  record = next;
  next = parked(next, at(1000));
  commit_items({changed(record, next)});
  EXPECT_THAT(store().load(kShard).live, IsEmpty());
  EXPECT_EQ(store().count(kShard, {.queue = queue_}, 10), 1u);
}

TEST_P(Items, DoneItemThatIsUpdatedExpiresByItsNewTime) {
  const auto before = finished(make_item(queue_, 1), Status::failed, at(1));
  const auto after = finished(make_item(queue_, 1), Status::cancelled, at(5));
  commit_items({created(before)});
  commit_items({changed(before, after)});
  EXPECT_THAT(store().expired(kShard, at(5), 10), IsEmpty());
  EXPECT_EQ(describe_all(store().expired(kShard, at(6), 10)), describe_all(std::vector{after}));
  EXPECT_THAT(list({.queue = queue_, .status = Status::failed}), IsEmpty());
  EXPECT_THAT(list({.queue = queue_, .status = Status::cancelled}), ElementsAre(1));
}

TEST_P(Items, ParkedComeByTheTimeTheyAreFiledUnderThenId) {
  std::vector<shard::ItemWrite> writes;
  const auto park = [&](std::uint64_t id, Time time) {
    auto record = make_item(queue_, id);
    record.due = at(static_cast<std::int64_t>(1000 - id));  // plays no part
    writes.push_back(created(parked(record, time)));
  };
  park(1, at(300));
  park(2, at(100));
  park(256, at(200));
  park(3, at(200));
  writes.push_back(created(make_item(queue_, 4)));
  commit_items(writes);
  const auto ids_from = [&](Time from, std::size_t limit) {
    std::vector<std::uint64_t> out;
    for (const auto& record : store().parked(kShard, from, limit)) out.push_back(record.id.value);
    return out;
  };
  EXPECT_THAT(ids_from(at(0), 10), ElementsAre(2, 3, 256, 1));
  EXPECT_THAT(ids_from(at(200), 2), ElementsAre(3, 256));
  EXPECT_THAT(ids_from(at(301), 10), IsEmpty());
  EXPECT_THAT(ids_from(at(0), 0), IsEmpty());
  EXPECT_THAT(store().parked(kOtherShard, at(0), 10), IsEmpty());
  EXPECT_TRUE(store().load(kShard).has_parked);
  EXPECT_EQ(store().load(kShard).live.size(), 1u);
}

TEST_P(Items, ParkedItemMovesWithTheTimeItIsFiledUnderAndComesBack) {
  const auto first = parked(make_item(queue_, 1), at(100));
  commit_items({created(first)});
  const auto later = parked(first, at(500));
  commit_items({changed(first, later)});
  EXPECT_EQ(describe_all(store().parked(kShard, at(0), 10)), describe_all(std::vector{later}));
  auto live = make_item(queue_, 1);
  commit_items({changed(later, live)});
  EXPECT_THAT(store().parked(kShard, at(0), 10), IsEmpty());
  EXPECT_FALSE(store().load(kShard).has_parked);
  EXPECT_EQ(item_text(queue_, 1), describe(ItemView{live, make_body("a title")}));
}

// A reset of a parked member of a group: it is due at once, and stays behind those before it.
TEST_P(Items, ParkedItemStaysWhereItIsWhenItsDueTimeChanges) {
  auto first = parked(make_item(queue_, 1), at(100));
  first.due = at(9000);
  auto second = parked(make_item(queue_, 2), at(200));
  second.due = at(8000);
  commit_items({created(first), created(second)});
  auto sooner = second;
  sooner.due = at(50);
  sooner.updated = at(50);
  commit_items({changed(second, sooner)});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(describe_all(store().parked(kShard, at(0), 10)), describe_all(std::vector{first, sooner}));
    EXPECT_EQ(describe_all(store().parked(kShard, at(101), 10)), describe_all(std::vector{sooner}));
    EXPECT_EQ(item_text(queue_, 2), describe(ItemView{sooner, make_body("a title")}));
    EXPECT_EQ(describe(store().fetch(kShard, {.items = {{queue_, ItemId{2}}}}).items.at(0)->record), describe(sooner));
    restart();
  }
}

// S3.15
TEST_P(Items, LoadTellsWhichOrderedGroupsHaveParkedMembers) {
  using queue::GroupMode;
  const auto member = [&](std::uint64_t id, std::string group, GroupMode mode, Time time) {
    auto record = make_item(queue_, id);
    record.group = std::make_shared<const queue::GroupKey>(queue::GroupKey{std::move(group), mode});
    return parked(record, time);
  };
  const auto third = member(3, "g", GroupMode::next_on_error, at(30));
  auto aside = member(2, "g", GroupMode::next_on_error, at(10));
  aside.retry_count = 1;
  auto live = member(1, "g", GroupMode::next_on_error, {});
  live.placement = Placement::live;
  commit_items({created(live), created(aside), created(third),
                created(member(4, "", GroupMode::block_on_error, at(40))),
                created(member(300, "g", GroupMode::next_on_error, at(50))),
                created(member(5, "g", GroupMode::block_on_error, at(5))),
                created(member(6, "free", GroupMode::immediate, at(6)))});
  const auto groups = [&] {
    auto lines = describe_all(store().load(kShard).parked_groups);
    std::ranges::sort(lines);
    return lines;
  };
  const auto line = [&](std::string group, GroupMode mode, std::uint64_t first, std::uint64_t last, Time time) {
    return describe(shard::ParkedGroup{queue_, {std::move(group), mode}, ItemId{first}, ItemId{last}, time});
  };
  const auto nameless = line("", GroupMode::block_on_error, 4, 4, at(40));
  const auto blocking = line("g", GroupMode::block_on_error, 5, 5, at(5));
  EXPECT_THAT(groups(),
              testing::UnorderedElementsAre(nameless, blocking, line("g", GroupMode::next_on_error, 3, 300, at(30))));
  EXPECT_THAT(store().load(kOtherShard).parked_groups, IsEmpty());

  auto back = third;
  back.placement = Placement::live;
  back.parked_at = {};
  commit_items({changed(third, back)});
  restart();
  EXPECT_THAT(groups(),
              testing::UnorderedElementsAre(nameless, blocking, line("g", GroupMode::next_on_error, 300, 300, at(50))));
}

TEST_P(Items, ExpiredAreDoneItemsOldestFirst) {
  std::vector<shard::ItemWrite> writes = {created(make_item(queue_, 1))};
  writes.push_back(created(finished(make_item(queue_, 2), Status::completed, at(30))));
  writes.push_back(created(finished(make_item(queue_, 3), Status::failed, at(10))));
  writes.push_back(created(finished(make_item(queue_, 300), Status::cancelled, at(20))));
  writes.push_back(created(finished(make_item(queue_, 4), Status::completed, at(20))));
  commit_items(writes);
  const auto ids_before = [&](Time before, std::size_t limit) {
    std::vector<std::uint64_t> out;
    for (const auto& record : store().expired(kShard, before, limit)) out.push_back(record.id.value);
    return out;
  };
  EXPECT_THAT(ids_before(at(100), 10), ElementsAre(3, 4, 300, 2));
  EXPECT_THAT(ids_before(at(20), 10), ElementsAre(3));
  EXPECT_THAT(ids_before(at(100), 2), ElementsAre(3, 4));
  EXPECT_THAT(ids_before(at(10), 10), IsEmpty());
  EXPECT_THAT(ids_before(at(100), 0), IsEmpty());
  EXPECT_THAT(store().expired(kOtherShard, at(100), 10), IsEmpty());
}

TEST_P(Items, DropTakesEverythingOfTheItemAndNothingElse) {
  const auto gone = finished(make_item(queue_, 1, {"x", "y"}), Status::failed, at(1));
  const auto kept = finished(make_item(queue_, 2, {"x"}), Status::failed, at(1));
  shard::Batch batch{.shard = kShard, .items = {created(gone), created(kept)}};
  for (const std::uint64_t log : {1, 2, 3}) batch.log.push_back(logged(gone, log, queue::Action::failed, at(1)));
  batch.log.push_back(logged(kept, 4, queue::Action::failed, at(1)));
  commit(batch);
  commit({.shard = kShard, .drops = {{gone}}});
  EXPECT_EQ(item_text(queue_, 1), "none");
  const ItemId gone_id{1};
  EXPECT_EQ(store().bodies(kShard, queue_, {&gone_id, 1}).front(), nullptr);
  EXPECT_THAT(store().log(kShard, queue_, gone_id, 10), IsEmpty());
  EXPECT_THAT(list({.queue = queue_}), ElementsAre(2));
  EXPECT_THAT(list({.queue = queue_, .status = Status::failed}), ElementsAre(2));
  EXPECT_THAT(list({.queue = queue_, .any_tags = {"x", "y"}}), ElementsAre(2));
  EXPECT_EQ(describe_all(store().expired(kShard, at(9), 9)), describe_all(std::vector{kept}));
  EXPECT_EQ(store().log(kShard, queue_, ItemId{2}, 10).size(), 1u);
}

TEST_P(Items, DropTakesWhatTheSameBatchWrote) {
  const auto before = finished(make_item(queue_, 1, {"x"}), Status::failed, at(1));
  commit_items({created(before)});
  const auto after = finished(before, Status::cancelled, at(2));
  shard::Batch batch{.shard = kShard, .items = {changed(before, after)}, .drops = {{after}}};
  batch.log.push_back(logged(after, 1, queue::Action::cancelled, at(2)));
  commit(batch);
  EXPECT_EQ(item_text(queue_, 1), "none");
  EXPECT_THAT(store().log(kShard, queue_, ItemId{1}, 10), IsEmpty());
  EXPECT_THAT(store().expired(kShard, at(9), 9), IsEmpty());
  EXPECT_THAT(list({.queue = queue_}), IsEmpty());
}

}  // namespace
}  // namespace millrace::store::conformance
