// A shard with a store that never fails, for unit tests of its decisions: facts come at once, every
// effect is committed before the next command.
#pragma once

#include <absl/container/btree_map.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "queue/groups.h"
#include "shard/shard.h"

namespace millrace::shard {

class ShardUnderTest {
 public:
  explicit ShardUnderTest(ShardOptions options = {}) : options_(options) { reload(); }

  // The answer, or nullopt where a claim waits.
  std::optional<Reply> run(Command command) { return run_as(RequestId{++last_request_}, std::move(command)); }

  std::optional<Reply> run_as(RequestId request, Command command) {
    auto need = shard_->execute(request, command, nullptr, now, effects_);
    while (need) {
      commit();
      const Facts facts = read(*need);
      need = shard_->execute(request, command, &facts, now, effects_);
    }
    commit();
    return take(request);
  }

  template <class T>
  T expect(Command command) {
    auto reply = run(std::move(command));
    if (!reply || !std::holds_alternative<T>(*reply)) {
      const auto* error = reply ? std::get_if<Error>(&*reply) : nullptr;
      throw std::runtime_error(error != nullptr ? "error: " + error->detail : "another kind of answer");
    }
    return std::get<T>(std::move(*reply));
  }

  void advance(Millis by) {
    now += by;
    shard_->tick(now, effects_);
    commit();
  }

  // Parked items are read as ever, and reach the shard with release_refill().
  void hold_refill() { holds_refill_ = true; }
  void release_refill() {
    holds_refill_ = false;
    if (auto held = std::exchange(held_refill_, std::nullopt)) bring_back(std::move(*held));
  }

  // Parked items can't be read.
  void fail_refills(bool fails) { fails_refills_ = fails; }

  // An answer that came later.
  std::optional<Reply> take(RequestId request) {
    const auto found = answers_.find(request);
    if (found == answers_.end()) return std::nullopt;
    Reply reply = std::move(found->second);
    answers_.erase(found);
    return reply;
  }

  // As after a crash: only what was committed is left.
  void reload() {
    ShardState state;
    for (const auto& [ref, item] : items) {
      if (item.placement == queue::Placement::live) state.live.push_back(item);
      if (item.placement != queue::Placement::parked) continue;
      state.has_parked = true;
      if (queue::keeps_order(item)) note_parked(state.parked_groups, item);
    }
    for (const auto& [tenant, each] : counters) state.counters.push_back(each);
    for (const auto& [key, document] : documents) state.documents.push_back(document);
    for (const auto& [key, worker] : workers) state.workers.push_back(worker);
    held_refill_.reset();
    shard_ = std::make_unique<Shard>(std::move(state), Epoch{++epoch_}, options_, now);
  }

  RequestId last_request() const { return RequestId{last_request_}; }
  Shard& shard() { return *shard_; }

  Time now = time_from_ms(1'750'000'000'000);
  std::map<ItemRef, queue::ItemRecord> items;
  std::map<ItemRef, std::vector<queue::LogEntry>> logs;
  std::map<DedupKey, DedupRecord> dedup;
  std::map<TenantId, TenantCounters> counters;
  std::map<std::pair<std::string, std::string>, Document> documents;
  std::vector<AuditRecord> audit;
  std::map<std::pair<queue::QueueKey, std::string>, WorkerRecord> workers;
  std::map<std::pair<TenantId, Position>, EventPtr> events;
  std::size_t writes = 0;   // batches that were not empty
  std::size_t refills = 0;  // reads of parked items

 private:
  static void note_parked(std::vector<ParkedGroup>& groups, const queue::ItemRecord& item) {
    const auto same = [&](const ParkedGroup& g) { return g.queue == item.lane->queue && g.group == *item.group; };
    const auto found = std::ranges::find_if(groups, same);
    if (found == groups.end()) {
      groups.push_back({item.lane->queue, *item.group, item.id, item.id, item.parked_at});
    } else {
      found->last = item.id;
    }
  }

  void commit() {
    shard_->seal(effects_);
    if (!effects_.batch.empty()) ++writes;
    for (const ItemWrite& write : effects_.batch.items) {
      items[{write.record.lane->queue, write.record.id}] = write.record;
    }
    for (const ItemDrop& drop : effects_.batch.drops) items.erase({drop.record.lane->queue, drop.record.id});
    for (const LogWrite& write : effects_.batch.log) logs[{write.queue, write.entry.item}].push_back(write.entry);
    for (const DedupRecord& record : effects_.batch.dedup) dedup.insert_or_assign(record.key, record);
    for (const TenantCounters& each : effects_.batch.counters) counters.insert_or_assign(each.tenant, each);
    for (const DocumentWrite& write : effects_.batch.documents) {
      const auto key = std::pair(write.document.kind, write.document.key);
      documents.erase(key);
      if (!write.removed) documents.emplace(key, write.document);
    }
    audit.insert(audit.end(), effects_.batch.audit.begin(), effects_.batch.audit.end());
    for (const WorkerRecord& record : effects_.batch.workers) {
      workers.insert_or_assign({record.queue, record.worker}, record);
    }
    for (const WorkerDrop& drop : effects_.batch.worker_drops) workers.erase({drop.queue, drop.worker});
    for (const EventPtr& event : effects_.batch.events) {
      events.emplace(std::pair(event->tenant, event->position), event);
    }
    for (const EventDrop& drop : effects_.batch.event_drops) events.erase({drop.tenant, drop.position});
    for (Answer& answer : effects_.answers) answers_.emplace(answer.request, std::move(answer.reply));
    const auto refill = effects_.refill;
    effects_ = {};
    if (!refill) return;
    held_refill_ = read(*refill);
    if (!holds_refill_) release_refill();
  }

  Refill read(const RefillWish& wish) {
    ++refills;
    Refill rows{.rows = {}, .from = wish.from, .complete = !fails_refills_};
    if (fails_refills_) return rows;
    for (const auto& [ref, item] : items) {
      if (item.placement == queue::Placement::parked && item.parked_at >= wish.from) rows.rows.push_back(item);
    }
    std::ranges::sort(rows.rows, {}, [](const auto& row) { return std::pair(row.parked_at, row.id); });
    if (rows.rows.size() > wish.limit) {
      rows.rows.resize(wish.limit);
      rows.complete = false;
    }
    return rows;
  }

  void bring_back(Refill rows) {
    Command command = std::move(rows);
    shard_->execute(RequestId{1'000'000 + ++last_request_}, command, nullptr, now, effects_);
    commit();
  }

  Facts read(const Need& need) const {
    Facts facts;
    for (const ItemRef& ref : need.items) {
      const auto found = items.find(ref);
      if (found == items.end()) {
        facts.items.emplace_back();
        continue;
      }
      const auto log = logs.find(ref);
      facts.items.emplace_back(
          ItemHistory{found->second, log == logs.end() ? std::vector<queue::LogEntry>{} : log->second});
    }
    for (const DedupKey& key : need.dedup) {
      const auto found = dedup.find(key);
      facts.dedup.push_back(found == dedup.end() ? std::nullopt : std::optional(found->second));
    }
    return facts;
  }

  ShardOptions options_;
  std::uint64_t epoch_ = 0;
  std::uint64_t last_request_ = 0;
  std::unique_ptr<Shard> shard_;
  Effects effects_;
  bool holds_refill_ = false;
  bool fails_refills_ = false;
  std::optional<Refill> held_refill_;
  std::map<RequestId, Reply> answers_;
};

// ---- short ways to say things -------------------------------------------------------------------

inline const queue::QueueKey& test_queue() {
  static const queue::QueueKey queue{TenantId::default_tenant(), "events"};
  return queue;
}

inline NewItem new_item(std::vector<std::string> tags) {
  NewItem item;
  item.tags = std::move(tags);
  item.body = std::make_shared<queue::Body>(queue::Body{"title", std::nullopt, "", "null", {}});
  return item;
}

inline ItemId add(ShardUnderTest& shard, NewItem item) {
  Create create{test_queue(), {}};
  create.items.push_back(std::move(item));
  return shard.expect<Created>(std::move(create)).items.at(0).id;
}

inline Claim claim_of(std::vector<std::string> tags, std::string worker = "w:1", std::size_t limit = 1) {
  return {.queue = test_queue(), .tags = std::move(tags), .worker = std::move(worker), .limit = limit};
}

inline std::vector<queue::ItemRecord> take_items(ShardUnderTest& shard, Claim claim) {
  return shard.expect<Claimed>(std::move(claim)).items;
}

inline Settle settle_of(ItemId id, bool success, std::string worker = "w:1") {
  Settle settle{test_queue(), {}, std::nullopt};
  settle.outcomes.push_back({.holder = {.item = id, .worker = std::move(worker)}, .success = success});
  return settle;
}

inline Result<OutcomeRecorded> settle(ShardUnderTest& shard, Settle command) {
  return shard.expect<Settled>(std::move(command)).outcomes.at(0);
}

}  // namespace millrace::shard
