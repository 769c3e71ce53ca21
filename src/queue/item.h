// Work items as they are stored and passed on: plain data, no behaviour. Shared pointers are to
// immutable values that many items have in common (a lane, a worker's name), so that a record is
// cheap to copy between the shard, the commit and the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "queue/retry.h"

namespace millrace::queue {

// The numbers are stored. docs/state-machines.md has the transitions.
enum class Status : std::uint8_t { pending = 0, processing = 1, completed = 2, failed = 3, cancelled = 4 };
inline constexpr std::size_t kStatuses = 5;
constexpr bool is_terminal(Status s) { return s >= Status::completed; }

// Where the item is. live: in the owner's memory and in the store. parked: waiting, in the store only,
// because memory is bounded. done: terminal, in the store only. The numbers are stored.
enum class Placement : std::uint8_t { live = 0, parked = 1, done = 2 };

// What a failed item does to the later items of its group (S3.15). The numbers are stored.
enum class GroupMode : std::uint8_t {
  immediate = 0,       // no order at all
  next_on_error = 1,   // in order; one that failed is set aside and the next goes
  block_on_error = 2,  // in order; the group waits until the failed one succeeds, is cancelled or ignored
};

// A queue of one tenant. "events" is the queue of the S4 API.
struct QueueKey {
  TenantId tenant;
  std::string name;

  auto operator<=>(const QueueKey&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const QueueKey& k) {
    return H::combine(std::move(h), k.tenant, k.name);
  }
};

// What makes items interchangeable for a claim: they differ only in priority, due time and id.
struct LaneKey {
  QueueKey queue;
  std::string bus;                // of the route that made the item; "default" for the queue API
  std::vector<std::string> tags;  // sorted, no duplicates

  bool operator==(const LaneKey&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const LaneKey& k) {
    return H::combine(std::move(h), k.queue, k.bus, k.tags);
  }
};

struct GroupKey {
  std::string name;  // unique in its queue
  GroupMode mode = GroupMode::immediate;
  bool operator==(const GroupKey&) const = default;
};

// Written once when the item is accepted; the engine never looks inside.
struct Body {
  std::string title;
  std::optional<std::string> description;
  std::string tags;     // as the API shows them: comma separated, in the sender's order
  std::string payload;  // compact JSON, "null" if there is none
  Time created;

  bool operator==(const Body&) const = default;
};

struct Lease {
  LeaseToken token;  // 0 = nobody holds the item
  Time until{};
  std::shared_ptr<const std::string> worker;
};

struct ItemRecord {
  // Fixed at creation.
  std::shared_ptr<const LaneKey> lane;
  std::shared_ptr<const GroupKey> group;  // null = no group
  ItemId id;
  RetryPolicy retry;
  std::int32_t priority = 0;      // higher first
  std::uint32_t max_retries = 3;  // as sent; tries_allowed() gives its meaning

  // Changes with each transition.
  Status status = Status::pending;
  Placement placement = Placement::live;
  bool retry_wait = false;        // due is a next_retry_at
  std::uint32_t retry_count = 0;  // failed tries since creation or reset
  std::uint32_t attempt = 0;      // leases given so far; never goes back
  Time due{};
  Time updated{};
  // Where it is among the parked items; unset where it is not one. Its due time, or of one that takes its turn in a
  // group, when it was created: these are read in the order of their ids, whenever each is due.
  Time parked_at{};
  Lease lease;

  // A FAILED item of a block_on_error group stays live: its group waits for it.
  bool blocks_group() const { return status == Status::failed && placement == Placement::live; }
};

// retry_count counts failed tries and the one that reaches this number is the last; 0 and 1 both
// mean a single try.
constexpr std::uint32_t tries_allowed(std::uint32_t max_retries) { return max_retries == 0 ? 1 : max_retries; }

// The numbers are stored; the names are what the API and SQL show.
enum class Action : std::uint8_t {
  picked = 0,
  started = 1,
  completed = 2,
  failed = 3,
  timed_out = 4,
  reset = 5,
  released = 6,  // given back unworked; not a try
  cancelled = 7,
};
std::string_view action_name(Action action);
std::string_view status_name(Status status);
std::optional<Status> parse_status(std::string_view name);
std::optional<Action> parse_action(std::string_view name);

// One entry of an item's history. It holds all that the API answered, so that a repeat can be
// answered the same.
struct LogEntry {
  LogId id;
  ItemId item;
  Action action = Action::picked;
  std::uint32_t attempt = 0;
  LeaseToken token;
  std::string worker;  // "" where none took part (a reset)
  Time created{};
  std::optional<std::int64_t> status_code;
  std::optional<std::int64_t> execution_time_ms;
  std::optional<std::string> error_message;
  std::optional<std::string> reason;
  std::optional<Time> next_retry_at;  // failed, timed_out: absent = that was the last try
  std::uint32_t retry_count = 0;      // after this entry

  bool operator==(const LogEntry&) const = default;
};

}  // namespace millrace::queue
