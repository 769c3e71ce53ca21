// The event log: what comes back, in which order, and what is hidden.
#include "conformance/event_samples.h"
#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using event::Index;
using testing::ElementsAre;
using testing::IsEmpty;

class Events : public StoreTest {
 protected:
  void append(const std::vector<event::Record>& events) { commit(appended(kShard, events)); }
  void drop(const std::vector<event::Record>& events) {
    shard::Batch batch{.shard = kShard};
    for (const auto& event : events) batch.event_drops.push_back(drop_of(event));
    commit(batch);
  }
  EventQuery entity_query(std::string entity, Order order = Order::ascending) {
    return {.tenant = acme_, .index = Index::gsi1, .partition = std::move(entity), .order = order, .horizon = {at(0)}};
  }
  EventQuery query(Index index, std::string partition, SortRange sort = {}) {
    return {.tenant = acme_,
            .index = index,
            .partition = std::move(partition),
            .sort = std::move(sort),
            .horizon = {at(0)}};
  }
  std::vector<std::uint64_t> found(const EventQuery& query) { return positions(store().events(kShard, query).events); }
  std::vector<std::uint64_t> listed(const EventListing& listing) {
    return positions(store().list_events(kShard, listing).events);
  }
  std::optional<std::string> at_position(std::uint64_t position, const Horizon& horizon = {at(0)}) {
    const Position wanted{position};
    const auto event = store().events_at(kShard, acme_, {&wanted, 1}, horizon).at(0);
    return event ? std::optional(describe(*event)) : std::nullopt;
  }
  // By every way to read, of events 1 and 2 of one entity.
  void expect_first_of_two_gone(const Horizon& horizon, bool gone) {
    SCOPED_TRACE(gone ? "gone" : "there");
    const auto expected = gone ? std::vector<std::uint64_t>{2} : std::vector<std::uint64_t>{1, 2};
    EventQuery by_entity = entity_query("ORDER#7");
    by_entity.horizon = horizon;
    EXPECT_EQ(found(by_entity), expected);
    EXPECT_EQ(listed({.tenant = acme_, .horizon = horizon}).size(), expected.size());
    EXPECT_EQ(positions(store().event_log(kShard, {.tenant = acme_, .horizon = horizon}).events), expected);
    EXPECT_EQ(at_position(1, horizon).has_value(), !gone);
    EXPECT_EQ(store().event_by_id(kShard, acme_, "event-1", horizon).has_value(), !gone);
    EXPECT_EQ(store().event_by_tsid(kShard, acme_, tsid_of(1), horizon).has_value(), !gone);
    EXPECT_TRUE(at_position(2, horizon));
  }

  const TenantId acme_ = tenant("acme");
};
MR_ON_EVERY_STORE(Events);

TEST_P(Events, EveryFieldComesBack) {
  event::Record full = make_event(acme_, kIdMax);
  full.tsid = ~std::uint64_t{0};
  full.received = at(5);
  full.header = {.event_id = "ключ 'x'",
                 .type = "Task Processing Started",
                 .source = "https://example.com/ü?a=\"b\"",
                 .subject = "order:7",
                 .bus = "billing",
                 .correlation_id = "c\\1",
                 .causation_id = "{cause}",
                 .message_group = "g,1",
                 .app = "task-workflow",
                 .entity_type = "TASK",
                 .entity_id = "req#123",
                 .time = time_from_ms(0),
                 .expires = at(100),
                 .context = {{"k", "v"}, {"key \"2\"", ""}, {"k", "v"}, {"", "x"}}};
  full.rest = std::make_shared<const std::string>(R"({"data":{"b":1.50,"a":[1e2,"\u0000 ü"],"b":2},"n":null})");
  const event::Record bare = make_event(acme_, 1);
  append({bare, full});
  restart();
  EXPECT_EQ(at_position(kIdMax), describe(full));
  EXPECT_EQ(at_position(1), describe(bare));
  EXPECT_EQ(at_position(2), std::nullopt);
}

// S0.8, in every index, also where the sort key holds the event's id, which falls here as the positions rise.
TEST_P(Events, EventsOfOneMillisecondKeepTheirOrder) {
  std::vector<event::Record> events;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    events.push_back(make_event(acme_, n));
    events.back().header.event_id = std::to_string(1000 - n);
    expected.push_back(n);
  }
  append(events);
  for (std::size_t i = 0; i < event::kIndexes; ++i) {
    const auto index = static_cast<Index>(i);
    SCOPED_TRACE(event::name_of(index));
    EventQuery pages = query(index, event::key_of(acme_, events.front().header, index).partition);
    pages.limit = 7;
    EXPECT_EQ(positions(all_pages(store(), kShard, pages)), expected);
    pages.order = Order::descending;
    auto backwards = positions(all_pages(store(), kShard, pages));
    std::ranges::reverse(backwards);
    EXPECT_EQ(backwards, expected);
  }
}

// A bound of the table may lie between events of one millisecond: it says which, not in which order.
TEST_P(Events, BoundsOfTheTableWithinAMillisecond) {
  std::vector<event::Record> events;
  for (const auto& id : {"d", "a", "c", "ca", "b"}) {
    events.push_back(make_event(acme_, events.size() + 1));
    events.back().header.event_id = id;
  }
  events.push_back(make_event(acme_, 6));
  events.back().header.time = at(1);
  append(events);
  const std::string millisecond = event::key_of(acme_, events[0].header, Index::table).sort.substr(0, 23);
  ASSERT_TRUE(millisecond.starts_with("TIMESTAMP#")) << millisecond;
  const std::string id_after = millisecond + "#EVENT#";
  const auto table = [&](SortRange range, Order order = Order::ascending) {
    EventQuery one_a_page = query(Index::table, "TENANT#acme", std::move(range));
    one_a_page.limit = 1;
    one_a_page.order = order;
    return positions(all_pages(store(), kShard, one_a_page));
  };
  EXPECT_THAT(table(starting_with(id_after)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(table(starting_with(id_after + "c")), ElementsAre(3, 4));
  EXPECT_THAT(table(starting_with(id_after + "c"), Order::descending), ElementsAre(4, 3));
  EXPECT_THAT(table({SortBound{id_after + "b", true}, SortBound{id_after + "c", true}}), ElementsAre(3, 5));
  EXPECT_THAT(table({SortBound{id_after + "c", false}, {}}), ElementsAre(1, 4, 6));
  EXPECT_THAT(table({SortBound{id_after + "c", false}, {}}, Order::descending), ElementsAre(6, 4, 1));
  EXPECT_THAT(table({{}, SortBound{id_after + "b", false}}), ElementsAre(2));
  EXPECT_THAT(table({SortBound{id_after + "x", true}, SortBound{id_after + "z", true}}), IsEmpty());
  EXPECT_THAT(table({SortBound{millisecond, false}, SortBound{millisecond + "$", true}}), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(table({{}, SortBound{millisecond, true}}), IsEmpty());
}

// The last of many in one millisecond: found in steps, none of which looks at more than so many.
TEST_P(Events, OneAmongManyOfItsMillisecond) {
  std::vector<event::Record> events;
  for (std::uint64_t n = 1; n <= kEventScanMax + 200; ++n) events.push_back(make_event(acme_, n));
  append(events);
  const std::string sort = event::key_of(acme_, events.back().header, Index::table).sort;
  EXPECT_THAT(positions(all_pages(store(), kShard,
                                  query(Index::table, "TENANT#acme", {SortBound{sort, true}, SortBound{sort, true}}))),
              ElementsAre(events.size()));
}

TEST_P(Events, BoundsAreInclusiveOrNot) {
  std::vector<event::Record> events;
  for (std::uint64_t n = 1; n <= 4; ++n) {
    events.push_back(make_event(acme_, n));
    events.back().header.time = time_from_ms(1'700'000'000'000 + static_cast<std::int64_t>(n));
  }
  events.push_back(make_event(acme_, 5));
  events.back().header.time = events[1].header.time;  // equal to the second
  append(events);
  const auto text = [](int n) { return "TIMESTAMP#170000000000" + std::to_string(n); };
  const auto range = [&](bool from, bool to) {
    return found(query(Index::gsi2, "APP#shop", {SortBound{text(2), from}, SortBound{text(3), to}}));
  };
  EXPECT_THAT(range(true, true), ElementsAre(2, 5, 3));
  EXPECT_THAT(range(false, true), ElementsAre(3));
  EXPECT_THAT(range(true, false), ElementsAre(2, 5));
  EXPECT_THAT(range(false, false), IsEmpty());
  EXPECT_THAT(found(query(Index::gsi2, "APP#shop", {SortBound{text(4), true}, {}})), ElementsAre(4));
  EXPECT_THAT(found(query(Index::gsi2, "APP#shop", {{}, SortBound{text(1), true}})), ElementsAre(1));
  EXPECT_THAT(found(query(Index::gsi2, "APP#shop", {SortBound{text(3), true}, SortBound{text(2), true}})), IsEmpty());
}

TEST_P(Events, NamesThatBeginAlikeStayApart) {
  std::vector<event::Record> events;
  for (const auto& id : {"1", "10", "1#", "ü", "üb", "v"}) {
    events.push_back(make_event(acme_, events.size() + 1));
    events.back().header.entity_id = id;
  }
  append(events);
  EXPECT_THAT(found(entity_query("ORDER#1")), ElementsAre(1));
  EXPECT_THAT(found(entity_query("ORDER#10")), ElementsAre(2));
  EXPECT_THAT(found(entity_query("ORDER#")), IsEmpty());
  const auto starting = [&](std::string_view prefix) {
    return found(query(Index::gsi3, "APP#shop", starting_with(prefix)));
  };
  EXPECT_THAT(starting("ORDER#1#"), ElementsAre(3, 1));  // "##" before "#T"
  EXPECT_THAT(starting("ORDER#1"), ElementsAre(3, 1, 2));
  EXPECT_THAT(starting("ORDER#ü"), ElementsAre(4, 5));
  EXPECT_THAT(starting("ORDER#"), ElementsAre(3, 1, 2, 6, 4, 5));
  EXPECT_THAT(starting("P"), IsEmpty());
  EXPECT_THAT(starting(""), ElementsAre(3, 1, 2, 6, 4, 5));
}

// The key strings sort as text; the listing by the time itself.
TEST_P(Events, TimesWithFewerDigits) {
  std::vector<event::Record> events;
  for (const std::int64_t ms : {1'700'000'000'000L, 999'999'999'999L, 5L, 20'000'000'000'000L}) {
    events.push_back(make_event(acme_, events.size() + 1));
    events.back().header.time = time_from_ms(ms);
  }
  append(events);
  EXPECT_THAT(found(query(Index::gsi4, "EVENT#order.created")), ElementsAre(1, 4, 3, 2));
  EXPECT_THAT(found(query(Index::table, "TENANT#acme")), ElementsAre(1, 4, 3, 2));
  EXPECT_THAT(listed({.tenant = acme_}), ElementsAre(4, 1, 2, 3));
  EXPECT_THAT(listed({.tenant = acme_, .type = "order.created"}), ElementsAre(4, 1, 2, 3));
  EXPECT_THAT(listed({.tenant = acme_, .from = time_from_ms(5), .to = time_from_ms(999'999'999'999)}), ElementsAre(3));
}

TEST_P(Events, ATenantSeesOnlyItsOwn) {
  const TenantId other = tenant("acme2");
  append({make_event(acme_, 1), make_event(other, 1), make_event(other, 2)});
  commit(appended(kOtherShard, {make_event(acme_, 9)}));
  EXPECT_THAT(found(query(Index::table, "TENANT#acme")), ElementsAre(1));
  EXPECT_THAT(found(query(Index::table, "TENANT#acme2")), IsEmpty());
  EXPECT_THAT(found(query(Index::gsi4, "EVENT#order.created", starting_with("TENANT#acme2#"))), IsEmpty());
  EXPECT_THAT(found(query(Index::gsi4, "EVENT#order.created", starting_with("TENANT#acme"))), ElementsAre(1));
  EXPECT_THAT(found(entity_query("ORDER#7")), ElementsAre(1));
  EXPECT_THAT(listed({.tenant = acme_}), ElementsAre(1));
  EXPECT_THAT(positions(store().event_log(kShard, {.tenant = acme_}).events), ElementsAre(1));
  EXPECT_EQ(store().event_by_tsid(kShard, acme_, tsid_of(2), {at(0)}), std::nullopt);
  EXPECT_EQ(store().event_by_id(kShard, acme_, "event-2", {at(0)}), std::nullopt);
  EXPECT_EQ(store().last_position(kShard, acme_), Position{1});
  EXPECT_EQ(store().last_position(kShard, other), Position{2});
  EXPECT_EQ(store().last_position(kShard, tenant("none")), Position{0});
}

TEST_P(Events, FoundByPositionIdAndTsid) {
  std::vector<event::Record> events;
  for (std::uint64_t n = 1; n <= 40; ++n) events.push_back(make_event(acme_, n));
  append(events);
  drop({events[0], events[9], events[10], events[11], events[39]});
  for (std::uint64_t n = 0; n <= 42; ++n) {
    const bool there = n >= 2 && n <= 39 && (n < 10 || n > 12);
    const auto by_tsid = store().event_by_tsid(kShard, acme_, tsid_of(n), {at(0)});
    EXPECT_EQ(by_tsid.has_value(), there) << n;
    if (by_tsid) EXPECT_EQ(describe(*by_tsid), describe(events[n - 1]));
    EXPECT_EQ(store().event_by_tsid(kShard, acme_, tsid_of(n) + 1, {at(0)}), std::nullopt);
    EXPECT_EQ(store().event_by_id(kShard, acme_, "event-" + std::to_string(n), {at(0)}).has_value(), there);
    EXPECT_EQ(at_position(n).has_value(), there);
  }
  const std::vector<Position> wanted = {Position{3}, Position{10}, Position{2}, Position{3}};
  const auto several = store().events_at(kShard, acme_, wanted, {at(0)});
  ASSERT_EQ(several.size(), 4u);
  EXPECT_EQ(several[0]->position, Position{3});
  EXPECT_EQ(several[1], std::nullopt);
  EXPECT_EQ(several[2]->position, Position{2});
  EXPECT_EQ(several[3]->position, Position{3});
}

TEST_P(Events, TheLogIsReadInOrderOfPositions) {
  std::vector<event::Record> events;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    events.push_back(make_event(acme_, n));
    if (n % 100 == 0) events.back().header.type = "rare";
    if (n == 5) events.back().header.expires = at(1);
  }
  append(events);
  LogQuery query{.tenant = acme_, .after = Position{2}, .limit = 3, .horizon = {at(2)}};
  const auto page = store().event_log(kShard, query);
  EXPECT_THAT(positions(page.events), testing::Each(testing::Not(5u)));
  EXPECT_TRUE(page.more);
  EXPECT_EQ(positions(all_pages(store(), kShard, query)).size(), 297u);
  query.types = {"rare", "none"};
  EXPECT_THAT(positions(all_pages(store(), kShard, query)), ElementsAre(100, 200, 300));
  query.after = Position{300};
  const auto end = store().event_log(kShard, query);
  EXPECT_THAT(end.events, IsEmpty());
  EXPECT_FALSE(end.more);
  EXPECT_EQ(end.through, Position{300});
}

// S0.7
TEST_P(Events, WhatIsPastItsTimeIsHiddenAtOnce) {
  event::Record passing = make_event(acme_, 1);
  passing.header.expires = at(10);
  append({passing, make_event(acme_, 2)});
  expect_first_of_two_gone({at(9)}, false);
  expect_first_of_two_gone({at(10)}, true);
}

// S0.7: what is past its retention, too
TEST_P(Events, WhatWasReceivedTooLongAgoIsHiddenAtOnce) {
  std::vector<event::Record> events{make_event(acme_, 1), make_event(acme_, 2)};
  events[0].received = at(5);
  events[1].received = at(6);
  append(events);
  expect_first_of_two_gone({at(100)}, false);
  expect_first_of_two_gone({.now = at(100), .received_before = at(5)}, false);
  expect_first_of_two_gone({.now = at(100), .received_before = at(6)}, true);
}

TEST_P(Events, ExpiredEventsAreListedAndDropped) {
  std::vector<event::Record> events;
  for (std::uint64_t n = 1; n <= 6; ++n) {
    events.push_back(make_event(acme_, n));
    events.back().received = at(static_cast<std::int64_t>(n));
    events.back().header.subject = "order:7";
    events.back().header.correlation_id = "c";
    events.back().header.context = {{"k", "v"}};
    if (n % 2 == 0) events.back().header.expires = at(static_cast<std::int64_t>(100 + n));
  }
  append(events);
  const auto expired = [&](const Horizon& horizon, std::size_t limit = 10) {
    auto found = store().expired_events(kShard, horizon, limit);
    for (auto& event : found) {
      EXPECT_EQ(event.rest, nullptr);
      EXPECT_EQ(event.header, events[event.position.value - 1].header);
    }
    auto out = positions(found);
    std::ranges::sort(out);
    return out;
  };
  EXPECT_THAT(expired({.now = at(101)}), IsEmpty());
  EXPECT_THAT(expired({.now = at(102)}), ElementsAre(2));
  EXPECT_THAT(expired({.now = at(200)}), ElementsAre(2, 4, 6));
  EXPECT_EQ(expired({.now = at(200)}, 2).size(), 2u);
  EXPECT_THAT(expired({.now = at(0), .received_before = at(3)}), ElementsAre(1, 2));
  EXPECT_THAT(expired({.now = at(104), .received_before = at(4)}), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(expired({.now = at(104), .received_before = at(100)}, 3).size(), 3u);
  EXPECT_EQ(store().expired_events(kOtherShard, {.now = at(200)}, 10).size(), 0u);

  drop({events[1], events[2]});
  drop({events[1]});  // again changes nothing
  restart();
  EXPECT_THAT(expired({.now = at(200)}), ElementsAre(4, 6));
  for (std::size_t i = 0; i < event::kIndexes; ++i) {
    const auto index = static_cast<Index>(i);
    EXPECT_EQ(found(query(index, event::key_of(acme_, events[1].header, index).partition)).size(), 4u) << i;
  }
  EXPECT_EQ(listed({.tenant = acme_}).size(), 4u);
  EXPECT_EQ(listed({.tenant = acme_, .context = {{"k", "v"}}}).size(), 4u);
  EXPECT_EQ(listed({.tenant = acme_, .subject = "order:7"}).size(), 4u);
}

TEST_P(Events, AnEventDroppedByTheBatchThatWroteItIsGone) {
  const auto event = make_event(acme_, 1);
  auto batch = appended(kShard, {event});
  batch.event_drops.push_back(drop_of(event));
  commit(batch);
  EXPECT_EQ(at_position(1), std::nullopt);
  EXPECT_THAT(listed({.tenant = acme_}), IsEmpty());
}

TEST_P(Events, AppendedEventsMakeTheShardKnownAndMoveItsTime) {
  event::Record event = make_event(acme_, 1);
  event.received = at(77);
  shard::Batch batch{.shard = kShard};
  batch.events.push_back(std::make_shared<const event::Record>(event));
  commit(batch);
  restart();
  EXPECT_THAT(store().shards(), ElementsAre(kShard));
  EXPECT_EQ(store().load(kShard).last_commit, at(77));
}

TEST_P(Events, RowsOfIdsWithoutEndAreNotSwept) {
  append({make_event(acme_, 1)});
  EXPECT_EQ(store().sweep(at(1'000'000), 100), 0u);
  EXPECT_TRUE(store().event_by_id(kShard, acme_, "event-1", {at(0)}));
  // Once its event is gone, the row gets an end.
  shard::Batch batch{.shard = kShard};
  batch.dedup.push_back({{acme_, shard::DedupKind::event_id, "event-1"}, 1, "shop", at(10)});
  commit(batch);
  EXPECT_EQ(store().sweep(at(11), 100), 1u);
  EXPECT_EQ(store().fetch(kShard, {.dedup = {{acme_, shard::DedupKind::event_id, "event-1"}}}).dedup.at(0),
            std::nullopt);
}

}  // namespace
}  // namespace millrace::store::conformance
