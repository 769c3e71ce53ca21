// Done items and events past their time: found by the store now and then, dropped by their shard, a round at a time.
#include <algorithm>

#include "base/log.h"
#include "engine/runner.h"

namespace millrace::engine {
namespace {

constexpr Millis kExpireEvery = std::chrono::seconds(5);  // an event is gone within 60 s of its time (S0.7)
// A shard and round: small beside what is claimed meanwhile (S4.15).
constexpr std::size_t kExpireBudget = 500;

}  // namespace

store::Horizon EngineOptions::event_horizon(Time now) const {
  store::Horizon horizon{.now = now};
  if (event_retention > Millis(0)) horizon.received_before = now - event_retention;
  return horizon;
}

void Runner::expire() {
  const Time now = clock_.now();
  if (now - last_expire_ < kExpireEvery || stop_.stop_requested()) return;
  last_expire_ = now;
  for (const auto& [id, each] : shards_) {
    // Not while rounds follow each other: two at a time would find the same.
    const bool items = options_.retention > Millis(0) && now - each.expiry_at >= kExpireEvery;
    const bool events = now - each.event_expiry_at >= kExpireEvery;
    if (items) expire_items_of(id, now);
    if (events) expire_events_of(id, now);
  }
}

// Whether an expiry of the engine's own dropped as much as a round can: then there may be more.
bool Runner::dropped_a_round(RequestId request, const shard::Effects& effects) const {
  return std::ranges::any_of(effects.answers, [&](const shard::Answer& answer) {
    const auto* expired = std::get_if<shard::Expired>(&answer.reply);
    return answer.request == request && expired != nullptr && expired->dropped >= kExpireBudget;
  });
}

// The next round at once, however much is due; it reads what the last one left, so it waits for it to be durable, and
// between the two everything else has its turn.
void Runner::expire_further(ShardId id, const shard::Command& command) {
  if (stop_.stop_requested()) return;
  if (std::holds_alternative<shard::Expire>(command)) expire_items_of(id, clock_.now());
  if (std::holds_alternative<shard::ExpireEvents>(command)) expire_events_of(id, clock_.now());
}

void Runner::expire_items_of(ShardId id, Time now) {
  running(id).expiry_at = now;
  after_durable([this, id, before = now - options_.retention, request = own_request(), generation = generation_] {
    shard::Expire command{.items = {}, .before = before};
    try {
      for (const auto& record : store_.expired(id, before, kExpireBudget)) {
        command.items.push_back({record.lane->queue, record.id});
      }
    } catch (const std::exception& error) {
      say_unread("reading expired items failed", error);
    }
    // Without facts of its own: the shard asks for them, as of now.
    const bool any = !command.items.empty();
    inbox_.put(CallWithFacts{{id, request, std::move(command), {}, 0}, shard::Facts{}, any ? generation : 0});
  });
}

void Runner::expire_events_of(ShardId id, Time now) {
  running(id).event_expiry_at = now;
  after_durable([this, id, horizon = options_.event_horizon(now), request = own_request(), generation = generation_] {
    shard::ExpireEvents command{.events = {}, .received_before = horizon.received_before};
    try {
      command.events = store_.expired_events(id, horizon, kExpireBudget);
    } catch (const std::exception& error) {
      say_unread("reading expired events failed", error);
    }
    // Without facts of its own: the shard asks for them, as of now.
    const bool any = !command.events.empty();
    inbox_.put(CallWithFacts{{id, request, std::move(command), {}, 0}, shard::Facts{}, any ? generation : 0});
  });
}

}  // namespace millrace::engine
