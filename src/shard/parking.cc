// The bound on memory. Items beyond it are parked: stored, waiting, not in memory; they come back by
// due time when there is room. A lane that has parked items parks its newer ones too, so that they
// keep their order; so does an ordered group while anything is parked. See docs/adr/0004.
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
  const bool full = items.size() >= options.live_items_max;
  const bool paused = items.ready().is_paused(record.lane->queue, record.lane->bus);
  if (!full && !has_parked && !paused) return false;

  // Joining for the length of the decision gives the lane a place to remember the overflow.
  const queue::LaneIndex lane = items.ready().join(record.lane);
  bool parks = paused || items.ready().lane(lane).overflowed || (is_in_order(record) && has_parked);
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
  parked_meanwhile = true;
}

void Shard::Impl::wish_refill(Effects& effects) {
  if (!has_parked || refill_under_way || refill_pointless) return;
  const std::size_t room = options.live_items_max - std::min(options.live_items_max, items.size());
  if (room * 2 < options.live_items_max || room == 0) return;
  refill_under_way = true;
  parked_meanwhile = false;
  effects.refill = RefillWish{refill_from, std::clamp<std::size_t>(room, 1, kRefillMax)};
}

std::optional<Need> Shard::Impl::run(Step& step, Refill& command) {
  refill_under_way = false;
  bool skipped = false;
  for (queue::ItemRecord& row : command.rows) {
    refill_from = row.due;
    const queue::QueueKey& queue = row.lane->queue;
    if (items.ready().is_paused(queue, row.lane->bus)) {
      skipped = true;
      continue;
    }
    if (items.find(queue, row.id) != kNoSlot || watch_parked.contains({queue, row.id})) continue;
    const PriorItem prior{Placement::parked, row.status, row.due, row.updated};
    row.lane = items.ready().shared_key(*row.lane);
    row.placement = Placement::live;
    items.admit(row, now);
    write(std::move(row), prior, step.effects);
  }
  watch_parked.clear();
  skipped_in_round = skipped_in_round || skipped;
  if (command.complete) {
    refill_from = Time{};
    if (!parked_meanwhile && !skipped_in_round) {
      has_parked = false;
      items.ready().clear_overflow();
    }
    refill_pointless = skipped_in_round && !parked_meanwhile;
    skipped_in_round = false;
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
      refill_pointless = false;
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
