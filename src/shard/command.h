// What can be asked of a shard, and what it answers: plain data. A command carries everything that
// its decision depends on besides the shard's own state, `now` and the facts it asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "event/event.h"
#include "queue/item.h"
#include "shard/batch.h"
#include "shard/facts.h"

namespace millrace::shard {

// ---- work items -------------------------------------------------------------------------------

struct NewItem {
  std::string bus = "default";
  std::vector<std::string> tags;  // sorted, no duplicates
  std::optional<queue::GroupKey> group;
  std::int32_t priority = 0;
  std::uint32_t max_retries = 3;
  queue::RetryPolicy retry;
  std::optional<Time> run_at;         // absent: now
  std::shared_ptr<queue::Body> body;  // the shard sets `created`, then it is shared and constant
  std::optional<std::string> idempotency_key;
  std::string fingerprint;                    // of the request; REQUIRED with a key
  std::string key_field = "idempotency_key";  // how a refusal names the key's field
};

// All items or none. Answer: Created.
struct Create {
  queue::QueueKey queue;
  std::vector<NewItem> items;
};

// Leases up to `limit` ready items that have ANY of the tags: higher priority first, then earlier due,
// then lower id. With none ready and wait > 0 the answer is held until one is, or the wait is over; without wait, until
// what may be parked for it has been looked through. Answer: Claimed, possibly empty. Errc: unavailable (only without
// wait) where that can't be read or takes too long.
struct Claim {
  queue::QueueKey queue;
  std::vector<std::string> tags;
  std::string worker;
  std::size_t limit = 1;
  Millis wait{0};
  Millis lease{30'000};
};

// Which lease a call is about. Without attempt and token: the worker's latest.
struct Holder {
  ItemId item;
  std::string worker;
  std::optional<std::uint32_t> attempt;
  std::optional<LeaseToken> token;
};

// The holder is at work: extends its lease; `start` also writes STARTED, once an attempt.
// Answer: Touched. Errc: not_found, conflict (names the holder).
struct Touch {
  enum class Kind { start, heartbeat };
  queue::QueueKey queue;
  Holder holder;
  Kind kind = Kind::start;
  Millis lease{30'000};
};

struct Outcome {
  Holder holder;
  bool success = true;
  std::optional<std::int64_t> status_code;
  std::optional<std::int64_t> execution_time_ms;
  std::optional<std::string> error_message;
};

// Ends leases: each outcome is decided on its own, in order; then the claim, if there is one, which may hold the
// answer. A repeat of a recorded outcome gets the recorded answer. Answer: Settled.
struct Settle {
  queue::QueueKey queue;
  std::vector<Outcome> outcomes;
  std::optional<Claim> claim;
};

// PROCESSING -> PENDING; FAILED -> PENDING with retry_count 0; waiting PENDING -> due now.
// Answer: Recorded. Errc: not_found, conflict (COMPLETED, CANCELLED).
struct Reset {
  queue::QueueKey queue;
  ItemId item;
  std::string reason;
};

// Ends an item on purpose, keeping the reason; frees a group that waits for it.
// Answer: Recorded. Errc: not_found, conflict (COMPLETED).
struct Cancel {
  queue::QueueKey queue;
  ItemId item;
  std::string reason;
};

// Gives a leased item back unworked (its claimer went away before the answer). Not a try.
// Answer: Ack, also if the lease is gone.
struct Release {
  queue::QueueKey queue;
  ItemId item;
  LeaseToken token;
};

// Stops or resumes leasing of the items that a bus brought to a queue. Stored. Answer: Ack.
struct SetPaused {
  queue::QueueKey queue;
  std::string bus;
  bool paused = true;
};

// Drops done items last updated before `before`; one named twice once. Answer: Expired.
struct Expire {
  std::vector<ItemRef> items;
  Time before;
};

// Parked items read from the store, in answer to Effects::refill. Answer: Ack.
struct Refill {
  std::vector<queue::ItemRecord> rows;
  Time from;
  bool complete = false;  // there are no parked items after these
};

// Ends a held claim early: the caller went away or the server drains. It is answered empty.
struct EndWait {
  RequestId request;
};

// ---- the event log ----------------------------------------------------------------------------

struct NewEvent {
  event::Header header;
  std::shared_ptr<const std::string> rest;
  std::optional<std::string> deduplication_id;
  // What makes it a repeat besides the deduplication_id. `made`: nothing, its id was drawn on the way in.
  enum class Identity { event_id, source_and_id, made };
  Identity identity = Identity::event_id;
};

// Appends to the tenant's log, all events in their order or none. A repeat (S2.2, S3.3) stores nothing; also one
// of an earlier event of the same call. Answer: Appended. Errc: invalid where a text holds a NUL.
struct AppendEvents {
  TenantId tenant;
  std::vector<NewEvent> events;
};

// Drops events that are past their time at `now`, or were received before `received_before`. They are as the
// store listed them, `rest` left out. Answer: Expired.
struct ExpireEvents {
  std::vector<event::Record> events;
  std::optional<Time> received_before;
};

// ---- questions that only memory can answer ----------------------------------------------------

// By id, those above `after`. Answer: Workers.
struct ListWorkers {
  queue::QueueKey queue;
  std::string after = {};
  std::size_t limit = 1000;
};
struct ListLeased {
  queue::QueueKey queue;
};
struct CountItems {
  queue::QueueKey queue;
};

// ---- the catalog ------------------------------------------------------------------------------

// Who changed something, for the audit log. The action's name is "<entity_type>.<created|updated|removed>".
struct AuditNote {
  TenantId tenant;
  std::string actor;
  std::string entity_type;
  std::string entity_id;
  std::string correlation_id;
  std::string values;  // JSON without secrets
};

// Answer: Document. Errc: stale_version where `expected_version` (0 = must not exist) is not the present one.
struct PutDocument {
  std::string kind;
  std::string key;
  TenantId tenant;
  std::string body;
  std::optional<std::uint64_t> expected_version;
  AuditNote audit;
};
// All of them or, where one is refused, none. Answer: Documents, in the same order. Errc: stale_version, which names
// every document whose version is another; conflict where one comes twice.
struct PutDocuments {
  std::vector<PutDocument> documents;
};
// Answer: Ack. Errc: not_found, stale_version.
struct RemoveDocument {
  std::string kind;
  std::string key;
  std::optional<std::uint64_t> expected_version;
  AuditNote audit;
};

using Command =
    std::variant<Create, Claim, Touch, Settle, Reset, Cancel, Release, SetPaused, Expire, Refill, EndWait, ListWorkers,
                 ListLeased, CountItems, PutDocument, PutDocuments, RemoveDocument, AppendEvents, ExpireEvents>;

// ---- answers ----------------------------------------------------------------------------------

struct CreatedItem {
  ItemId id;
  bool existing = false;                    // the idempotency key made it before; read it from the store
  queue::ItemRecord record;                 // unless existing
  std::shared_ptr<const queue::Body> body;  // unless existing
};
struct Created {
  std::vector<CreatedItem> items;
};
struct Claimed {
  std::vector<queue::ItemRecord> items;  // leased to the caller; bodies are read apart
};
struct Touched {
  ItemId item;
  std::string worker;
  std::uint32_t attempt = 0;
  Time at{};
  Time lease_until{};
};
struct OutcomeRecorded {
  queue::LogEntry entry;
  std::uint32_t max_retries = 0;
  bool repeated = false;
};
struct Settled {
  std::vector<Result<OutcomeRecorded>> outcomes;
  std::vector<queue::ItemRecord> claimed;
};
struct Recorded {
  queue::LogEntry entry;
};
struct Ack {};
struct Expired {
  std::size_t dropped = 0;
};
struct WorkerState {
  std::string worker;
  Time last_seen{};  // now, while a claim of it waits
  std::uint32_t held = 0;
};
struct Workers {
  std::vector<WorkerState> workers;
  bool more = false;
  Time now{};
};
struct Leased {
  std::vector<ItemId> items;  // highest first
};
struct Counts {
  std::array<std::uint64_t, queue::kStatuses> by_status{};
};

struct AppendedEvent {
  Position position;
  bool duplicate = false;  // of the event at `position`, which may be past its time by now: read it from the store
  EventPtr record;         // null for a duplicate
};
struct Appended {
  std::vector<AppendedEvent> events;
};

struct Documents {
  std::vector<Document> documents;
};

using Reply = std::variant<Error, Created, Claimed, Touched, Settled, Recorded, Ack, Expired, Workers, Leased, Counts,
                           Document, Documents, Appended>;

}  // namespace millrace::shard
