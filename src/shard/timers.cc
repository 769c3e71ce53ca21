// What time does: due items become ready, leases run out, waits end, done items expire.
#include <algorithm>

#include "shard/impl.h"

namespace millrace::shard {

void Shard::Impl::tick(Effects& effects) {
  items.promote(now);
  if (hunger.due() <= now) come_due();
  while (const auto slot = items.leases().ended(now)) time_out(*slot, effects);
  serve_waiters(effects);
  end_late_waits(effects);
  wish_refill(effects);
  end_searches(effects);
}

Time Shard::Impl::next_tick() const {
  const bool refills = has_parked && !refill_under_way && refill_from > now;
  const bool again = !refill_under_way && refill_again > now;
  const bool wanted = has_parked && hunger.any() && !refill_under_way && wanted_again > now;
  return std::min({items.next_due(), items.next_lease_end(), waiters.next_deadline(), refills ? refill_from : kNever,
                   again ? refill_again : kNever, wanted ? wanted_again : kNever, has_parked ? hunger.due() : kNever});
}

// A failed try without backoff (S4.11).
void Shard::Impl::time_out(SlotIndex slot, Effects& effects) {
  const queue::Lease& lease = items.leases().at(slot).lease;
  end_try(slot,
          {.item = ItemId{items[slot].id},
           .action = queue::Action::timed_out,
           .attempt = items[slot].attempt,
           .token = lease.token,
           .worker = *lease.worker},
          Millis(0), effects);
}

std::optional<Need> Shard::Impl::run(Step& step, Expire& command) {
  // The facts say of an item what was so before the command: one named twice must not go twice.
  std::ranges::sort(command.items);
  const auto again = std::ranges::unique(command.items);
  command.items.erase(again.begin(), again.end());
  if (!command.items.empty() && step.facts == nullptr) return Need{.items = command.items, .dedup = {}, .logs = false};
  Expired expired;
  for (const ItemRef& ref : command.items) {
    const auto* history = step.history(ref);
    if (history == nullptr || !*history) continue;
    const queue::ItemRecord& stored = (*history)->record;
    if (stored.placement != queue::Placement::done || stored.updated >= command.before) continue;
    count_change(ref.queue, stored.status, std::nullopt);
    watch.changed(ref.queue, ref.id);
    step.effects.batch.drops.push_back({stored});
    ++expired.dropped;
  }
  answer(step, expired);
  return std::nullopt;
}

}  // namespace millrace::shard
