// Events past their time: found by the store now and then, dropped by their shard.
#include "base/log.h"
#include "engine/runner.h"

namespace millrace::engine {
namespace {

constexpr Millis kExpireEvery = std::chrono::seconds(5);  // an event is gone within 60 s of its time (S0.7)
constexpr std::size_t kExpireBudget = 500;                // events a shard and round, while none is left over

}  // namespace

void Runner::expire_events() {
  const Time now = clock_.now();
  if (now - last_event_expiry_ < kExpireEvery || stop_.stop_requested()) return;
  last_event_expiry_ = now;
  for (const auto& entry : shards_) expire_events_of(entry.first, now);
}

void Runner::expire_events_of(ShardId id, Time now) {
  store::EventExpiry expiry{.now = now};
  if (options_.event_retention > Millis(0)) expiry.received_before = now - options_.event_retention;
  ++reads_;
  reader_->run([this, id, expiry, request = own_request(), generation = generation_] {
    shard::ExpireEvents command{.events = {}, .received_before = expiry.received_before};
    try {
      command.events = store_.expired_events(id, expiry, kExpireBudget);
    } catch (const std::exception& error) {
      say_unread("reading expired events failed", error);
    }
    // Without facts of its own: the shard asks for them, as of now.
    const bool any = !command.events.empty();
    inbox_.put(CallWithFacts{{id, request, std::move(command), {}, 0}, shard::Facts{}, any ? generation : 0});
  });
}

}  // namespace millrace::engine
