// Parked items that somebody asks for. What is due comes back by due time while there is room, which a lane that nobody
// serves can take for ever: so a claim that gets nothing lets the parked items be walked through for its tags alone,
// and what is found takes the place of what waits in longer lanes. A claim that did not ask to wait waits for that all
// the same, so that it is answered empty only where there is nothing for it. See docs/adr/0004.
#include <algorithm>
#include <utility>

#include "shard/impl.h"

namespace millrace::shard {
namespace {

constexpr std::size_t kPageFirst = 256;  // rows; a walk that goes on takes longer strides
constexpr std::size_t kPageMax = 10'000;
constexpr std::size_t kTakenMax = 1000;  // in one walk
constexpr Millis kWantedAgain(100);      // where nothing in memory could give way

// So many of a lane come back whatever else is in memory, which keeps its workers busy while more are read. No more
// than a sixteenth of what fits: lanes that are asked for in turns would only displace each other.
std::size_t share_of(std::size_t bound) { return std::clamp<std::size_t>(bound / 16, 1, 16); }

}  // namespace

void Shard::Impl::note_hunger(const Claim& claim) {
  if (has_parked) hunger.note(claim.queue, claim.tags);
}

// Something parked is due that was not when it was last looked for.
void Shard::Impl::come_due() {
  hunger.come_due();
  waiters_unnoted = true;
}

// REQUIRES: those who can be served were. Others would be looked for in vain.
void Shard::Impl::note_waiters() {
  if (!std::exchange(waiters_unnoted, false) || !has_parked) return;
  waiters.each_tag([this](const queue::QueueKey& queue, const std::string& tag) { hunger.note(queue, {&tag, 1}); });
}

bool Shard::Impl::wish_wanted(Effects& effects) {
  if (!has_parked || !hunger.any() || wanted_again > now) return false;
  const Time from = hunger.begin_page();
  if (from == kNever) {
    hunger.end_page(kNever, queue::Hunger::Page::complete, now);
    searched = true;
    return false;
  }
  if (wanted_rows == 0) wanted_rows = std::clamp<std::size_t>(options.live_items_max, 1, kPageFirst);
  effects.refill = RefillWish{from, wanted_rows};
  return true;
}

void Shard::Impl::take_wanted(Refill& command, Effects& effects) {
  using Page = queue::Hunger::Page;
  Time next = command.rows.empty() ? command.from : command.rows.back().parked_at;
  Page page = command.complete ? Page::complete : Page::goes_on;
  for (queue::ItemRecord& row : command.rows) {
    if (row.parked_at > now) {  // so are all behind it
      hunger.parked_until(row.parked_at);
      next = row.parked_at;
      page = Page::complete;
      break;
    }
    if (wanted_taken >= std::min(kTakenMax, options.live_items_max)) {
      next = row.parked_at;
      page = Page::enough;
      break;
    }
    take_wanted(row, effects);
  }
  if (page == Page::complete && command.complete && next <= now) next = kNever;
  if (page == Page::goes_on && hunger.has_left_all()) page = Page::enough;
  // A page within one moment would be read again and again: it grows past kPageMax.
  wanted_rows = next == command.from ? 2 * command.rows.size() : std::min(2 * wanted_rows, kPageMax);
  hunger.end_page(next, page, now);
  refill_from = std::min(refill_from, parked_from);  // what was parked meanwhile, and what gave way
  if (page == Page::goes_on) return;
  if (wanted_taken == 0 && hunger.has_left_some()) wanted_again = now + kWantedAgain;
  wanted_rows = wanted_taken = 0;
  waiters_unnoted = true;
}

void Shard::Impl::take_wanted(queue::ItemRecord& row, Effects& effects) {
  const queue::QueueKey& queue = row.lane->queue;
  if (queue::keeps_order(row) || items.ready().is_paused(queue, row.lane->bus)) return;
  if (items.find(queue, row.id) != kNoSlot || watch_parked.contains({queue, row.id})) return;
  if (!hunger.wants(*row.lane, row.due)) return;
  SlotIndex other = kNoSlot;
  const bool full = counted() >= options.live_items_max;
  if (full) other = items.least_needed(*row.lane, to_ms(now), share_of(options.live_items_max));
  const bool fits = !full || other != kNoSlot;
  if (!fits && !waiters.wants(queue, row.lane->tags)) return hunger.leave(*row.lane, row.due);
  if (other != kNoSlot) park(other, effects);
  bring_back(std::move(row), effects);
  ++wanted_taken;
  if (!fits) serve_waiters(effects);  // what is leased takes no room
}

// Whether something for the claim may be parked that was there when it came, and can go.
bool Shard::Impl::may_come(const WaitingClaim& waiting) const {
  const queue::QueueKey& queue = waiting.claim.queue;
  const bool searched_for = has_parked && hunger.may_find(queue, waiting.claim.tags);
  if (!searched_for && !items.starves(queue, waiting.starved)) return false;
  return counted_in(queue)[static_cast<std::size_t>(queue::Status::pending)] > 0;
}

void Shard::Impl::end_searches(Effects& effects) {
  if (!std::exchange(searched, false)) return;
  std::erase_if(searching, [&](RequestId request) {
    const WaitingClaim* waiting = waiters.find(request);
    if (waiting == nullptr) return true;  // it was served
    if (may_come(*waiting)) return false;
    end_wait(*waiters.take_request(request), {}, effects);
    return true;
  });
}

void Shard::Impl::refuse_searches(Effects& effects) {
  for (const RequestId request : std::exchange(searching, {})) {
    auto waiting = waiters.take_request(request);
    if (waiting) refuse_wait(std::move(*waiting), "parked items can't be read", effects);
  }
}

}  // namespace millrace::shard
