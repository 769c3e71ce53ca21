// What a shard wants written: plain data, one Batch per shard in a group commit. A store applies a
// Batch whole or not at all, and in the order of its vectors: where one item is written twice, the
// last write stands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "event/event.h"
#include "queue/item.h"

namespace millrace::shard {

// What the store holds of an item before this write; lets a store mend its indexes without reading.
struct PriorItem {
  queue::Placement placement;
  queue::Status status;
  Time parked_at;  // of a parked item
  Time updated;    // of a done item; not kept in memory for the others
};

struct ItemWrite {
  queue::ItemRecord record;
  std::shared_ptr<const queue::Body> body;  // set when the item is new, null after
  std::optional<PriorItem> prior;           // nullopt when the item is new
};

// A terminal item past its retention: it goes with its body, log and index entries.
struct ItemDrop {
  queue::ItemRecord record;
};

struct LogWrite {
  queue::QueueKey queue;
  queue::LogEntry entry;
};

// An event in the log: written once, never changed. Shared by the Batch, the answer and whoever follows the log.
using EventPtr = std::shared_ptr<const event::Record>;

// An event past its time: it goes with its index entries. To drop one again changes nothing.
struct EventDrop {
  TenantId tenant;
  Position position;
  event::Header header;  // names the index entries
};

// Deduplication: (tenant, kind, key) -> what it made. A row past `expires` counts as absent.
// The numbers are stored.
enum class DedupKind : std::uint8_t {
  idempotency_key = 0,
  event_id = 1,
  source_and_id = 2,
  deduplication_id = 3,
  request_id = 4,
  job_id = 5,
};
struct DedupKey {
  TenantId tenant;
  DedupKind kind = DedupKind::idempotency_key;
  std::string key;

  auto operator<=>(const DedupKey&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const DedupKey& k) {
    return H::combine(std::move(h), k.tenant, k.kind, k.key);
  }
};
struct DedupRecord {
  DedupKey key;
  std::uint64_t made = 0;  // the number of what it made: an item's id, an event's position
  // Tells a repeat from another request: the SHA-256 of the request; of an event, its source.
  std::string fingerprint;
  Time expires{};
};

// A tenant's numbers; written whole whenever one of them changed. Counts are by queue.
struct QueueCounts {
  std::string queue;
  std::array<std::uint64_t, queue::kStatuses> by_status{};
};
struct TenantCounters {
  TenantId tenant;
  std::uint64_t last_item = 0;
  std::uint64_t last_log = 0;
  std::uint64_t last_position = 0;
  std::uint64_t last_audit = 0;
  std::string audit_hash;  // of entry last_audit; "" before the first
  std::uint64_t last_tsid = 0;
  std::uint64_t last_removed = 0;  // the highest version of a document that was removed
  std::vector<QueueCounts> queues;
};

// A catalog document: tenants, keys, paused routes, later event types, subscriptions, rules. `key` is
// unique for (kind) in its shard; the body is JSON.
struct Document {
  std::string kind;
  std::string key;
  TenantId tenant;
  // +1 a change. At creation 1, or above that of any document of the tenant that was removed: a version that somebody
  // still holds never means another document.
  std::uint64_t version = 0;
  std::string body;
  Time updated{};
};
struct DocumentWrite {
  Document document;
  bool removed = false;
};

// An entry of a tenant's append-only, hash-chained audit log. The chain covers a digest of `values`,
// not the values, so that personal data can be erased without breaking it.
struct AuditRecord {
  TenantId tenant;
  AuditSeq seq;
  Time time{};
  std::string actor;        // "key:<id>", "cli", "system"
  std::string action;       // "millrace.key.created"
  std::string entity_type;  // "millrace.key"
  std::string entity_id;
  std::string correlation_id;
  std::string values;         // JSON; "" once erased
  std::string values_digest;  // SHA-256 of the values as first written, raw
  std::string previous_hash;  // raw, "" for the first
  std::string hash;           // raw SHA-256 over previous_hash and every field above but `values`
};
// The hash of a record whose other fields are set.
std::string audit_hash(const AuditRecord& record);

// A worker's latest sign of life; written now and then, not with each of its calls.
struct WorkerRecord {
  queue::QueueKey queue;
  std::string worker;
  Time last_seen{};
};

// One that was not seen for long and holds nothing; its row goes, if there is one.
struct WorkerDrop {
  queue::QueueKey queue;
  std::string worker;
};

struct Batch {
  ShardId shard;
  std::vector<ItemWrite> items;
  std::vector<ItemDrop> drops;
  std::vector<LogWrite> log;
  std::vector<DedupRecord> dedup;
  std::vector<TenantCounters> counters;
  std::vector<DocumentWrite> documents;
  std::vector<AuditRecord> audit;
  std::vector<WorkerRecord> workers;
  std::vector<WorkerDrop> worker_drops;
  std::vector<EventPtr> events;  // appended, by position
  std::vector<EventDrop> event_drops;

  bool empty() const {
    return items.empty() && drops.empty() && log.empty() && dedup.empty() && counters.empty() && documents.empty() &&
           audit.empty() && workers.empty() && worker_drops.empty() && events.empty() && event_drops.empty();
  }
};

// An ordered group some of whose members are parked: queue::keeps_order() of their records.
struct ParkedGroup {
  queue::QueueKey queue;
  queue::GroupKey group;
  ItemId first;  // the lowest and the highest id of them
  ItemId last;
  Time parked_at{};  // the earliest of theirs
};

// All that a shard needs to go on where its last commit left it.
struct ShardState {
  ShardId shard;
  std::vector<queue::ItemRecord> live;
  bool has_parked = false;
  std::vector<TenantCounters> counters;
  std::vector<Document> documents;
  std::vector<WorkerRecord> workers;
  Time last_commit{};                           // the latest time of any record; `now` never goes back behind it
  std::vector<ParkedGroup> parked_groups = {};  // in no particular order
};

}  // namespace millrace::shard
