// A claim that does not wait is answered empty only where there is nothing for it (S4.2): what could go and is parked
// must have been read first. It may be held meanwhile; what came for it since then, it may miss.
#include <algorithm>

#include "auditor.h"
#include "describe.h"
#include "order.h"
#include "violation.h"

namespace millrace::simulation {

std::set<ItemId> Auditor::parked_for(const shard::Claim& claim) const {
  std::set<ItemId> found;
  for (const Candidate& candidate : candidates(applied_, claim.queue)) {
    const queue::ItemRecord& r = candidate.item->record;
    const bool parked = candidate.next && r.placement == queue::Placement::parked;
    if (parked && r.due <= now_ && has_any_tag(r, claim.tags)) found.insert(r.id);
  }
  return found;
}

void Auditor::watch_searches() {
  for (auto& [id, request] : requests_) {
    const shard::Claim* claim = request.executed ? claim_of(request.command) : nullptr;
    if (claim == nullptr || claim->wait > Millis(0)) continue;
    std::set<ItemId> there = parked_for(*claim);
    if (request.missed) std::erase_if(there, [&](ItemId item) { return !request.missed->contains(item); });
    request.missed = std::move(there);
  }
}

void Auditor::check_found(const Call& call, const shard::Answer& answer, const Request& request) const {
  std::span<const queue::ItemRecord> leased;
  if (const auto* claimed = std::get_if<shard::Claimed>(&answer.reply)) leased = claimed->items;
  if (const auto* settled = std::get_if<shard::Settled>(&answer.reply)) leased = settled->claimed;
  if (!leased.empty()) return;
  const auto caller = requests_.find(call.request);
  const auto* end = caller == requests_.end() ? nullptr : std::get_if<shard::EndWait>(&caller->second.command);
  if ((end && end->request == answer.request) || is_given_up(call)) return;
  MR_REQUIRE(!std::holds_alternative<Error>(answer.reply), "r{} was refused: {}", answer.request.value,
             describe(answer.reply));
  MR_REQUIRE(request.missed->empty(), "r{} got nothing although #{} is due, and parked", answer.request.value,
             request.missed->begin()->value);
}

// The parked items could not be read. (That it took too long must not happen: what is read here is small.)
bool Auditor::is_given_up(const Call& call) const {
  const auto caller = requests_.find(call.request);
  const auto* refill = caller == requests_.end() ? nullptr : std::get_if<shard::Refill>(&caller->second.command);
  return refill && refill->rows.empty() && !refill->complete;
}

}  // namespace millrace::simulation
