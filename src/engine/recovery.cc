// How the runner comes to own its shards, and what happens when it loses them.
#include <algorithm>

#include "base/log.h"
#include "engine/runner.h"

namespace millrace::engine {

// False if the server stops before the shards are ours.
bool Runner::recover() {
  constexpr Millis kRetryAfter(500);
  while (!stop_.stop_requested()) {
    try {
      hooks_.state(State::standby);
      const auto epoch = store_.acquire(stop_.get_token());
      if (!epoch) return false;
      epoch_ = *epoch;
      hooks_.state(State::recovering);
      load();
      inbox_.open();
      hooks_.state(State::ready);
      return true;
    } catch (const store::StoreError& error) {
      lose(error.what());
      if (error.fate() == store::Fate::broken) {
        hooks_.state(State::failed);
        hooks_.broken(error.what());
        stop_.request_stop();
        return false;
      }
      spdlog::error(R"("msg":"the store is away, trying again","why":{})", quoted(error.what()));
      hooks_.state(State::recovering);
      inbox_.take(unread_, kRetryAfter, Inbox::Done::passes);
      refuse_unread(error.what());
    }
  }
  return false;
}

void Runner::load() {
  committer_->wait_finished();  // what is still on its way tells of the catalog before this
  const auto started = std::chrono::steady_clock::now();
  std::vector<shard::Document> documents;
  for (const ShardId id : store_.shards()) {
    shard::ShardState state = store_.load(id);
    clock_.resume_after(state.last_commit);
    mend_counts(state);
    documents.insert(documents.end(), state.documents.begin(), state.documents.end());
    Running& loaded = shards_[id];
    loaded.shard = std::make_unique<shard::Shard>(std::move(state), epoch_, options_.shard, clock_.now());
    collect(id, loaded);
  }
  hooks_.recovered(documents);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  recovery_seconds_.store(took.count());
  last_numbers_ = {};
  note_numbers(clock_.now());
  spdlog::info(R"("msg":"recovered","shards":{},"live_items":{},"seconds":{:.3f})", shards_.size(), live_items(),
               took.count());
}

// What is leased was loaded, so its number is known. Until 2026-11-16 a reset or a cancel at the moment when the last
// lease of an item ended counted it twice: from PROCESSING to FAILED, and once more from PROCESSING. So as many as are
// missing there are too many among the FAILED. A folder of then would end the program when more leases end than are
// counted.
void Runner::mend_counts(shard::ShardState& state) const {
  std::map<queue::QueueKey, std::uint64_t> leased;
  for (const queue::ItemRecord& record : state.live) {
    if (record.lease.token.value != 0) ++leased[record.lane->queue];
  }
  for (shard::TenantCounters& tenant : state.counters) {
    for (shard::QueueCounts& queue : tenant.queues) {
      std::uint64_t& counted = queue.by_status[static_cast<std::size_t>(queue::Status::processing)];
      const auto found = leased.find({tenant.tenant, queue.queue});
      const std::uint64_t held = found == leased.end() ? 0 : found->second;
      if (counted == held) continue;
      spdlog::warn(R"("msg":"the number of leased items was not right, counted again","tenant":{},"queue":{})",
                   quoted(tenant.tenant.text()), quoted(queue.queue));
      std::uint64_t& failed = queue.by_status[static_cast<std::size_t>(queue::Status::failed)];
      failed -= std::min(failed, held - std::min(held, counted));
      counted = held;
    }
  }
}

// Another node may own the shards by now: what is in memory may be of the past.
void Runner::step_down() {
  constexpr char kWhy[] = "this node could not show in time that it owns the shards, or another one has taken them";
  spdlog::warn(R"("msg":"{}")", kWhy);
  lose(kWhy);
  recover();
}

// Forgets everything in memory; whoever waits is told that the fate of the call is unknown.
void Runner::lose(const std::string& why) {
  ++generation_;
  owed_rounds_.clear();
  inbox_.close();
  for (Delivery& delivery : group_.deliveries) hooks_.refuse(std::move(delivery), why);
  group_ = {};
  group_bytes_ = 0;
  group_shards_.clear();
  std::vector<RequestId> requests;
  for (const auto& entry : callers_) requests.push_back(entry.first);
  for (const RequestId request : requests) {
    Caller who = std::move(callers_.extract(request).mapped());
    hooks_.refuse({std::move(who.done), {}, who.bytes, who.counted}, why);
  }
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    ++reads_;  // it finds its generation gone and tells its caller nothing more
    reader_->run(std::move(waiting.read));
  }
  shards_.clear();
  ticks_.clear();
  refuse_unread(why);
}

// Nothing of these calls was applied.
void Runner::refuse_unread(const std::string& why) {
  const auto refuse_one = [&](Mail& mail) {
    if (std::holds_alternative<DrainWanted>(mail)) draining_ = true;
    turn_away(std::move(mail), why);
  };
  for (; next_unread_ < unread_.size(); ++next_unread_) refuse_one(unread_[next_unread_]);
  for (Mail& mail : put_aside_) refuse_one(mail);
  unread_.clear();
  next_unread_ = 0;
  put_aside_.clear();
}

// Any thread.
void Runner::turn_away(Mail&& call, const std::string& why) {
  if (auto* asked = std::get_if<Call>(&call)) refuse(std::move(*asked), why);
  if (auto* answered = std::get_if<CallWithFacts>(&call)) {
    refuse(std::move(answered->call), why);
    --reads_;
  }
}

}  // namespace millrace::engine
