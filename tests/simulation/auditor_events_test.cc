// The auditor must be able to fail, also about the event log: each test spoils one thing in a good history.
#include <gtest/gtest.h>

#include "spoiled_story.h"

namespace millrace::simulation {
namespace {

struct EventAuditTest : SpoiledStory {
  const TenantId tenant = story.queue.tenant;
  std::uint64_t last = 0;

  static shard::NewEvent event_of(std::string id) {
    shard::NewEvent event{.header = {}, .rest = std::make_shared<const std::string>("{}")};
    event.header.event_id = std::move(id);
    event.header.source = "source";
    return event;
  }
  shard::EventPtr stored(const shard::NewEvent& event) {
    ++last;
    return std::make_shared<const event::Record>(event::Record{.tenant = tenant,
                                                               .position = Position{last},
                                                               .tsid = 100 + last,
                                                               .received = story.now,
                                                               .header = event.header,
                                                               .rest = event.rest});
  }
  // As a good shard does it.
  shard::EventPtr append(const shard::NewEvent& event) {
    story.send(shard::AppendEvents{tenant, {event}});
    auto record = stored(event);
    store(record);
    return record;
  }
  void store(const shard::EventPtr& record) {
    story.effects.batch.events.push_back(record);
    story.answer(shard::Appended{{{.position = record->position, .record = record}}});
  }
  void repeat(const shard::NewEvent& event, std::uint64_t position) {
    story.send(shard::AppendEvents{tenant, {event}});
    story.answer(shard::Appended{{{.position = Position{position}, .duplicate = true}}});
  }
  void expire(const shard::EventPtr& record) {
    story.send(shard::ExpireEvents{{*record}, {}});
    story.effects.batch.event_drops.push_back({tenant, record->position, record->header});
    story.answer(shard::Expired{1});
  }
};

TEST_F(EventAuditTest, AcceptsAGoodHistory) {
  shard::NewEvent passing = event_of("b");
  passing.header.expires = story.now + Millis(10);
  append(event_of("a"));
  story.look();
  const auto second = append(passing);
  story.look();
  repeat(event_of("a"), 1);
  story.look();
  story.now += Millis(10);
  expire(second);
  story.look();
}

TEST_F(EventAuditTest, NoticesAGap) {
  append(event_of("a"));
  story.look();
  ++last;
  append(event_of("b"));
  expect_look("the log of t0 ends at 1");
}

TEST_F(EventAuditTest, NoticesARepeatThatWasStored) {
  append(event_of("a"));
  story.look();
  append(event_of("a"));
  expect_look("it repeats 1");
}

TEST_F(EventAuditTest, NoticesAnEventTakenForARepeat) {
  append(event_of("a"));
  story.look();
  repeat(event_of("b"), 1);
  expect_look("it repeats 0");
}

TEST_F(EventAuditTest, NoticesARepeatOfTheWrongEvent) {
  append(event_of("a"));
  story.look();
  append(event_of("b"));
  story.look();
  repeat(event_of("b"), 1);
  expect_look("does not repeat the one at 1");
}

TEST_F(EventAuditTest, NoticesAnEventThatIsToldButNotStored) {
  append(event_of("a"));
  story.effects.batch.events.clear();
  expect_look("is told, not stored");
}

TEST_F(EventAuditTest, NoticesAChangedEvent) {
  auto event = event_of("a");
  story.send(shard::AppendEvents{tenant, {event}});
  event.header.type = "another";
  store(stored(event));
  expect_look("not what was sent");
}

TEST_F(EventAuditTest, NoticesATsidThatDoesNotRise) {
  append(event_of("a"));
  story.look();
  const auto event = event_of("b");
  story.send(shard::AppendEvents{tenant, {event}});
  auto record = std::make_shared<event::Record>(*stored(event));
  record->tsid = 101;
  store(record);
  expect_look("its tsid is not above");
}

TEST_F(EventAuditTest, NoticesAnEventDroppedTooEarly) {
  shard::NewEvent passing = event_of("a");
  passing.header.expires = story.now + Millis(10);
  const auto record = append(passing);
  story.look();
  story.now += Millis(9);
  expire(record);
  expect_look("dropped before its time");
}

TEST_F(EventAuditTest, NoticesCountersThatStayBehind) {
  append(event_of("a"));
  story.look();
  expect_violation([&] { story.commit(); }, "are not those of its last event");
}

}  // namespace
}  // namespace millrace::simulation
