// Append: events get their place in the tenant's log, and each is stored once however often it is sent.
//
// An event_id row says which event has the id, and keeps that event's source as its fingerprint. So the
// CloudEvents rule (a repeat has the same source and id) needs a row of its own only for an id that a second
// source uses as well.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "shard/event_rows.h"
#include "shard/impl.h"

namespace millrace::shard {
namespace {

using Identity = NewEvent::Identity;

Need needs_of(const AppendEvents& command) {
  Need need;
  for (const NewEvent& event : command.events) {
    if (event.identity != Identity::made) need.dedup.push_back(event_id_key(command.tenant, event.header));
    if (event.identity == Identity::source_and_id) {
      need.dedup.push_back(source_and_id_key(command.tenant, event.header));
    }
    if (event.deduplication_id) need.dedup.push_back(deduplication_key(command.tenant, *event.deduplication_id));
  }
  return need;
}

struct Made {
  Position position;
  std::string source;
};

// What the keys of a call made before: by what the store said, or by an earlier event of the call.
class KnownKeys {
 public:
  KnownKeys(const Need* asked, const Facts* facts, Time now) : asked_(asked), facts_(facts), now_(now) {}

  // The next key in the order of needs_of().
  std::optional<Made> next() {
    MR_ASSERT(asked_ != nullptr && at_ < asked_->dedup.size(), "facts answer the keys of the call");
    const DedupKey& key = asked_->dedup[at_];
    const auto& row = facts_->dedup[at_++];
    if (row && row->expires > now_) return Made{Position{row->made}, row->fingerprint};
    const auto found = in_call_.find({key.kind, key.key});
    if (found == in_call_.end()) return std::nullopt;
    return found->second;
  }
  void add(const DedupKey& key, const event::Record& record) {
    in_call_.try_emplace({key.kind, key.key}, Made{record.position, record.header.source});
  }

 private:
  const Need* asked_;
  const Facts* facts_;
  Time now_;
  std::size_t at_ = 0;
  absl::flat_hash_map<std::pair<DedupKind, std::string>, Made> in_call_;
};

struct Decision {
  std::optional<Position> repeats;
  bool owns_event_id = true;  // no other event has the id
};

Decision decide(const NewEvent& event, KnownKeys& known) {
  Decision decision;
  if (event.identity != Identity::made) {
    const auto same_id = known.next();
    decision.owns_event_id = !same_id;
    if (event.identity == Identity::event_id) {
      if (same_id) decision.repeats = same_id->position;
    } else {
      const auto same_both = known.next();
      if (same_both) decision.repeats = same_both->position;
      if (same_id && same_id->source == event.header.source) decision.repeats = same_id->position;
    }
  }
  if (event.deduplication_id) {
    const auto same = known.next();
    if (same && !decision.repeats) decision.repeats = same->position;
  }
  return decision;
}

bool holds_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

// Neither the keys of the embedded store nor PostgreSQL's texts can hold it.
std::optional<Error> check_texts(const AppendEvents& command) {
  struct Named {
    const char* name;
    std::string event::Header::* text;
  };
  static constexpr Named kTexts[] = {{"eventId", &event::Header::event_id},
                                     {"type", &event::Header::type},
                                     {"source", &event::Header::source},
                                     {"subject", &event::Header::subject},
                                     {"bus", &event::Header::bus},
                                     {"correlationId", &event::Header::correlation_id},
                                     {"causationId", &event::Header::causation_id},
                                     {"messageGroup", &event::Header::message_group},
                                     {"app", &event::Header::app},
                                     {"entityType", &event::Header::entity_type},
                                     {"entityId", &event::Header::entity_id}};
  const auto refuse = [](std::size_t index, std::string_view name) {
    return Error{Errc::invalid, fmt::format("{} of event {} holds a NUL character", name, index), std::string(name)};
  };
  for (std::size_t i = 0; i < command.events.size(); ++i) {
    const NewEvent& event = command.events[i];
    for (const Named& each : kTexts) {
      if (holds_nul(event.header.*each.text)) return refuse(i, each.name);
    }
    for (const event::ContextPair& pair : event.header.context) {
      if (holds_nul(pair.key) || holds_nul(pair.value)) return refuse(i, "contextData");
    }
    if (event.deduplication_id && holds_nul(*event.deduplication_id)) return refuse(i, "deduplicationId");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Need> Shard::Impl::run(Step& step, AppendEvents& command) {
  if (auto error = check_texts(command)) return answer(step, std::move(*error)), std::nullopt;
  if (step.facts == nullptr) {
    Need need = needs_of(command);
    if (!need.empty()) return need;
  }

  KnownKeys known(step.asked, step.facts, now);
  Appended appended;
  appended.events.reserve(command.events.size());
  for (NewEvent& event : command.events) {
    const Decision decision = decide(event, known);
    if (decision.repeats) {
      appended.events.push_back({.position = *decision.repeats, .duplicate = true});
      continue;
    }
    EventPtr record = append_one(command.tenant, event, decision.owns_event_id, step.effects);
    if (event.identity != Identity::made) {
      known.add(decision.owns_event_id ? event_id_key(command.tenant, record->header)
                                       : source_and_id_key(command.tenant, record->header),
                *record);
    }
    if (event.deduplication_id) known.add(deduplication_key(command.tenant, *event.deduplication_id), *record);
    appended.events.push_back({.position = record->position, .record = std::move(record)});
  }
  answer(step, std::move(appended));
  return std::nullopt;
}

EventPtr Shard::Impl::append_one(const TenantId& owner, NewEvent& event, bool owns_event_id, Effects& effects) {
  TenantState& state = tenant(owner);
  const Position position{++state.counters.last_position};
  state.counters.last_tsid = tsids.next(to_ms(now));
  mark_dirty(state);
  auto record = std::make_shared<const event::Record>(event::Record{.tenant = owner,
                                                                    .position = position,
                                                                    .tsid = state.counters.last_tsid,
                                                                    .received = now,
                                                                    .header = std::move(event.header),
                                                                    .rest = std::move(event.rest)});
  const Time until = id_known_until(record->header, now, options.event_id_window);
  remember(owns_event_id ? event_id_key(owner, record->header) : source_and_id_key(owner, record->header), *record,
           until, effects);
  if (event.deduplication_id) {
    remember(deduplication_key(owner, *event.deduplication_id), *record, now + options.deduplication_window, effects);
  }
  effects.batch.events.push_back(record);
  return record;
}

void Shard::Impl::remember(DedupKey key, const event::Record& record, Time until, Effects& effects) {
  watch.changed(key);
  effects.batch.dedup.push_back({std::move(key), record.position.value, record.header.source, until});
}

}  // namespace millrace::shard
