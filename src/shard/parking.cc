// The bound on memory. Items beyond it are parked: stored, waiting, not in memory; they come back by
// due time when there is room. A lane that has parked items parks its newer ones too, so that they
// keep their order. Members of ordered groups: group_parking.cc. See docs/adr/0004.
#include <algorithm>

#include "shard/impl.h"

namespace millrace::shard {

using queue::Placement;

namespace {

constexpr std::size_t kRefillMax = 10'000;                // rows of one read: some milliseconds of work
constexpr Millis kRefillAgain = std::chrono::seconds(1);  // after a read that failed

std::string paused_key(const queue::QueueKey& queue, const std::string& bus) {
  return queue.tenant.text() + '\n' + queue.name + '\n' + bus;
}

}  // namespace

bool Shard::Impl::must_park(const queue::ItemRecord& record, Effects& effects) {
  if (queue::keeps_order(record)) return must_park_member(record);
  const bool full = counted() >= options.live_items_max;
  const bool paused = items.ready().is_paused(record.lane->queue, record.lane->bus);
  if (!full && !has_parked && !paused) return false;

  bool parks = paused || record.due >= parked_lanes.from(*record.lane);
  if (!parks && full) {
    const SlotIndex other = items.least_needed(*record.lane, to_ms(record.due));
    parks = other == kNoSlot;
    if (!parks) park(other, effects);
  }
  if (parks) note_parked(*record.lane, record.due);
  return parks;
}

void Shard::Impl::park(SlotIndex slot, Effects& effects) {
  const PriorItem prior = prior_of(slot);
  queue::ItemRecord record = items.record(slot);
  note_parked(*record.lane, record.due);
  record.placement = Placement::parked;
  record.parked_at = record.due;
  write(std::move(record), prior, effects);
  retire(slot);
}

void Shard::Impl::note_parked(const queue::LaneKey& lane, Time due) {
  parked_lanes.note(lane, due);
  has_parked = true;
  if (items.ready().is_paused(lane.queue, lane.bus)) {
    refill_skipped = true;
    return;
  }
  Time& from = refill_under_way ? parked_from : refill_from;
  from = std::min(from, due);
  if (refill_under_way) parked_meanwhile.note(lane, due);
  hunger.parked(lane, due, now, waiters.wants(lane.queue, lane.tags));
}

// One read at a time; where several kinds are wished for they take turns.
void Shard::Impl::wish_refill(Effects& effects) {
  note_waiters();
  if (refill_under_way || refill_again > now) return;
  const auto wish = [&](RefillKind kind) {
    switch (kind) {
      case RefillKind::due:
        return wish_due(effects);
      case RefillKind::members:
        return wish_members(effects);
      case RefillKind::wanted:
        return wish_wanted(effects);
    }
    return false;
  };
  constexpr int kKinds = 3;
  const int last = static_cast<int>(refill_kind);
  for (int turn = 1; turn <= kKinds; ++turn) {
    const auto kind = static_cast<RefillKind>((last + turn) % kKinds);
    if (!wish(kind)) continue;
    refill_kind = kind;
    refill_under_way = true;
    parked_from = kNever;
    parked_meanwhile.clear();
    return;
  }
  searched = true;  // there is nothing to be read
}

bool Shard::Impl::wish_due(Effects& effects) {
  if (!has_parked || refill_from == kNever) return false;
  const std::size_t room = options.live_items_max - std::min(options.live_items_max, counted());
  const std::size_t enough = std::min((options.live_items_max + 1) / 2, kRefillMax);
  // What is due takes the place of what is only scheduled, or far schedules would keep it waiting.
  const bool displaces = refill_from <= now && items.last_scheduled(to_ms(now)) != kNoSlot;
  if (room < enough && !displaces) return false;
  if (refill_from == Time{}) refill_skipped = false;
  effects.refill = RefillWish{refill_from, std::max(std::clamp(room, enough, kRefillMax), refill_least)};
  return true;
}

std::optional<Need> Shard::Impl::run(Step& step, Refill& command) {
  if (command.rows.empty() && !command.complete) {  // the store could not be read
    refill_again = now + kRefillAgain;
    refill_from = std::min(refill_from, parked_from);
    refuse_searches(step.effects);
  } else if (refill_kind == RefillKind::members) {
    take_members(command, step.effects);
  } else if (refill_kind == RefillKind::wanted) {
    take_wanted(command, step.effects);
  } else {
    take_due(command, step.effects);
  }
  watch_parked.clear();
  refill_under_way = false;
  searched = true;
  answer(step, Ack{});
  return std::nullopt;
}

void Shard::Impl::bring_back(queue::ItemRecord row, Effects& effects) {
  const PriorItem prior{Placement::parked, row.status, row.parked_at, row.updated};
  row.lane = items.ready().shared_key(*row.lane);
  row.placement = Placement::live;
  row.parked_at = {};
  items.admit(row, now);
  write(std::move(row), prior, effects);
}

void Shard::Impl::take_due(Refill& command, Effects& effects) {
  // A route was resumed while they were read: what waits in front of them goes first, and is read next.
  if (parked_from == Time{}) command.rows.clear();
  Time next = command.complete || command.rows.empty() ? kNever : command.rows.back().parked_at;
  std::size_t skipped = 0;
  for (queue::ItemRecord& row : command.rows) {
    const queue::QueueKey& queue = row.lane->queue;
    const bool in_order = queue::keeps_order(row);
    if (in_order || items.ready().is_paused(queue, row.lane->bus)) {
      ++skipped;
      refill_skipped = refill_skipped || !in_order;
      continue;
    }
    if (items.find(queue, row.id) != kNoSlot || watch_parked.contains({queue, row.id})) continue;
    if (row.due >= parked_meanwhile.from(*row.lane)) continue;  // behind those, which are read next
    if (counted() >= options.live_items_max) {
      const SlotIndex other = items.last_scheduled(to_ms(std::max(row.due, now)));
      if (other == kNoSlot) {
        next = row.due;
        break;
      }
      park(other, effects);
    }
    bring_back(std::move(row), effects);
  }
  // A page that lies within one moment and held nothing to take is read again, twice as long: the store pages by time
  // alone. So a page is no longer than kRefillMax or twice the rows that are filed under one millisecond.
  refill_least = skipped == command.rows.size() && next == command.from ? 2 * skipped : 1;
  refill_from = std::min(next, parked_from);
  if (refill_from == kNever && !refill_skipped) {
    has_parked = false;
    parked_lanes.clear();
  }
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
      // What was passed over may be anywhere: begin at the front.
      (refill_under_way ? parked_from : refill_from) = Time{};
      hunger.restart();
      waiters_unnoted = true;
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
