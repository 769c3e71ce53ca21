// Claims: which items a worker gets, at once or when they become ready.
#include "base/limits.h"
#include "base/mix.h"
#include "shard/impl.h"

namespace millrace::shard {
namespace {

// A walk over all that is parked may take this long: as long as the longest wait.
constexpr Millis kSearchMax = std::chrono::seconds(limits::kClaimWaitSecondsMax);

// Names one lease: another attempt, another epoch or another item gives another token.
LeaseToken lease_token(Epoch epoch, const Slot& slot) {
  const std::uint64_t lease = mix64(epoch.value << 32 ^ slot.attempt);
  return LeaseToken{mix64(slot.id ^ lease) | 1};
}

}  // namespace

std::optional<Need> Shard::Impl::run(Step& step, Claim& command) {
  wait_or_answer(step, std::move(command), std::nullopt);
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, EndWait& command) {
  if (auto waiting = waiters.take_request(command.request)) end_wait(std::move(*waiting), {}, step.effects);
  answer(step, Ack{});
  return std::nullopt;
}

void Shard::Impl::wait_or_answer(Step& step, Claim claim, std::optional<Settled> settled) {
  workers.seen(claim.queue, claim.worker, now);
  auto leased = lease_items(claim, step.effects);
  if (leased.empty()) note_hunger(claim);
  WaitingClaim waiting{step.request, std::move(claim), std::move(settled), items.starved()};
  const bool searches = waiting.searches();
  if (!leased.empty() || (searches && !may_come(waiting))) {
    return answer_claim(std::move(waiting), std::move(leased), step.effects);
  }
  if (waiters.size() >= limits::kWaitersPerShardMax) {
    if (searches) return refuse_claim(std::move(waiting), "too many claims wait; try again", step.effects);
    return answer_claim(std::move(waiting), {}, step.effects);
  }
  const queue::QueueKey queue = waiting.claim.queue;
  const std::vector<std::string> tags = waiting.claim.tags;
  const auto until = now + (searches ? kSearchMax : waiting.claim.wait);
  workers.begin_wait(queue, waiting.claim.worker, now);
  waiters.add(step.request, queue, tags, until, std::move(waiting));
  if (searches) searching.push_back(step.request);
}

std::vector<queue::ItemRecord> Shard::Impl::lease_items(const Claim& claim, Effects& effects) {
  std::vector<queue::ItemRecord> leased;
  while (leased.size() < claim.limit) {
    const SlotIndex slot = items.best(claim.queue, claim.tags);
    if (slot == kNoSlot) break;
    const PriorItem prior = prior_of(slot);
    queue::Worker& worker = workers.seen(claim.queue, claim.worker, now);
    ++worker.held;
    ++items[slot].attempt;
    items[slot].retry_wait = false;
    const LeaseToken token = lease_token(epoch, items[slot]);
    change_status(slot, queue::Status::processing);
    items.lease(slot, {token, now + claim.lease, worker.name});
    write(slot, prior, effects);
    log(claim.queue,
        {.item = ItemId{items[slot].id},
         .action = queue::Action::picked,
         .attempt = items[slot].attempt,
         .token = token,
         .worker = claim.worker,
         .retry_count = items[slot].retry_count},
        effects);
    leased.push_back(effects.batch.items.back().record);
  }
  return leased;
}

void Shard::Impl::end_wait(WaitingClaim waiting, std::vector<queue::ItemRecord> leased, Effects& effects) {
  workers.end_wait(waiting.claim.queue, waiting.claim.worker, now);
  answer_claim(std::move(waiting), std::move(leased), effects);
}

void Shard::Impl::answer_claim(WaitingClaim waiting, std::vector<queue::ItemRecord> leased, Effects& effects) {
  if (waiting.settled) {
    waiting.settled->claimed = std::move(leased);
    effects.answers.push_back({waiting.request, std::move(*waiting.settled)});
  } else {
    effects.answers.push_back({waiting.request, Claimed{std::move(leased)}});
  }
}

// What is parked could not be looked through. Outcomes that came with the claim are recorded, and told.
void Shard::Impl::refuse_claim(WaitingClaim waiting, const char* why, Effects& effects) {
  if (waiting.settled) return answer_claim(std::move(waiting), {}, effects);
  effects.answers.push_back({waiting.request, Error{Errc::unavailable, why}});
}

void Shard::Impl::refuse_wait(WaitingClaim waiting, const char* why, Effects& effects) {
  workers.end_wait(waiting.claim.queue, waiting.claim.worker, now);
  refuse_claim(std::move(waiting), why, effects);
}

void Shard::Impl::end_late_waits(Effects& effects) {
  while (auto waiting = waiters.take_late(now)) {
    if (waiting->searches()) {
      refuse_wait(std::move(*waiting), "looking through the parked items takes too long; try again", effects);
    } else {
      end_wait(std::move(*waiting), {}, effects);
    }
  }
}

void Shard::Impl::serve_waiters(Effects& effects) {
  const auto touched = items.take_touched();
  if (waiters.empty()) return;
  for (const queue::LaneIndex index : touched) {
    if (!items.ready().has(index)) continue;
    const queue::Lane& lane = items.ready().lane(index);
    while (!lane.paused && !lane.ready.empty()) {
      auto waiting = waiters.take_first(lane.key->queue, lane.key->tags);
      if (!waiting) break;
      auto leased = lease_items(waiting->claim, effects);
      end_wait(std::move(*waiting), std::move(leased), effects);
    }
  }
}

}  // namespace millrace::shard
