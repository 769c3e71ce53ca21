#include "history.h"

#include <algorithm>

#include "describe.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

// Rounds in which nothing moves although a parked item is due: a refill takes one or two.
constexpr int kStalledMax = 10;

}  // namespace

History::History(std::uint64_t seed, Trace& trace)
    : random_(seed),
      profile_(draw_profile(random_)),
      trace_(trace),
      auditor_(Runner::kShard, profile_.options),
      clients_(random_, profile_),
      runner_(random_, profile_, timeline_, trace_, auditor_) {}

void History::run(int steps) {
  for (int i = 0; i < steps; ++i) {
    act();
    timeline_.run_until(timeline_.now() + random_.millis(0, profile_.gap_max.count()));
  }
  end_everything();
}

void History::act() {
  if (random_.chance(profile_.faults.crash)) runner_.crash();
  if (random_.chance(profile_.faults.clock_step)) {
    runner_.step_clock(random_.chance(500) ? random_.millis(1, 3000) : -random_.millis(1, 3000));
  }
  if (random_.chance(profile_.faults.vanished)) vanish();
  if (random_.chance(20)) return expire();
  if (random_.chance(20)) return expire_events();
  shard::Command command = clients_.draw(runner_.clock());
  if (random_.chance(profile_.faults.repeated_message)) send_after(random_.millis(0, 500), clone(command));
  if (random_.chance(profile_.faults.late_message)) return send_after(random_.millis(1, 3000), std::move(command));
  send(std::move(command));
}

void History::send(shard::Command command) {
  auto kept = std::make_shared<shard::Command>(clone(command));
  // The number is known only after submit(), which may already answer.
  auto number = std::make_shared<RequestId>();
  *number = runner_.submit(std::move(command), [this, kept, number](std::optional<shard::Reply> reply) {
    hear(*kept, vanished_.contains(*number), std::move(reply));
  });
}

void History::send_after(Millis delay, shard::Command command) {
  timeline_.after(delay, [this, command = std::move(command)]() mutable { send(std::move(command)); });
}

void History::hear(const shard::Command& command, bool vanished, std::optional<shard::Reply> reply) {
  const auto* error = reply ? std::get_if<Error>(&*reply) : nullptr;
  if (!reply || (error && error->code == Errc::unavailable)) {
    // The caller does not know what became of it: some ask again.
    if (!closing_ && random_.chance(400)) send_after(random_.millis(1, 400), clone(command));
    return;
  }
  const auto* claimed = std::get_if<shard::Claimed>(&*reply);
  if (claimed && vanished) {
    for (const queue::ItemRecord& r : claimed->items) send(shard::Release{r.lane->queue, r.id, r.lease.token});
    return;
  }
  if (claimed && closing_ && !claimed->items.empty()) {
    shard::Settle settle{claimed->items.front().lane->queue, {}, {}};
    for (const queue::ItemRecord& r : claimed->items) {
      settle.outcomes.push_back({.holder = {r.id, *r.lease.worker, r.attempt, r.lease.token}});
    }
    return send(std::move(settle));
  }
  clients_.learn(command, *reply);
}

void History::expire() {
  if (!runner_.is_up()) return;
  shard::Expire expire{{}, runner_.clock() - random_.millis(0, 2000)};
  for (const queue::ItemRecord& r : runner_.store().expired(Runner::kShard, expire.before, 5)) {
    expire.items.push_back({r.lane->queue, r.id});
  }
  // Some that are not done at all: they must stay. Some a second time: they must go once.
  for (const auto& [queue, items] : auditor_.applied().queues) {
    for (const auto& [id, item] : items) {
      if (random_.chance(20)) expire.items.push_back({queue, id});
    }
  }
  if (!expire.items.empty()) send_after(random_.millis(0, 50), std::move(expire));
}

void History::expire_events() {
  if (!runner_.is_up()) return;
  store::Horizon expiry{.now = runner_.clock()};
  if (random_.chance(300)) expiry.received_before = runner_.clock() - random_.millis(0, 5000);
  shard::ExpireEvents expire{runner_.store().expired_events(Runner::kShard, expiry, 5), expiry.received_before};
  // Some whose time has not come: they must stay.
  for (const auto& [tenant, log] : auditor_.durable().events) {
    for (const KnownEvent& known : log) {
      if (random_.chance(20)) expire.events.push_back(*known.record);
    }
  }
  if (!expire.events.empty()) send_after(random_.millis(0, 50), std::move(expire));
}

void History::vanish() {
  const std::vector<RequestId> waiting = auditor_.waiting();
  if (waiting.empty()) return;
  const RequestId gone = random_.pick(waiting);
  vanished_.insert(gone);
  send(shard::EndWait{gone});
}

// The faults are over, everything is resumed and the workers succeed: every item must end.
void History::end_everything() {
  closing_ = true;
  runner_.calm();
  trace_.line("{:>6} CALM", timeline_.now().count());
  // The shard's time stands still until a clock that was set back has caught up.
  const Millis behind = std::max(auditor_.now() - runner_.clock(), Millis(0));
  timeline_.run_until(timeline_.now() + behind + Millis(5000));
  MR_REQUIRE(runner_.is_up(), "the shard did not come back");
  for (const queue::QueueKey& queue : profile_.queues) {
    for (const std::string& bus : profile_.buses) send(shard::SetPaused{queue, bus, false});
  }
  std::size_t items = 0;
  for (const auto& [queue, all] : auditor_.applied().queues) items += all.size();
  const std::size_t rounds_max = 100 + 8 * items;
  std::size_t rounds = 0;
  while (!close_round()) {
    MR_REQUIRE(++rounds < rounds_max, "{} items did not all end within {} rounds", items, rounds_max);
  }
  timeline_.run_until(timeline_.now() + Millis(500));
  runner_.check_everything();
}

bool History::close_round() {
  std::size_t open = 0;
  for (const auto& [queue, items] : auditor_.applied().queues) {
    for (const auto& [id, item] : items) {
      const queue::ItemRecord& r = item.record;
      open += !queue::is_terminal(r.status) || r.blocks_group();
      const bool stuck = r.blocks_group() || (r.lane->tags.empty() && !queue::is_terminal(r.status));
      if (stuck) send_after(Millis(0), shard::Cancel{queue, id, "closing"});
    }
  }
  if (open == 0) return true;
  for (const queue::QueueKey& queue : profile_.queues) send(clients_.greedy_claim(queue));
  // Long enough for a refill, the claim and its settle to be committed.
  timeline_.run_until(timeline_.now() + 4 * (profile_.commit_max + profile_.read_max) + Millis(40));
  std::size_t left = 0;
  for (const auto& [queue, items] : auditor_.applied().queues) {
    for (const auto& [id, item] : items) left += !queue::is_terminal(item.record.status) || item.record.blocks_group();
  }
  if (left == open) wait_for_more();
  return false;
}

// Nothing moved: only time can help, unless something is due that does not come back from parking.
void History::wait_for_more() {
  const Item* due = nullptr;
  bool leased = false;  // they take up memory, rightly
  for (const auto& [queue, items] : auditor_.applied().queues) {
    for (const auto& [id, item] : items) leased |= item.record.status == queue::Status::processing;
    for (const Candidate& candidate : candidates(auditor_.applied(), queue)) {
      const queue::ItemRecord& r = candidate.item->record;
      const bool parked = r.placement == queue::Placement::parked;
      if (parked && candidate.allowed && r.due <= auditor_.now() && !r.lane->tags.empty()) due = candidate.item;
    }
  }
  if (due == nullptr || leased) {
    stalled_ = 0;
    return timeline_.run_until(timeline_.now() + until_something_is_due());
  }
  MR_REQUIRE(++stalled_ < kStalledMax, "{}: due, but it does not come back into memory", describe(due->record));
}

Millis History::until_something_is_due() const {
  Time next = kNever;
  for (const auto& [queue, items] : auditor_.applied().queues) {
    for (const auto& [id, item] : items) {
      const queue::ItemRecord& r = item.record;
      const Time due = r.status == queue::Status::processing ? item.lease_end() : r.due;
      if (!queue::is_terminal(r.status) && due > runner_.clock()) next = std::min(next, due);
    }
  }
  return next == kNever ? Millis(20) : next - runner_.clock();
}

}  // namespace millrace::simulation
