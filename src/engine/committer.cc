#include "engine/committer.h"

#include <utility>

#include "base/log.h"

namespace millrace::engine {
namespace {

constexpr std::chrono::seconds kSweepEvery(10);
constexpr std::size_t kSweepBudget = 1000;  // rows a call: a few milliseconds between two commits
constexpr Millis kSweepAgain(25);           // while there is more: 40,000 a second, more than callers add
// Written by a group that is finished where it was committed: as long as two changes of thread take.
constexpr std::size_t kSmallGroup = 100;

bool is_small(const Group& group) {
  std::size_t written = 0;
  for (const shard::Batch& batch : group.batches) {
    written += batch.items.size() + batch.events.size() + batch.drops.size() + batch.event_drops.size();
  }
  return written <= kSmallGroup;
}

}  // namespace

Committer::Committer(store::Store& store, Inbox& inbox, Hooks hooks)
    : store_(store), inbox_(inbox), hooks_(std::move(hooks)) {}

void Committer::stop() { finisher_.reset(); }

std::optional<CommitFailed> Committer::commit(Epoch epoch, Group group) {
  const auto started = std::chrono::steady_clock::now();
  std::unique_ptr<store::Store::Persisted> persisted;
  try {
    // Answers that change nothing are not checked by the store.
    if (!store_.owns()) throw store::StoreError(store::Fate::fenced, "this node no longer owns the shards");
    if (!group.batches.empty()) persisted = store_.persist(epoch, group.batches);
  } catch (const std::exception& error) {
    return fail(group, error);
  }
  if (!group.batches.empty()) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    last_seconds_.store(took.count(), std::memory_order_relaxed);
    commits_.fetch_add(1, std::memory_order_relaxed);
  }
  if (unfinished_.load() == 0 && is_small(group)) {
    finish_here(persisted.get(), group);
  } else {
    room_.acquire();
    unfinished_.fetch_add(1);
    finisher_->run([this, persisted = std::move(persisted), group = std::move(group)]() mutable {
      finish(persisted.get(), group);
      unfinished_.fetch_sub(1);
      room_.release();
    });
  }
  return std::nullopt;
}

// Whoever is told goes on while the group is made visible; reads wait for that. Not where it may take long.
void Committer::finish_here(store::Store::Persisted* persisted, Group& group) {
  if (persisted == nullptr || store_.congested()) return finish(persisted, group);
  store_.announce(*persisted);
  answer(group);
  if (make_visible(persisted, group)) inbox_.put(CommitDone{group.number});
}

void Committer::finish(store::Store::Persisted* persisted, Group& group) {
  if (!make_visible(persisted, group)) return;
  inbox_.put(CommitDone{group.number});
  answer(group);
}

bool Committer::make_visible(store::Store::Persisted* persisted, Group& group) {
  try {
    if (persisted != nullptr) store_.apply(*persisted);
    return true;
  } catch (const std::exception& error) {
    inbox_.put(fail(group, error));
    return false;
  }
}

void Committer::answer(Group& group) {
  hooks_.durable(group);
  const auto deliver = [&] {
    for (Delivery& delivery : group.deliveries) hooks_.deliver(std::move(delivery));
    group.deliveries.clear();
  };
  if (hooks_.around) {
    hooks_.around(deliver);
  } else {
    deliver();
  }
}

CommitFailed Committer::fail(Group& group, const std::exception& error) {
  const auto* known = dynamic_cast<const store::StoreError*>(&error);
  failures_.fetch_add(1, std::memory_order_relaxed);
  for (Delivery& delivery : group.deliveries) hooks_.refuse(std::move(delivery), error.what());
  return {known != nullptr ? known->fate() : store::Fate::broken, error.what()};
}

void Committer::wait_finished() {
  for (int i = 0; i < kUnfinishedMax; ++i) room_.acquire();
  room_.release(kUnfinishedMax);
}

void Committer::sweep_if_due(Time now) {
  const auto started = std::chrono::steady_clock::now();
  if (started < next_sweep_ || !store_.owns() || !store_.unwritable().empty()) return;
  next_sweep_ = started + kSweepEvery;
  try {
    if (store_.sweep(now, kSweepBudget) == kSweepBudget) next_sweep_ = std::chrono::steady_clock::now() + kSweepAgain;
  } catch (const std::exception& error) {
    // Nothing depends on it: what is swept is already invisible.
    spdlog::warn(R"("msg":"sweep failed","why":{})", quoted(error.what()));
  }
}

}  // namespace millrace::engine
