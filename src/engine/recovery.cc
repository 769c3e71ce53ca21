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
      inbox_.take(unread_, clock_.now() + kRetryAfter, {});
      refuse_unread(error.what());
    }
  }
  return false;
}

void Runner::load() {
  const auto started = std::chrono::steady_clock::now();
  std::vector<shard::Document> documents;
  for (const ShardId id : store_.shards()) {
    shard::ShardState state = store_.load(id);
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
