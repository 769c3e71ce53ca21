// The event log: positions without gaps, every event once, none lost and none dropped before its time.
#include <algorithm>

#include "auditor.h"
#include "describe.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

using Identity = shard::NewEvent::Identity;

// The events that make `event` a repeat, by the rules alone.
std::vector<Position> repeated_by(const std::vector<KnownEvent>& log, const shard::NewEvent& event, Time now) {
  std::vector<Position> firsts;
  for (const KnownEvent& known : log) {
    const event::Header& first = known.record->header;
    const bool same_id = known.id_until > now && first.event_id == event.header.event_id;
    const bool by_id = event.identity == Identity::event_id && same_id && known.owns_id;
    const bool by_both = event.identity == Identity::source_and_id && same_id && first.source == event.header.source;
    const bool by_key =
        event.deduplication_id && known.deduplication_until > now && known.deduplication_id == event.deduplication_id;
    if (by_id || by_both || by_key) firsts.push_back(known.record->position);
  }
  return firsts;
}

bool id_is_taken(const std::vector<KnownEvent>& log, const std::string& id, Time now) {
  return std::ranges::any_of(log, [&](const KnownEvent& known) {
    return known.owns_id && known.id_until > now && known.record->header.event_id == id;
  });
}

const shard::Reply* reply_to(std::span<const shard::Answer> answers, RequestId request) {
  const auto found = std::ranges::find(answers, request, &shard::Answer::request);
  return found == answers.end() ? nullptr : &found->reply;
}

}  // namespace

void Auditor::check_events(const Call& call, const Added& added, const shard::Command* command) {
  const auto* append = command ? std::get_if<shard::AppendEvents>(command) : nullptr;
  const auto* expire = command ? std::get_if<shard::ExpireEvents>(command) : nullptr;
  MR_REQUIRE(added.events.empty() || append, "{} events that nobody sent", added.events.size());
  MR_REQUIRE(added.event_drops.empty() || expire, "{} events dropped, nobody asked", added.event_drops.size());
  if (append) check_appended(*append, reply_to(added.answers, call.request), added.events);
  if (expire) check_event_drops(*expire, reply_to(added.answers, call.request), added.event_drops);
}

void Auditor::check_appended(const shard::AppendEvents& append, const shard::Reply* reply,
                             std::span<const shard::EventPtr> stored) {
  const auto* appended = reply ? std::get_if<shard::Appended>(reply) : nullptr;
  MR_REQUIRE(appended && appended->events.size() == append.events.size(), "{} events were answered {}",
             append.events.size(), reply ? describe(*reply) : "with nothing");
  std::size_t next = 0;
  for (std::size_t i = 0; i < append.events.size(); ++i) {
    const shard::AppendedEvent& told = appended->events[i];
    const std::vector<Position> firsts = repeated_by(applied_.events[append.tenant], append.events[i], now_);
    MR_REQUIRE(told.duplicate == !firsts.empty(), "event {} at {}: duplicate={}, it repeats {}",
               append.events[i].header.event_id, told.position.value, told.duplicate, firsts.size());
    if (told.duplicate) {
      MR_REQUIRE(std::ranges::find(firsts, told.position) != firsts.end(), "event {} does not repeat the one at {}",
                 append.events[i].header.event_id, told.position.value);
      continue;
    }
    MR_REQUIRE(next < stored.size() && stored[next] == told.record, "event {} is told, not stored",
               append.events[i].header.event_id);
    check_new_event(append.tenant, append.events[i], stored[next++]);
  }
  MR_REQUIRE(next == stored.size(), "{} events stored, {} told", stored.size(), next);
}

void Auditor::check_new_event(const TenantId& tenant, const shard::NewEvent& sent, const shard::EventPtr& stored) {
  std::vector<KnownEvent>& log = applied_.events[tenant];
  const event::Record& r = *stored;
  MR_REQUIRE(r.tenant == tenant && r.header == sent.header && r.rest == sent.rest && r.received == now_,
             "{}: not what was sent at {}", describe(r), describe(now_));
  MR_REQUIRE(r.position.value == log.size() + 1, "{}: the log of {} ends at {}", describe(r), tenant.text(),
             log.size());
  for (const auto& [other, events] : applied_.events) {
    MR_REQUIRE(events.empty() || events.back().record->tsid < r.tsid, "{}: its tsid is not above that of {}",
               describe(r), describe(*events.back().record));
  }
  KnownEvent known{.record = stored, .owns_id = !id_is_taken(log, r.header.event_id, now_)};
  const Time at_least = now_ + options_.event_id_window;
  known.id_until = r.header.expires ? std::max(*r.header.expires, at_least) : kNever;
  known.deduplication_id = sent.deduplication_id;
  if (sent.deduplication_id) known.deduplication_until = now_ + options_.deduplication_window;
  event_notes_[stored] = known;
  log.push_back(std::move(known));
}

void Auditor::check_event_drops(const shard::ExpireEvents& expire, const shard::Reply* reply,
                                std::span<const shard::EventDrop> drops) {
  const auto* expired = reply ? std::get_if<shard::Expired>(reply) : nullptr;
  MR_REQUIRE(expired && expired->dropped == drops.size(), "{} events dropped, told {}", drops.size(),
             reply ? describe(*reply) : "nothing");
  for (const shard::EventDrop& drop : drops) {
    const auto asked = std::ranges::find_if(expire.events, [&](const event::Record& event) {
      return event.tenant == drop.tenant && event.position == drop.position;
    });
    MR_REQUIRE(asked != expire.events.end() && asked->header == drop.header, "event {}@{}: nobody asked to drop it",
               drop.tenant.text(), drop.position.value);
    KnownEvent& known = applied_.events[drop.tenant].at(drop.position.value - 1);
    const event::Record& r = *known.record;
    const bool by_time = r.header.expires && *r.header.expires <= now_;
    const bool by_age = expire.received_before && r.received < *expire.received_before;
    MR_REQUIRE(by_time || by_age, "{}: dropped before its time, at {}", describe(r), describe(now_));
    known.dropped = true;
    known.id_until = std::min(known.id_until, std::max(now_, r.received + options_.event_id_window));
    event_notes_[known.record] = known;
  }
}

void Auditor::commit_events(const shard::Batch& batch) {
  for (const shard::EventPtr& event : batch.events) {
    std::vector<KnownEvent>& log = committed_.events[event->tenant];
    MR_REQUIRE(event->position.value == log.size() + 1, "{}: committed after position {}", describe(*event),
               log.size());
    log.push_back(event_notes_.at(event));
    log.back().dropped = false;  // by this batch, at the earliest
    committed_.latest = std::max(committed_.latest, event->received);
  }
  for (const shard::EventDrop& drop : batch.event_drops) {
    KnownEvent& known = committed_.events[drop.tenant].at(drop.position.value - 1);
    known = event_notes_.at(known.record);
    known.dropped = true;
  }
  for (const auto& [tenant, log] : committed_.events) {
    const auto counters = committed_.counters.find(tenant);
    MR_REQUIRE(log.empty() || (counters != committed_.counters.end() && counters->second.last_position == log.size() &&
                               counters->second.last_tsid == log.back().record->tsid),
               "the counters of {} are not those of its last event, {}", tenant.text(), log.size());
  }
}

void Auditor::delivered_events(const TenantId& tenant, const shard::Appended& appended) const {
  const auto log = committed_.events.find(tenant);
  for (const shard::AppendedEvent& event : appended.events) {
    MR_REQUIRE(log != committed_.events.end() && event.position.value <= log->second.size(),
               "the event at {} is acknowledged, not durable", event.position.value);
    MR_REQUIRE(event.duplicate || log->second[event.position.value - 1].record == event.record,
               "{}: acknowledged, another one is durable", describe(*event.record));
  }
}

void Auditor::compare_events(store::Store& store) const {
  for (const auto& [tenant, log] : committed_.events) {
    // Long before any event's time: none is hidden.
    const auto page = store.event_log(shard_, {.tenant = tenant, .limit = log.size() + 1});
    auto stored = page.events.begin();
    for (const KnownEvent& known : log) {
      if (known.dropped) continue;
      MR_REQUIRE(stored != page.events.end() && describe(*stored) == describe(*known.record),
                 "{}: committed, not stored", describe(*known.record));
      ++stored;
    }
    MR_REQUIRE(stored == page.events.end(), "{}: stored, dropped or never committed", describe(*stored));
    MR_REQUIRE(store.last_position(shard_, tenant).value == log.size(), "the log of {} ends at {}", tenant.text(),
               log.size());
  }
}

}  // namespace millrace::simulation
