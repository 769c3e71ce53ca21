#include "auditor.h"

#include <algorithm>

#include "describe.h"
#include "order.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

// So long a claim that did not ask to wait may be held.
constexpr Millis kSearchMax = std::chrono::seconds(20);

// Bodies are shared with the command that is executed, and the shard writes into them.
shard::Command copy_of(const shard::Command& command) {
  shard::Command copy = command;
  if (auto* create = std::get_if<shard::Create>(&copy)) {
    for (shard::NewItem& item : create->items) item.body = std::make_shared<queue::Body>(*item.body);
  }
  return copy;
}

template <class T>
std::span<const T> since(const std::vector<T>& all, std::size_t& seen) {
  MR_REQUIRE(all.size() >= seen, "effects shrank between two calls");
  const std::span<const T> added = std::span(all).subspan(seen);
  seen = all.size();
  return added;
}

}  // namespace

const shard::Claim* claim_of(const shard::Command& command) {
  if (const auto* claim = std::get_if<shard::Claim>(&command)) return claim;
  if (const auto* settle = std::get_if<shard::Settle>(&command)) return settle->claim ? &*settle->claim : nullptr;
  return nullptr;
}

std::span<const shard::PutDocument> puts_of(const shard::Command& command) {
  if (const auto* put = std::get_if<shard::PutDocument>(&command)) return {put, 1};
  if (const auto* puts = std::get_if<shard::PutDocuments>(&command)) return puts->documents;
  return {};
}

void Auditor::sent(RequestId request, const shard::Command& command) {
  const bool fresh = requests_.emplace(request, Request{copy_of(command), {}, false, {}}).second;
  MR_REQUIRE(fresh && !undelivered_.contains(request), "request {} was used twice", request.value);
}

Auditor::Added Auditor::take_added(const shard::Effects& effects) {
  const shard::Batch& batch = effects.batch;
  return {since(batch.items, seen_.items),         since(batch.log, seen_.log),
          since(batch.drops, seen_.drops),         since(batch.dedup, seen_.dedup),
          since(batch.documents, seen_.documents), since(batch.audit, seen_.audit),
          since(batch.events, seen_.events),       since(batch.event_drops, seen_.event_drops),
          since(effects.answers, seen_.answers)};
}

Auditor::Request* Auditor::deciding(const Call& call) {
  if (call.request.value == 0 || call.wants_facts) return nullptr;
  const auto found = requests_.find(call.request);
  MR_REQUIRE(found != requests_.end() && !found->second.executed, "request {} was executed twice", call.request.value);
  return &found->second;
}

void Auditor::keep_named(const shard::Command* command) {
  named_.clear();
  named_queue_.reset();
  if (command == nullptr) return;
  const auto keep = [&](const queue::QueueKey& queue, ItemId id) {
    named_queue_ = queue;
    if (const Item* item = applied_.find(queue, id)) named_.try_emplace(id, 1, *item);
  };
  if (const auto* c = std::get_if<shard::Touch>(command)) keep(c->queue, c->holder.item);
  if (const auto* c = std::get_if<shard::Reset>(command)) keep(c->queue, c->item);
  if (const auto* c = std::get_if<shard::Cancel>(command)) keep(c->queue, c->item);
  if (const auto* c = std::get_if<shard::Release>(command)) keep(c->queue, c->item);
  if (const auto* c = std::get_if<shard::Settle>(command)) {
    for (const shard::Outcome& outcome : c->outcomes) keep(c->queue, outcome.holder.item);
  }
}

const std::vector<Item>* Auditor::states_of(ItemId id) const {
  const auto found = named_.find(id);
  return found == named_.end() ? nullptr : &found->second;
}

void Auditor::observed(const Call& call, const shard::Effects& effects, Time next_tick) {
  now_ = std::max(now_, call.now);
  const Added added = take_added(effects);
  Request* request = deciding(call);
  const shard::Command* command = request ? &request->command : nullptr;
  two_phases_ = command && call.timers_due;
  keep_named(command);
  check_new_items(added, command);
  check_parking(added);
  const auto* pause = command ? std::get_if<shard::SetPaused>(command) : nullptr;
  if (pause) pauses_.push_back({pause->queue, pause->bus, pause->paused});
  // With timers first, leases of both moments are legal: resumed before, paused after.
  if (pause && (!two_phases_ || !pause->paused)) applied_.set_paused(pauses_.back());
  check_log(added, command);
  if (pause) applied_.set_paused(pauses_.back());
  check_writes(added, command);
  check_drops(added, command);
  check_documents(added, command);
  check_audit(added, command);
  check_events(call, added, command);
  if (request) {
    request->executed = true;
    judge_outcomes(*request);
    if (const shard::Claim* claim = claim_of(*command)) {
      request->deadline = now_ + (claim->wait > Millis(0) ? claim->wait : kSearchMax);
    }
  }
  watch_searches();
  check_dedup(added, command);
  check_answers(call, added);
  // Only now: the answers are judged by the keys that were known before.
  for (const shard::DedupRecord& row : added.dedup) applied_.dedup.insert_or_assign(row.key, row);
  check_timers(call, next_tick);
  check_waiters(next_tick);
}

void Auditor::sealed() {
  sealed_pauses_.push_back(std::move(pauses_));
  pauses_.clear();
  seen_ = {};
}

void Auditor::committed(const shard::Batch& batch) {
  MR_REQUIRE(!sealed_pauses_.empty(), "a commit without a sealed group");
  MR_REQUIRE(batch.empty() || batch.shard == shard_, "a batch of another shard");
  committed_.commit(batch);
  commit_events(batch);
  for (const shard::WorkerDrop& drop : batch.worker_drops) check_forgotten(drop);
  for (const Pause& pause : sealed_pauses_.front()) committed_.set_paused(pause);
  sealed_pauses_.pop_front();
  check_counters();
}

void Auditor::abandoned(RequestId request) { requests_.erase(request); }

bool Auditor::is_waiting(RequestId request) const {
  const auto found = requests_.find(request);
  return found != requests_.end() && found->second.executed;
}

std::vector<RequestId> Auditor::waiting() const {
  std::vector<RequestId> all;
  for (const auto& [id, request] : requests_) {
    if (request.executed && claim_of(request.command)) all.push_back(id);
  }
  return all;
}

void Auditor::reloaded(const shard::ShardState& state, Time now) {
  MR_REQUIRE(state.last_commit >= committed_.latest, "the loaded state is of {}, a record is of {}",
             describe(state.last_commit), describe(committed_.latest));
  now_ = std::max(now, state.last_commit);
  applied_ = committed_;
  requests_.clear();
  undelivered_.clear();
  parked_.clear();
  find_parked_members();
  pauses_.clear();
  sealed_pauses_.clear();
  seen_ = {};
  // `committed_` keeps no floors, so that only leases loaded just now get one.
  for (auto& [queue, items] : applied_.queues) {
    for (auto& [id, item] : items) {
      if (item.record.status == queue::Status::processing) item.lease_floor = now_ + options_.lease_grace;
    }
  }
}

void Auditor::check_timers(const Call& call, Time next_tick) const {
  for (const auto& [queue, items] : applied_.queues) {
    for (const auto& [id, item] : items) {
      if (item.record.status != queue::Status::processing) continue;
      MR_REQUIRE(next_tick <= item.lease_end(), "{}: the next tick at {} is after its lease ends",
                 describe(item.record), describe(next_tick));
      MR_REQUIRE(call.request.value != 0 || item.lease_end() > now_, "{}: the tick at {} left a lease that ran out",
                 describe(item.record), describe(now_));
    }
  }
  MR_REQUIRE(call.request.value != 0 || next_tick > now_, "after the tick at {} the next one is at {}", describe(now_),
             describe(next_tick));
}

void Auditor::check_waiters(Time next_tick) const {
  for (const auto& [id, request] : requests_) {
    const shard::Claim* claim = request.executed ? claim_of(request.command) : nullptr;
    if (claim == nullptr) continue;
    if (request.deadline <= now_) continue;  // the next tick answers it
    MR_REQUIRE(next_tick <= request.deadline, "the next tick at {} is after the wait of r{} ends at {}",
               describe(next_tick), id.value, describe(request.deadline));
    for (const Candidate& candidate : candidates(applied_, claim->queue)) {
      const queue::ItemRecord& record = candidate.item->record;
      if (!candidate.expected || !has_any_tag(record, claim->tags)) continue;
      MR_REQUIRE(record.due > now_, "r{} waits although {} is ready at {}", id.value, describe(record), describe(now_));
      MR_REQUIRE(next_tick <= record.due, "the next tick at {} is after {} gets ready for r{}", describe(next_tick),
                 describe(record), id.value);
    }
  }
}

}  // namespace millrace::simulation
