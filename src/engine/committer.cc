#include "engine/committer.h"

#include <utility>

#include "base/log.h"

namespace millrace::engine {
namespace {

constexpr Millis kSweepEvery = std::chrono::seconds(10);
constexpr std::size_t kSweepBudget = 2000;  // rows a call: a few milliseconds between two commits
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

Committer::Committer(store::Store& store, const Clock& clock, Inbox& inbox, Hooks hooks)
    : store_(store), clock_(clock), inbox_(inbox), hooks_(std::move(hooks)) {}

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
    finish(std::move(persisted), std::move(group));
  } else {
    room_.acquire();
    unfinished_.fetch_add(1);
    finisher_->run([this, persisted = std::move(persisted), group = std::move(group)]() mutable {
      finish(std::move(persisted), std::move(group));
      unfinished_.fetch_sub(1);
      room_.release();
    });
  }
  sweep();
  return std::nullopt;
}

void Committer::finish(std::unique_ptr<store::Store::Persisted> persisted, Group group) {
  try {
    if (persisted) store_.apply(*persisted);
  } catch (const std::exception& error) {
    return inbox_.put(fail(group, error));
  }
  hooks_.durable(group);
  inbox_.put(CommitDone{group.number});
  const auto deliver = [&] {
    for (Delivery& delivery : group.deliveries) hooks_.deliver(std::move(delivery));
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

void Committer::sweep() {
  const Time now = clock_.now();
  if (now - last_sweep_ < kSweepEvery) return;
  last_sweep_ = now;
  try {
    store_.sweep(now, kSweepBudget);
  } catch (const std::exception& error) {
    // Nothing depends on it: what is swept is already invisible.
    spdlog::warn(R"("msg":"sweep failed","why":{})", quoted(error.what()));
  }
}

}  // namespace millrace::engine
