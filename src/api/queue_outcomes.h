// Bodies by which workers say how it went: start, heartbeat, complete, fail, settle (S4.4 to S4.7, S4.16). Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/queue_settings.h"
#include "base/result.h"
#include "json/value.h"
#include "shard/command.h"

namespace millrace::api {

// The body of start and heartbeat, and the part of complete and fail that says which lease.
Result<shard::Holder> read_holder(json::Value body, ItemId item);

enum class Verdict { complete, fail };
// The body of complete and fail.
Result<shard::Outcome> read_outcome(json::Value body, ItemId item, Verdict verdict);

// POST /events/settle: a bare array, or an object with `settle`, `worker_id` and `claim`.
struct SettleRequest {
  std::vector<shard::Outcome> outcomes;
  std::optional<shard::Claim> claim;
};
Result<SettleRequest> read_settle(json::Value body, const queue::QueueKey& queue, const QueueSettings& settings);

// The id in a path. Nullopt for what is no id at all ("0", "-1", "1e3", "007", "abc", 2^53): nothing has it.
std::optional<ItemId> parse_item_id(std::string_view text);

}  // namespace millrace::api
