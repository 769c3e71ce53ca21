#include "engine/runner.h"

#include <algorithm>

#include "base/log.h"
#include "engine/prompt_thread.h"

namespace millrace::engine {
namespace {

constexpr Millis kLongestSleep = std::chrono::seconds(1);
constexpr Millis kOwedSleep(25);  // while there is more to expire than callers leave room for

// docs/adr/0020: how many callers the next group waits for, and how long. Those of the last two groups are back soon.
// Of fewer than seven that is one, who is taken as soon as it is here anyway.
constexpr std::size_t expected_of(std::size_t callers) { return callers < 7 ? 0 : callers * 3 / 10; }
constexpr std::chrono::microseconds kLongestGathering(200);

}  // namespace

Runner::Runner(store::Store& store, const Clock& clock, EngineOptions options, Inbox& inbox, Hooks hooks)
    : store_(store), clock_(clock), options_(std::move(options)), inbox_(inbox), hooks_(std::move(hooks)) {
  inbox_.set_turn_away([this](Mail&& call) { turn_away(std::move(call), "the shards are not here"); });
}

Runner::~Runner() = default;

void Runner::start(Committer& committer) {
  committer_ = &committer;
  reader_ = std::make_unique<JobThread>("reader");
  thread_ = std::thread([this] { loop(); });
}

void Runner::stop() {
  stop_.request_stop();
  inbox_.put(DrainWanted{});
  thread_.join();
  reader_.reset();
}

void Runner::loop() {
  become_prompt("shards");
  if (!recover()) return lose("the server stops");
  while (!(stop_.stop_requested() && idle())) {
    take_mail();
    if (!store_.owns() && !stop_.stop_requested()) step_down();
  }
  lose("the server stops");
}

bool Runner::idle() const {
  return put_aside_.empty() && group_.deliveries.empty() && group_shards_.empty() && !unseen() && waiting_.empty() &&
         reads_ == 0 && callers_.empty();
}

Millis Runner::longest_rest() {
  Millis rest = owed_rounds_.empty() ? kLongestSleep : kOwedSleep;
  if (!ticks_.empty()) rest = std::min(rest, ticks_.begin()->first - clock_.now());
  return std::max(rest, Millis(0));
}

bool Runner::group_is_full() const {
  return group_.deliveries.size() >= options_.group_commands_max || group_bytes_ >= options_.group_bytes_max;
}

// Numbers of the engine's own commands never meet those of callers.
RequestId Runner::own_request() { return RequestId{std::uint64_t{1} << 63 | ++own_requests_}; }

void Runner::take_mail() {
  if (const std::size_t expected = std::exchange(expected_, 0); put_aside_.empty()) {
    inbox_.gather(expected, kLongestGathering);
  }
  const bool rests = put_aside_.empty() || group_is_full();
  unread_.swap(put_aside_);
  inbox_.take(unread_, rests ? longest_rest() : Millis(0),
              !waiting_.empty() || stop_.stop_requested() ? Inbox::Done::wakes : Inbox::Done::passes);
  // Calls are executed where they lie: each is large. Losing the shards empties what is read here.
  while (next_unread_ < unread_.size()) {
    Mail& next = unread_[next_unread_++];
    if (auto* call = std::get_if<Call>(&next); call == nullptr) {
      accept(std::move(next));
    } else if (group_is_full()) {
      // It waits for the commit before it; the commit's own mail must pass what waits.
      put_aside_.push_back(std::move(next));
    } else {
      execute(std::move(*call), nullptr);
    }
  }
  unread_.clear();
  next_unread_ = 0;
  tick_due();
  expire();
  commit_group();
  const Time now = clock_.now();
  committer_->sweep_if_due(now);
  note_numbers(now);
}

void Runner::accept(Mail mail) {
  if (auto* answered = std::get_if<CallWithFacts>(&mail)) {
    --reads_;
    if (answered->generation != generation_) return refuse(std::move(answered->call), "the shard was loaded again");
    if (answered->facts) return execute(std::move(answered->call), &*answered->facts);
    running(answered->call.shard).shard->abandon(answered->call.request);
    return refuse(std::move(answered->call), "the store can't be read");
  }
  if (const auto* done = std::get_if<CommitDone>(&mail)) return commit_done(done->group);
  if (const auto* failed = std::get_if<CommitFailed>(&mail)) return commit_failed(*failed);
  drain();
}

void Runner::execute(Call&& call, const shard::Facts* facts) {
  Running& target = running(call.shard);
  if (draining_) {
    if (auto* claim = std::get_if<shard::Claim>(&call.command)) claim->wait = Millis(0);
    if (auto* settle = std::get_if<shard::Settle>(&call.command); settle && settle->claim)
      settle->claim->wait = Millis(0);
  }
  const Time now = clock_.now();
  if (facts == nullptr) to_shard_time(call.command);
  auto need = target.shard->execute(call.request, call.command, facts, now, target.effects);
  if (need) {
    collect(call.shard, target);  // what was due before it is decided, and must be durable before the facts are read
    return ask(std::move(call), std::move(*need));
  }

  commands_.fetch_add(1, std::memory_order_relaxed);
  group_bytes_ += call.bytes;
  const ShardId id = call.shard;
  const RequestId request = call.request;
  if (answers_at_once(call, target.effects)) return collect(id, target);
  if (call.done) callers_.emplace(request, Caller{std::move(call.done), id, call.bytes, true});
  const bool round = dropped_a_round(request, target.effects);
  collect(id, target);
  if (round) expire_further(id, call.command);
  if (const auto held = callers_.find(request); held != callers_.end() && held->second.counted) {
    held->second.counted = false;  // a claim that waits
    hooks_.held(held->second.bytes);
    // Also one that did not ask to: what it waits for may not be read any more.
    if (draining_) execute({id, own_request(), shard::EndWait{request}, {}, 0}, nullptr);
  }
}

// Times that a caller gave are of the wall clock.
void Runner::to_shard_time(shard::Command& command) const {
  auto* create = std::get_if<shard::Create>(&command);
  if (create == nullptr || clock_.ahead() == Millis(0)) return;
  for (shard::NewItem& item : create->items) {
    if (item.run_at) item.run_at = clock_.at(*item.run_at);
  }
}

// Most commands answer their own caller and nobody else; who waits longer, or wakes another, goes the long way.
bool Runner::answers_at_once(Call& call, shard::Effects& effects) {
  if (!call.done || effects.answers.size() != 1 || effects.answers.front().request != call.request) return false;
  group_.deliveries.push_back({std::move(call.done), std::move(effects.answers.front().reply), call.bytes, true});
  effects.answers.clear();
  return true;
}

// Moves what executing gave into the group: answers to their callers, the batch when it is handed over.
void Runner::collect(ShardId id, Running& target) {
  for (shard::Answer& answer : target.effects.answers) {
    const auto caller = callers_.find(answer.request);
    if (caller == callers_.end()) continue;  // the engine's own command
    Caller& who = caller->second;
    group_.deliveries.push_back({std::move(who.done), std::move(answer.reply), who.bytes, who.counted});
    callers_.erase(caller);
  }
  target.effects.answers.clear();
  if (!target.in_group && !target.effects.batch.empty()) {
    target.in_group = true;
    group_shards_.push_back(id);
  }
  if (target.effects.refill) refill(id, *std::exchange(target.effects.refill, std::nullopt));
  const Time next = target.shard->next_tick();
  if (next == target.ticks_at) return;
  ticks_.erase(std::pair(target.ticks_at, id));
  target.ticks_at = next;
  if (next != kNever) ticks_.emplace(next, id);
}

std::optional<shard::Facts> Runner::read(const Call& call, const shard::Need& need) {
  try {
    auto facts = store_.fetch(call.shard, need);
    said_unread_ = false;
    return facts;
  } catch (const std::exception& error) {
    say_unread("a read failed", error);
    return std::nullopt;
  }
}

// Once until a read succeeds: every shard meets the same trouble.
void Runner::say_unread(const char* what, const std::exception& error) {
  if (!said_unread_.exchange(true)) spdlog::warn(R"("msg":"{}","why":{})", what, quoted(error.what()));
}

void Runner::ask(Call call, shard::Need need) {
  const bool nothing_unsaved = group_shards_.empty() && !unseen();
  if (store_.reads_are_local() && nothing_unsaved) {
    ++reads_;
    auto facts = read(call, need);
    return accept(CallWithFacts{std::move(call), std::move(facts), generation_});
  }
  after_durable([this, call = std::move(call), need = std::move(need), generation = generation_]() mutable {
    auto facts = read(call, need);
    inbox_.put(CallWithFacts{std::move(call), std::move(facts), generation});
  });
}

void Runner::refuse(Call call, const std::string& why) {
  if (call.done) hooks_.refuse({std::move(call.done), {}, call.bytes}, why);
}

// Whether a group was handed over that reads do not see yet.
bool Runner::unseen() const { return done_ + 1 < next_group_; }

// Runs `read` on the reader once everything applied so far is durable.
void Runner::after_durable(std::move_only_function<void()> read) {
  if (group_shards_.empty() && !unseen()) {
    ++reads_;
    reader_->run(std::move(read));
  } else {
    waiting_.push_back({group_shards_.empty() ? next_group_ - 1 : next_group_, std::move(read)});
  }
}

void Runner::refill(ShardId id, shard::RefillWish wish) {
  // A stop would wait for all pages of a walk. The shard wishes for nothing more then, and the next start reads anew.
  if (stop_.stop_requested()) return;
  after_durable([this, id, wish, request = own_request(), generation = generation_] {
    shard::Refill rows{.rows = {}, .from = wish.from, .complete = false};
    try {
      rows.rows = store_.parked(id, wish.from, wish.limit);
      rows.complete = rows.rows.size() < wish.limit;
    } catch (const std::exception& error) {
      say_unread("reading parked items failed", error);
    }
    inbox_.put(CallWithFacts{{id, request, std::move(rows), {}, 0}, shard::Facts{}, generation});
  });
}

void Runner::tick_due() {
  const Time now = clock_.now();
  while (!ticks_.empty() && ticks_.begin()->first <= now) {
    const ShardId id = ticks_.begin()->second;
    ticks_.erase(ticks_.begin());
    Running& due = shards_.at(id);
    due.ticks_at = kNever;
    due.shard->tick(now, due.effects);
    collect(id, due);
  }
}

void Runner::commit_group() {
  if (group_shards_.empty() && group_.deliveries.empty()) return;
  group_bytes_ = 0;
  // It fades slowly: a small group between large ones is no sign that the callers have gone.
  const std::size_t deliveries = group_.deliveries.size();
  company_ = std::max(deliveries, company_ / 2);
  expected_ = expected_of(deliveries + std::exchange(answered_, deliveries));
  group_.number = next_group_++;
  for (const ShardId id : std::exchange(group_shards_, {})) {
    Running& changed = shards_.at(id);
    changed.shard->seal(changed.effects);
    changed.in_group = false;
    const std::size_t items = changed.effects.batch.items.size();
    note_finished(changed.effects.batch);
    group_.batches.push_back(std::exchange(changed.effects.batch, {}));
    changed.effects.batch.items.reserve(items);
  }
  const auto failed = committer_->commit(epoch_, std::exchange(group_, {}));
  group_.deliveries.reserve(deliveries);  // the next group is likely as large
  if (failed) commit_failed(*failed);
}

void Runner::commit_done(std::uint64_t group) {
  done_ = std::max(done_, group);
  for (; !waiting_.empty() && waiting_.front().group <= group; waiting_.pop_front()) {
    ++reads_;
    reader_->run(std::move(waiting_.front().read));
  }
}

void Runner::commit_failed(const CommitFailed& failed) {
  done_ = next_group_ - 1;
  if (failed.fate != store::Fate::broken) {
    spdlog::error(R"("msg":"commit failed, loading again","why":{})", quoted(failed.why));
    lose(failed.why);
    recover();
    return;
  }
  hooks_.state(State::failed);
  lose(failed.why);
  hooks_.broken(failed.why);
  stop_.request_stop();
}

void Runner::drain() {
  draining_ = true;
  std::vector<std::pair<RequestId, ShardId>> held;
  for (const auto& [request, caller] : callers_) held.emplace_back(request, caller.shard);
  std::ranges::sort(held);
  for (const auto& [request, shard] : held) execute({shard, own_request(), shard::EndWait{request}, {}, 0}, nullptr);
}

void Runner::note_numbers(Time now) {
  constexpr Millis kEvery(100);
  if (now - last_numbers_ < kEvery) return;
  last_numbers_ = now;
  std::size_t live = 0;
  std::size_t waits = 0;
  bool parked = false;
  for (const auto& [id, each] : shards_) {
    live += each.shard->live_items();
    waits += each.shard->waiting_claims();
    parked = parked || each.shard->has_parked();
  }
  share_memory();
  clock_ahead_.store(clock_.ahead(), std::memory_order_relaxed);
  live_items_.store(live, std::memory_order_relaxed);
  waiting_claims_.store(waits, std::memory_order_relaxed);
  has_parked_.store(parked, std::memory_order_relaxed);
}

// The bound is the node's: a shard has what the others leave, and a little in any case, so that one that takes all does
// not keep the others out of memory. The first member of an ordered group takes nothing of it.
void Runner::share_memory() {
  constexpr std::size_t kLeastMin = 16;
  constexpr std::size_t kLeastMax = 1000;
  const std::size_t most = options_.shard.live_items_max;
  const std::size_t least = std::min(most, std::clamp(most / kTenantShards, kLeastMin, kLeastMax));
  std::size_t all = 0;
  for (const auto& [id, each] : shards_) all += each.shard->bounded_items();
  for (auto& [id, each] : shards_) {
    const std::size_t others = all - each.shard->bounded_items();
    each.shard->set_live_items_max(std::max(least, most - std::min(most, others)));
  }
}

Runner::Running& Runner::running(ShardId id) {
  auto& found = shards_[id];
  if (!found.shard) {  // never had data
    shard::ShardState empty;
    empty.shard = id;
    found.shard = std::make_unique<shard::Shard>(std::move(empty), epoch_, options_.shard, clock_.now());
  }
  return found;
}

}  // namespace millrace::engine
