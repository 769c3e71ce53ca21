// What a shard's writes add up to, kept by the auditor from the batches alone. Two of them run side by
// side: one of everything applied, one of everything committed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "queue/item.h"
#include "shard/batch.h"
#include "shard/facts.h"

namespace millrace::simulation {

struct Item {
  queue::ItemRecord record;
  std::shared_ptr<const queue::Body> body;
  std::vector<queue::LogEntry> log;
  bool tried = false;  // a try failed or timed out: its next_on_error group went on
  Time lease_floor{};  // a lease that was loaded ends no earlier

  Time lease_end() const { return std::max(record.lease.until, lease_floor); }
  void note(const queue::LogEntry& entry);
};

struct Pause {
  queue::QueueKey queue;
  std::string bus;
  bool paused;
};

// An event that was appended, and what makes another one its repeat.
struct KnownEvent {
  shard::EventPtr record;
  bool dropped = false;
  bool owns_id = true;  // when it came, no other event was known by its id
  Time id_until{};
  std::optional<std::string> deduplication_id = {};
  Time deduplication_until{};
};

struct View {
  std::map<queue::QueueKey, std::map<ItemId, Item>> queues;
  std::map<shard::DedupKey, shard::DedupRecord> dedup;
  std::map<std::pair<std::string, std::string>, shard::Document> documents;
  std::map<std::pair<std::string, std::string>, std::uint64_t> removed_versions;  // the highest of each document
  std::map<TenantId, shard::TenantCounters> counters;
  std::map<TenantId, std::vector<shard::AuditRecord>> audit;
  std::set<std::pair<queue::QueueKey, std::string>> paused;
  std::map<TenantId, std::vector<KnownEvent>> events;  // by position, from 1
  std::map<TenantId, ItemId> last_item;
  std::map<TenantId, LogId> last_log;
  Time latest{};  // the latest time that any record carries

  Item* find(const queue::QueueKey& queue, ItemId id);
  const Item* find(const queue::QueueKey& queue, ItemId id) const;
  bool is_paused(const queue::QueueKey& queue, const std::string& bus) const { return paused.contains({queue, bus}); }
  void set_paused(const Pause& pause);
  void write(const shard::DocumentWrite& write);

  // Applies a whole batch as a store would. Throws Violation where a write contradicts what is there:
  // a wrong `prior`, a new item without body, an entry of an unknown item, a wrong drop.
  void commit(const shard::Batch& batch);

 private:
  void write(const shard::ItemWrite& write);
  void drop(const shard::ItemDrop& drop);
  void append(const shard::LogWrite& write);
};

// Items by status, as TenantCounters tells them; queues without items are left out.
std::map<std::string, std::array<std::uint64_t, queue::kStatuses>> recount(const View& view, const TenantId& tenant);

}  // namespace millrace::simulation
