// Appending to the event log: positions, ids, and what counts as a repeat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "shard/testing.h"

namespace millrace::shard {
namespace {

using Identity = NewEvent::Identity;
using testing::ElementsAre;

const TenantId kTenant = TenantId::default_tenant();

NewEvent event_of(std::string id, std::string source = "shop", Identity identity = Identity::event_id) {
  NewEvent event{.header = {}, .rest = std::make_shared<const std::string>("{}"), .identity = identity};
  event.header.event_id = std::move(id);
  event.header.source = std::move(source);
  event.header.type = "order.created";
  return event;
}

NewEvent deduplicated(std::string id, std::string deduplication_id) {
  NewEvent event = event_of(std::move(id));
  event.deduplication_id = std::move(deduplication_id);
  return event;
}

// Positions; a repeat's is negative.
std::vector<std::int64_t> append(ShardUnderTest& shard, std::vector<NewEvent> events,
                                 const TenantId& tenant = kTenant) {
  std::vector<std::int64_t> out;
  for (const AppendedEvent& event : shard.expect<Appended>(AppendEvents{tenant, std::move(events)}).events) {
    EXPECT_EQ(event.duplicate, event.record == nullptr);
    const auto position = static_cast<std::int64_t>(event.position.value);
    out.push_back(event.duplicate ? -position : position);
  }
  return out;
}

TEST(Append, PositionsAreGaplessInEachTenant) {
  ShardUnderTest shard;
  const TenantId other = *TenantId::parse("other");
  EXPECT_THAT(append(shard, {event_of("a"), event_of("b")}), ElementsAre(1, 2));
  EXPECT_THAT(append(shard, {event_of("a")}, other), ElementsAre(1));
  EXPECT_THAT(append(shard, {event_of("c"), event_of("a"), event_of("d")}), ElementsAre(3, -1, 4));
  EXPECT_EQ(shard.counters.at(kTenant).last_position, 4u);
  EXPECT_EQ(shard.events.size(), 5u);
}

TEST(Append, TheAnswerIsTheStoredEvent) {
  ShardUnderTest shard;
  const auto appended = shard.expect<Appended>(AppendEvents{kTenant, {event_of("a")}});
  const EventPtr& record = appended.events.at(0).record;
  EXPECT_EQ(record, shard.events.at({kTenant, Position{1}}));
  EXPECT_EQ(record->tenant, kTenant);
  EXPECT_EQ(record->received, shard.now);
  EXPECT_EQ(record->header.event_id, "a");
  EXPECT_EQ(*record->rest, "{}");
}

// S3.1
TEST(Append, TsidsRiseWithPositionsAlsoAfterAReloadWithTheClockSetBack) {
  ShardUnderTest shard;
  for (int n = 0; n < 5000; n += 100) {
    std::vector<NewEvent> events;
    for (int i = 0; i < 100; ++i) events.push_back(event_of(std::to_string(n + i), "s", Identity::made));
    append(shard, std::move(events));
    if (n % 1000 == 0) {
      shard.now -= Millis(500);
      shard.reload();
    }
  }
  std::uint64_t last = 0;
  for (const auto& [key, event] : shard.events) {
    EXPECT_GT(event->tsid, last);
    last = event->tsid;
  }
  EXPECT_EQ(shard.events.size(), 5000u);
  EXPECT_EQ(shard.counters.at(kTenant).last_tsid, last);
}

// S2.2
TEST(Append, TheSameIdAgainStoresNothingAndAnswersWithTheFirst) {
  ShardUnderTest shard;
  append(shard, {event_of("a"), event_of("b")});
  const std::size_t writes = shard.writes;
  EXPECT_THAT(append(shard, {event_of("b", "another source")}), ElementsAre(-2));
  EXPECT_EQ(shard.writes, writes);
}

TEST(Append, RepeatsWithinOneArrayAreStoredOnce) {
  ShardUnderTest shard;
  EXPECT_THAT(append(shard, {event_of("a"), event_of("a"), deduplicated("b", "d"), deduplicated("c", "d"),
                             event_of("b"), event_of("c")}),
              ElementsAre(1, -1, 2, -2, -2, 3));
}

// CloudEvents: a repeat has the same source and id.
TEST(Append, TheSameIdFromAnotherSourceIsAnotherCloudEvent) {
  ShardUnderTest shard;
  const auto cloud = [](const std::string& id, const std::string& source) {
    return event_of(id, source, Identity::source_and_id);
  };
  EXPECT_THAT(append(shard, {cloud("a", "s1"), cloud("a", "s2"), cloud("a", "s1"), cloud("a", "s2")}),
              ElementsAre(1, 2, -1, -2));
  shard.reload();
  EXPECT_THAT(append(shard, {cloud("a", "s1"), cloud("a", "s2"), cloud("a", "s3")}), ElementsAre(-1, -2, 3));
  EXPECT_THAT(append(shard, {cloud("a", "s3"), event_of("a", "s4")}), ElementsAre(-3, -1));
  // Sent in another form first.
  EXPECT_THAT(append(shard, {event_of("b", "s1")}), ElementsAre(4));
  EXPECT_THAT(append(shard, {cloud("b", "s1"), cloud("b", "s2")}), ElementsAre(-4, 5));
}

TEST(Append, SourceAndIdAreToldApartWhereverTheirTextsMeet) {
  ShardUnderTest shard;
  const auto cloud = [](const std::string& id, const std::string& source) {
    return event_of(id, source, Identity::source_and_id);
  };
  append(shard, {event_of("b c", "x"), event_of("c", "x")});
  EXPECT_THAT(append(shard, {cloud("b c", "a"), cloud("c", "a b")}), ElementsAre(3, 4));
}

// S3.3
TEST(Append, ADeduplicationIdHoldsForItsWindow) {
  ShardUnderTest shard({.deduplication_window = std::chrono::hours(1)});
  EXPECT_THAT(append(shard, {deduplicated("a", "d")}), ElementsAre(1));
  shard.advance(std::chrono::minutes(59));
  EXPECT_THAT(append(shard, {deduplicated("b", "d")}), ElementsAre(-1));
  shard.advance(std::chrono::minutes(1));
  EXPECT_THAT(append(shard, {deduplicated("c", "d")}), ElementsAre(2));
  EXPECT_THAT(append(shard, {deduplicated("d", "d")}), ElementsAre(-2));
  // Of another tenant.
  EXPECT_THAT(append(shard, {deduplicated("a", "d")}, *TenantId::parse("other")), ElementsAre(1));
}

TEST(Append, AnIdIsKnownAsLongAsItsEventAndADayAtLeast) {
  ShardUnderTest shard;
  NewEvent brief = event_of("brief");
  brief.header.expires = shard.now + std::chrono::hours(1);
  NewEvent lasting = event_of("lasting");
  lasting.header.expires = shard.now + std::chrono::hours(48);
  append(shard, {brief, lasting, event_of("kept")});
  const auto until = [&](const std::string& id) { return shard.dedup.at({kTenant, DedupKind::event_id, id}).expires; };
  EXPECT_EQ(until("brief"), shard.now + std::chrono::hours(24));
  EXPECT_EQ(until("lasting"), shard.now + std::chrono::hours(48));
  EXPECT_EQ(until("kept"), kNever);
  shard.advance(std::chrono::hours(25));
  EXPECT_THAT(append(shard, {event_of("brief"), event_of("lasting"), event_of("kept")}), ElementsAre(4, -2, -3));
}

// An id that was drawn on the way in is looked up nowhere, and known from then on.
TEST(Append, AnIdMadeOnTheWayInNeedsNoFacts) {
  ShardUnderTest shard;
  Effects effects;
  Command command = AppendEvents{kTenant, {event_of("a", "s", Identity::made)}};
  EXPECT_FALSE(shard.shard().execute(RequestId{900}, command, nullptr, shard.now, effects));
  EXPECT_EQ(effects.batch.events.size(), 1u);
  EXPECT_EQ(effects.batch.dedup.size(), 1u);
}

// Two callers send the same event at once: both ask, the second must not decide on old news.
TEST(Append, FactsThatChangedMeanwhileAreReadAgain) {
  ShardUnderTest shard;
  Effects effects;
  Command first = AppendEvents{kTenant, {event_of("a")}};
  Command second = AppendEvents{kTenant, {event_of("a")}};
  const auto need = shard.shard().execute(RequestId{901}, first, nullptr, shard.now, effects);
  ASSERT_TRUE(need);
  ASSERT_TRUE(shard.shard().execute(RequestId{902}, second, nullptr, shard.now, effects));
  const Facts nothing{.items = {}, .dedup = {std::nullopt}};
  EXPECT_FALSE(shard.shard().execute(RequestId{901}, first, &nothing, shard.now, effects));
  EXPECT_TRUE(shard.shard().execute(RequestId{902}, second, &nothing, shard.now, effects));
  EXPECT_EQ(effects.batch.events.size(), 1u);
}

// A commit of unknown fate: whether it happened or not, the shard goes on from what is stored.
TEST(Append, AfterAReloadOnlyWhatIsStoredCounts) {
  ShardUnderTest shard;
  append(shard, {event_of("a")});
  Effects lost;
  Command command = AppendEvents{kTenant, {event_of("b", "s", Identity::made)}};
  shard.shard().execute(RequestId{903}, command, nullptr, shard.now, lost);
  EXPECT_EQ(lost.batch.events.at(0)->position, Position{2});
  shard.reload();
  EXPECT_THAT(append(shard, {event_of("c"), event_of("b")}), ElementsAre(2, 3));
}

TEST(Append, ANulInATextIsRefusedAndNothingIsStored) {
  ShardUnderTest shard;
  NewEvent bad = event_of("b");
  bad.header.context = {{"k", std::string("a\0b", 3)}};
  const auto reply = shard.run(AppendEvents{kTenant, {event_of("a"), bad}});
  EXPECT_EQ(std::get<Error>(*reply).code, Errc::invalid);
  EXPECT_TRUE(shard.events.empty());
}

// ---- expiry -------------------------------------------------------------------------------------

std::vector<event::Record> all_events(const ShardUnderTest& shard) {
  std::vector<event::Record> out;
  for (const auto& [key, event] : shard.events) out.push_back(*event);
  return out;
}

// S0.7
TEST(ExpireEvents, DropsWhatIsPastItsTimeAndNothingElse) {
  ShardUnderTest shard;
  NewEvent passing = event_of("a");
  passing.header.expires = shard.now + std::chrono::hours(1);
  append(shard, {passing, event_of("b")});
  EXPECT_EQ(shard.expect<Expired>(ExpireEvents{all_events(shard), {}}).dropped, 0u);
  shard.advance(std::chrono::hours(1));
  EXPECT_EQ(shard.expect<Expired>(ExpireEvents{all_events(shard), {}}).dropped, 1u);
  EXPECT_FALSE(shard.events.contains({kTenant, Position{1}}));
  EXPECT_TRUE(shard.events.contains({kTenant, Position{2}}));
  EXPECT_THAT(append(shard, {event_of("a"), event_of("c")}), ElementsAre(-1, 3));
}

TEST(ExpireEvents, AnEventDroppedForItsAgeLetsItsIdGo) {
  ShardUnderTest shard;
  append(shard, {event_of("a"), event_of("a", "s2", Identity::source_and_id)});
  shard.advance(std::chrono::hours(2));
  ExpireEvents command{all_events(shard), shard.now - std::chrono::hours(1)};
  command.events.erase(command.events.begin());
  EXPECT_EQ(shard.expect<Expired>(command).dropped, 1u);
  // The row of the id belongs to the other event, which stays.
  EXPECT_EQ(shard.dedup.at({kTenant, DedupKind::event_id, "a"}).expires, kNever);
  EXPECT_THAT(append(shard, {event_of("a", "s2", Identity::source_and_id)}), ElementsAre(-2));
  EXPECT_EQ(shard.expect<Expired>(ExpireEvents{all_events(shard), shard.now - std::chrono::hours(1)}).dropped, 1u);
  shard.advance(std::chrono::hours(22));
  EXPECT_THAT(append(shard, {event_of("a")}), ElementsAre(3));
}

}  // namespace
}  // namespace millrace::shard
