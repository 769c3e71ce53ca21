#include "runner.h"

#include <algorithm>

#include "describe.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

// Facts may have changed while they were read, so a command may ask again; not for ever.
constexpr int kRoundsMax = 12;

}  // namespace

Runner::Runner(Random& random, const Profile& profile, Timeline& timeline, Trace& trace, Auditor& auditor)
    : random_(random), profile_(profile), timeline_(timeline), trace_(trace), auditor_(auditor) {
  open();
}

void Runner::after(Millis delay, std::move_only_function<void()> what) {
  timeline_.after(delay, [this, generation = generation_, what = std::move(what)]() mutable {
    if (generation == generation_) what();
  });
}

void Runner::open() {
  if (!store_) store_ = std::make_unique<store::MemoryStore>(disk_);
  epoch_ = *store_->acquire({});
  shard::ShardState state = store_->load(kShard);
  auditor_.compare(*store_);
  auditor_.reloaded(state, clock());
  trace_.line("{:>6} opened with epoch {}, {} live items, clock {}", timeline_.now().count(), epoch_.value,
              state.live.size(), describe(clock()));
  shard_ = std::make_unique<shard::Shard>(std::move(state), epoch_, profile_.options, clock());
  arm_timer();
}

void Runner::fail_open_requests() {
  std::map<RequestId, Heard> failed = std::exchange(open_, {});
  for (auto& [request, heard] : failed) heard(Error{Errc::unavailable, "the commit failed"});
}

void Runner::reload() {
  ++generation_;
  shard_.reset();
  filling_ = {};
  flying_.reset();
  durable_number_ = filling_number_;
  ++filling_number_;
  commit_planned_ = false;
  asked_.clear();
  rounds_.clear();
}

void Runner::crash() {
  if (!shard_) return;
  trace_.line("{:>6} CRASH", timeline_.now().count());
  if (flying_ && random_.chance(500)) {
    trace_.line("       the commit under way came through");
    auditor_.committed(flying_->batch);
    if (!flying_->batch.empty()) store_->commit(epoch_, {&flying_->batch, 1});
  }
  reload();
  store_.reset();
  std::map<RequestId, Heard> cut = std::exchange(open_, {});
  for (auto& [request, heard] : cut) heard(std::nullopt);
  after(random_.chance(700) ? delay(Millis(20)) : delay(Millis(4000)), [this] { open(); });
}

void Runner::step_clock(Millis by) {
  offset_ += by;
  trace_.line("{:>6} the clock steps by {} ms", timeline_.now().count(), by.count());
  if (shard_) arm_timer();
}

RequestId Runner::submit(shard::Command command, Heard heard) {
  const RequestId request{++last_request_};
  if (!shard_) {
    timeline_.after(Millis(1), [heard = std::move(heard)]() mutable { heard(std::nullopt); });
    return request;
  }
  open_.emplace(request, std::move(heard));
  auditor_.sent(request, command);
  execute(request, command, nullptr);
  return request;
}

void Runner::execute(RequestId request, shard::Command& command, const shard::Facts* facts) {
  // Sometimes the shard has to notice by itself that a timer is due.
  if (shard_->next_tick() <= clock() && random_.chance(800)) tick();
  trace_.line("{:>6} r{}{} at {}: {}", timeline_.now().count(), request.value, facts ? " with facts" : "",
              describe(clock()), describe(command));
  const std::size_t answers = filling_.answers.size();
  const bool timers_due = shard_->next_tick() <= std::max(clock(), auditor_.now());
  std::optional<shard::Need> need = shard_->execute(request, command, facts, clock(), filling_);
  if (need) trace_.line("         {}", describe(*need));
  for (std::size_t i = answers; i < filling_.answers.size(); ++i) {
    trace_.line("         r{} <- {}", filling_.answers[i].request.value, describe(filling_.answers[i].reply));
  }
  auditor_.observed({request, need.has_value(), timers_due, clock()}, filling_, shard_->next_tick());
  // Nobody answers the end of a wait; whoever waited is answered.
  if (!need && std::holds_alternative<shard::EndWait>(command)) open_.erase(request);
  if (need) keep_need(request, std::move(command), std::move(*need));
  arm_timer();
  arm_commit();
}

void Runner::keep_need(RequestId request, shard::Command command, shard::Need need) {
  MR_REQUIRE(!need.empty(), "r{} wants facts but none in particular", request.value);
  MR_REQUIRE(++rounds_[request] <= kRoundsMax, "r{} wants facts for ever", request.value);
  const bool nothing_new = filling_.batch.empty() && filling_.answers.empty();
  asked_.emplace(request, Asked{std::move(command), std::move(need), filling_number_ - (nothing_new ? 1 : 0)});
  read_needs();
}

void Runner::read_needs() {
  for (auto next = asked_.begin(); next != asked_.end();) {
    if (next->second.group > durable_number_) {
      ++next;
      continue;
    }
    auto node = asked_.extract(next++);
    after(delay(profile_.read_max), [this, request = node.key(), asked = std::move(node.mapped())]() mutable {
      read_facts(request, std::move(asked));
    });
  }
}

void Runner::read_facts(RequestId request, Asked asked) {
  if (fault(profile_.faults.abandoned)) {
    trace_.line("{:>6} r{} is abandoned", timeline_.now().count(), request.value);
    shard_->abandon(request);
    auditor_.abandoned(request);
    auto heard = open_.extract(request);
    if (!heard.empty()) heard.mapped()(std::nullopt);
    return;
  }
  shard::Facts facts = store_->fetch(kShard, asked.need);
  after(delay(profile_.read_max), [this, request, command = std::move(asked.command),
                                   facts = std::move(facts)]() mutable { execute(request, command, &facts); });
}

void Runner::arm_timer() {
  const Time next = shard_->next_tick();
  if (next == kNever) return;
  Millis wait = std::max(next - clock(), Millis(0));
  if (fault(profile_.faults.late_tick)) wait += delay(Millis(800));
  after(wait, [this, timer = ++timer_] {
    if (timer == timer_) tick();
  });
}

void Runner::tick() {
  // A clock that was set back has not reached the moment yet.
  if (shard_->next_tick() > clock() && shard_->next_tick() > auditor_.now()) return arm_timer();
  trace_.line("{:>6} tick at {}", timeline_.now().count(), describe(clock()));
  const std::size_t answers = filling_.answers.size();
  shard_->tick(clock(), filling_);
  for (std::size_t i = answers; i < filling_.answers.size(); ++i) {
    trace_.line("         r{} <- {}", filling_.answers[i].request.value, describe(filling_.answers[i].reply));
  }
  auditor_.observed({.now = clock()}, filling_, shard_->next_tick());
  arm_timer();
  arm_commit();
}

void Runner::arm_commit() {
  const bool nothing = filling_.batch.empty() && filling_.answers.empty() && !filling_.refill;
  if (nothing || flying_ || commit_planned_) return;
  commit_planned_ = true;
  after(random_.chance(500) ? Millis(0) : delay(Millis(5)), [this] { begin_commit(); });
}

Runner::CommitFate Runner::draw_fate() {
  if (!fault(profile_.faults.failed_commit)) return CommitFate::durable;
  constexpr CommitFate kFailures[] = {CommitFate::not_done, CommitFate::unknown_lost, CommitFate::unknown_applied};
  return kFailures[random_.below(std::size(kFailures))];
}

void Runner::begin_commit() {
  commit_planned_ = false;
  shard_->seal(filling_);
  filling_.batch.shard = kShard;
  auditor_.sealed();
  flying_ = std::exchange(filling_, {});
  ++filling_number_;
  const CommitFate fate = flying_->batch.empty() ? CommitFate::durable : draw_fate();
  after(delay(profile_.commit_max), [this, fate] { finish_commit(fate); });
}

void Runner::finish_commit(CommitFate fate) {
  trace_.line("{:>6} {}\n{}", timeline_.now().count(), fate == CommitFate::durable ? "committed" : "COMMIT FAILED",
              describe(flying_->batch));
  if (fate != CommitFate::durable) return commit_failed(fate);
  auditor_.committed(flying_->batch);
  if (!flying_->batch.empty()) store_->commit(epoch_, {&flying_->batch, 1});
  durable_number_ = filling_number_ - 1;
  shard::Effects effects = std::move(*flying_);
  flying_.reset();
  for (shard::Answer& told : effects.answers) answer(told.request, std::move(told.reply));
  if (effects.refill) serve_refill(*effects.refill);
  read_needs();
  arm_commit();
}

void Runner::commit_failed(CommitFate fate) {
  using store::MemoryStore;
  const bool applied = fate == CommitFate::unknown_applied;
  store_->fail_next_commit(fate == CommitFate::not_done ? store::Fate::not_done : store::Fate::unknown,
                           applied ? MemoryStore::Outcome::applied : MemoryStore::Outcome::lost);
  if (applied) auditor_.committed(flying_->batch);
  bool thrown = false;
  try {
    store_->commit(epoch_, {&flying_->batch, 1});
  } catch (const store::StoreError&) {
    thrown = true;
  }
  MR_REQUIRE(thrown, "the store did not fail as told");
  trace_.line("         {}", applied                        ? "fate unknown: applied"
                             : fate == CommitFate::not_done ? "not done"
                                                            : "fate unknown: lost");
  reload();
  fail_open_requests();
  open();
}

void Runner::serve_refill(const shard::RefillWish& wish) {
  trace_.line("         refill from {}, {} items", describe(wish.from), wish.limit);
  after(delay(profile_.read_max), [this, wish] {
    shard::Refill refill{{}, wish.from, false};
    if (fault(profile_.faults.failed_read)) {
      trace_.line("{:>6} the parked items can't be read", timeline_.now().count());
    } else {
      refill.rows = store_->parked(kShard, wish.from, wish.limit);
      refill.complete = refill.rows.size() < wish.limit;
    }
    after(delay(profile_.read_max), [this, refill = std::move(refill)]() mutable {
      submit(std::move(refill), [](const std::optional<shard::Reply>&) {});
    });
  });
}

void Runner::answer(RequestId request, shard::Reply reply) {
  auditor_.delivered(request, reply);
  auto heard = open_.extract(request);
  if (heard.empty()) return;
  const bool lost = fault(profile_.faults.lost_answer);
  timeline_.after(delay(Millis(3)), [heard = std::move(heard.mapped()), reply = std::move(reply), lost]() mutable {
    heard(lost ? std::nullopt : std::optional(std::move(reply)));
  });
}

void Runner::check_everything() {
  auditor_.compare(*store_);
  MR_REQUIRE(shard_->waiting_claims() == auditor_.waiting().size(), "{} claims wait, the shard says {}",
             auditor_.waiting().size(), shard_->waiting_claims());
}

}  // namespace millrace::simulation
