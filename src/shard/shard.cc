#include "shard/shard.h"

#include <algorithm>
#include <utility>

#include "shard/impl.h"

namespace millrace::shard {

Shard::Shard(ShardState state, Epoch epoch, ShardOptions options, Time now)
    : impl_(std::make_unique<Impl>(std::move(state), epoch, options, now)) {}
Shard::~Shard() = default;

std::optional<Need> Shard::execute(RequestId request, Command& command, const Facts* facts, Time now,
                                   Effects& effects) {
  impl_->now = std::max(impl_->now, now);
  // Timers first: what is due at `now` is due before the command that arrives at `now`.
  if (impl_->next_tick() <= impl_->now) impl_->tick(effects);
  const auto asked = facts != nullptr ? impl_->watch.end(request) : std::nullopt;

  // Facts that something changed in the meantime are old news: the command then asks again.
  Impl::Step step{request, asked ? &*asked : nullptr, asked ? facts : nullptr, effects};
  auto need = impl_->execute(step, command);
  if (need) {
    impl_->watch.begin(request, *need);
    return need;
  }
  impl_->serve_waiters(effects);
  impl_->wish_refill(effects);
  impl_->end_searches(effects);
  return std::nullopt;
}

void Shard::abandon(RequestId request) { impl_->watch.end(request); }

void Shard::tick(Time now, Effects& effects) {
  impl_->now = std::max(impl_->now, now);
  impl_->tick(effects);
}

Time Shard::next_tick() const { return impl_->next_tick(); }

void Shard::seal(Effects& effects) { impl_->seal(effects); }

void Shard::set_live_items_max(std::size_t most) {
  constexpr std::size_t kLanesLeast = 1000;
  impl_->options.live_items_max = most;
  impl_->parked_lanes.set_lanes_max(std::max(most, kLanesLeast));
  impl_->parked_meanwhile.set_lanes_max(std::max(most, kLanesLeast));
}

std::size_t Shard::live_items() const { return impl_->items.size(); }
std::size_t Shard::bounded_items() const { return impl_->items.unordered() + impl_->items.followers(); }
std::size_t Shard::waiting_claims() const { return impl_->waiters.size(); }
bool Shard::has_parked() const { return impl_->has_parked || impl_->items.groups().parked() > 0; }

}  // namespace millrace::shard
