// Done items and events past their time: found by the store now and then, dropped by their shard, a round at a time.
#include <algorithm>

#include "base/log.h"
#include "engine/runner.h"

namespace millrace::engine {
namespace {

constexpr Millis kExpireEvery = std::chrono::seconds(5);  // an event is gone within 60 s of its time (S0.7)
// What a round drops. Without callers one round follows the other, and the first caller does not wait long.
constexpr std::size_t kRoundAlone = 500;
// Beside callers, who wait for a round as for any command of their group (S4.15): as many as they finish and append, so
// that it does not fall behind them, and so many a second besides.
constexpr std::size_t kRoundMin = 50;
constexpr std::size_t kRoundMost = 2000;
constexpr std::size_t kPerSecond = 2000;

}  // namespace

store::Horizon EngineOptions::event_horizon(Time now) const {
  store::Horizon horizon{.now = now};
  if (event_retention > Millis(0)) horizon.received_before = now - event_retention;
  return horizon;
}

void Runner::expire() {
  if (!owed_rounds_.empty()) expire_owed();
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
    return answer.request == request && expired != nullptr && expired->dropped >= kRoundMin;
  });
}

// The next round reads what the last one left, so it waits for it to be durable; between the two everything else has
// its turn.
void Runner::expire_further(ShardId id, const shard::Command& command) {
  if (owed_rounds_.empty()) allowance_at_ = std::chrono::steady_clock::now();
  owed_rounds_.push_back({id, std::holds_alternative<shard::ExpireEvents>(command)});
  expire_owed();
}

void Runner::note_finished(const shard::Batch& batch) {
  const auto done = std::ranges::count_if(
      batch.items, [](const shard::ItemWrite& write) { return write.record.placement == queue::Placement::done; });
  expiry_allowance_ += static_cast<std::size_t>(done) + batch.events.size();
}

void Runner::expire_owed() {
  const auto now = std::chrono::steady_clock::now();
  const auto waited = std::chrono::duration_cast<Millis>(now - allowance_at_);
  if (waited > Millis(0)) {
    expiry_allowance_ += static_cast<std::size_t>(waited.count()) * kPerSecond / 1000;
    allowance_at_ = now;
  }
  while (!owed_rounds_.empty() && !stop_.stop_requested() && (company_ == 0 || expiry_allowance_ >= kRoundMin)) {
    const OwedRound owed = owed_rounds_.front();
    owed_rounds_.pop_front();
    owed.events ? expire_events_of(owed.shard, clock_.now()) : expire_items_of(owed.shard, clock_.now());
  }
}

std::size_t Runner::take_round() {
  if (company_ == 0) return kRoundAlone;
  const std::size_t round = std::clamp(expiry_allowance_, kRoundMin, kRoundMost);
  expiry_allowance_ = 0;
  return round;
}

void Runner::expire_items_of(ShardId id, Time now) {
  running(id).expiry_at = now;
  after_durable([this, id, before = now - options_.retention, round = take_round(), request = own_request(),
                 generation = generation_] {
    shard::Expire command{.items = {}, .before = before};
    try {
      for (const auto& record : store_.expired(id, before, round)) {
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
  after_durable([this, id, horizon = options_.event_horizon(now), round = take_round(), request = own_request(),
                 generation = generation_] {
    shard::ExpireEvents command{.events = {}, .received_before = horizon.received_before};
    try {
      command.events = store_.expired_events(id, horizon, round);
    } catch (const std::exception& error) {
      say_unread("reading expired events failed", error);
    }
    // Without facts of its own: the shard asks for them, as of now.
    const bool any = !command.events.empty();
    inbox_.put(CallWithFacts{{id, request, std::move(command), {}, 0}, shard::Facts{}, any ? generation : 0});
  });
}

}  // namespace millrace::engine
