// The bound on memory. Items beyond it are parked: stored, waiting, not in memory; they come back by
// due time when there is room. A lane that has parked items parks its newer ones too, so that they
// keep their order. An item of an ordered group is never parked: coming back by due time, it could
// overtake an earlier one of its group that is still parked. See docs/adr/0004.
#include <algorithm>

#include "shard/impl.h"

namespace millrace::shard {

using queue::Placement;

namespace {

constexpr std::size_t kRefillMax = 10'000;  // rows of one read: some milliseconds of work

std::string paused_key(const queue::QueueKey& queue, const std::string& bus) {
  return queue.tenant.text() + '\n' + queue.name + '\n' + bus;
}

bool is_in_order(const queue::ItemRecord& record) { return record.group && queue::is_ordered(record.group->mode); }

}  // namespace

bool Shard::Impl::must_park(const queue::ItemRecord& record, Effects& effects) {
  if (is_in_order(record)) return false;
  const bool full = items.size() >= options.live_items_max;
  const bool paused = items.ready().is_paused(record.lane->queue, record.lane->bus);
  if (!full && !has_parked && !paused) return false;

  // Joining for the length of the decision gives the lane a place to remember the overflow.
  const queue::LaneIndex lane = items.ready().join(record.lane);
  bool parks = paused || items.ready().lane(lane).overflowed;
  if (!parks && full) {
    const SlotIndex other = items.least_needed(lane, to_ms(record.due));
    parks = other == kNoSlot;
    if (!parks) park(other, effects);
  }
  if (parks) {
    items.ready().lane(lane).overflowed = true;
    note_parked();
    if (!paused) refill_pointless = false;
  }
  items.ready().leave(lane);
  return parks;
}

void Shard::Impl::park(SlotIndex slot, Effects& effects) {
  const PriorItem prior = prior_of(slot);
  items.ready().lane(items[slot].lane).overflowed = true;
  queue::ItemRecord record = items.record(slot);
  record.placement = Placement::parked;
  write(std::move(record), prior, effects);
  retire(slot);
  note_parked();
  refill_pointless = false;
}

void Shard::Impl::note_parked() {
  has_parked = true;
  parked_in_round = true;
}

void Shard::Impl::wish_refill(Effects& effects) {
  if (!has_parked || refill_under_way || refill_pointless) return;
  const std::size_t room = options.live_items_max - std::min(options.live_items_max, items.size());
  if (room * 2 < options.live_items_max || room == 0) return;
  refill_under_way = true;
  if (refill_from == Time{}) parked_in_round = skipped_in_round = false;
  effects.refill = RefillWish{refill_from, std::max(std::min(room, kRefillMax), refill_least)};
}

std::optional<Need> Shard::Impl::run(Step& step, Refill& command) {
  refill_under_way = false;
  refill_least = 1;
  bool all = command.complete;
  std::size_t skipped = 0;
  for (queue::ItemRecord& row : command.rows) {
    refill_from = row.due;
    const queue::QueueKey& queue = row.lane->queue;
    if (items.ready().is_paused(queue, row.lane->bus)) {
      ++skipped;
      continue;
    }
    if (items.find(queue, row.id) != kNoSlot || watch_parked.contains({queue, row.id})) continue;
    if (items.size() >= options.live_items_max) {
      all = false;
      break;
    }
    const PriorItem prior{Placement::parked, row.status, row.due, row.updated};
    row.lane = items.ready().shared_key(*row.lane);
    row.placement = Placement::live;
    items.admit(row, now);
    write(std::move(row), prior, step.effects);
  }
  watch_parked.clear();
  skipped_in_round = skipped_in_round || skipped > 0;
  if (!all && skipped == command.rows.size() && refill_from == command.from) refill_least = 2 * skipped;
  if (all) {
    refill_from = Time{};
    if (!parked_in_round && !skipped_in_round) {
      has_parked = false;
      items.ready().clear_overflow();
    }
    refill_pointless = skipped_in_round && !parked_in_round;
  }
  answer(step, Ack{});
  return std::nullopt;
}

std::optional<Need> Shard::Impl::run(Step& step, SetPaused& command) {
  const auto key = std::pair(std::string(kPausedKind), paused_key(command.queue, command.bus));
  const auto found = documents.find(key);
  const bool was = found != documents.end();
  if (was != command.paused) {
    Document document{key.first, key.second, command.queue.tenant, 1, "{}", now};
    step.effects.batch.documents.push_back({document, !command.paused});
    if (command.paused) {
      documents.emplace(key, std::move(document));
    } else {
      documents.erase(found);
      // What was skipped may be behind the refill: another round.
      refill_pointless = false;
      parked_in_round = true;
      if (!refill_under_way) refill_from = Time{};
    }
    items.set_paused(command.queue, command.bus, command.paused);
  }
  answer(step, Ack{});
  return std::nullopt;
}

void Shard::Impl::load_paused(const Document& document) {
  const std::size_t queue_at = document.tenant.text().size() + 1;
  const std::size_t bus_at = document.key.rfind('\n') + 1;
  items.set_paused({document.tenant, document.key.substr(queue_at, bus_at - queue_at - 1)}, document.key.substr(bus_at),
                   true);
}

}  // namespace millrace::shard
