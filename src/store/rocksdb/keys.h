// The keys of tables.h: built from what they name, and taken apart again.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "queue/item.h"
#include "shard/batch.h"
#include "store/record_codec.h"

namespace millrace::store::rocks {

inline constexpr std::size_t kShardBytes = 2;  // that keys begin with

// Prefixes: every key of the thing starts with it, no other key does.
std::string shard_prefix(ShardId shard);
std::string tenant_prefix(ShardId shard, const TenantId& tenant);
std::string queue_prefix(ShardId shard, const queue::QueueKey& queue);
std::string status_prefix(ShardId shard, const queue::QueueKey& queue, queue::Status status);
std::string tag_prefix(ShardId shard, const queue::QueueKey& queue, std::string_view tag);

// Appends a name and its end. REQUIRES: no NUL in it.
void put_name(std::string& out, std::string_view name);

// Every item key ends with the id, so that byte order within its prefix is the order of ids.
std::string with_id(std::string prefix, ItemId id);
std::string item_key(ShardId shard, const queue::QueueKey& queue, ItemId id);
// The first possible key of the shard at `time` where no item is named.
std::string time_prefix(ShardId shard, Time time);
std::string timed_item_key(ShardId shard, Time time, const queue::QueueKey& queue, ItemId id);
std::string dedup_key(ShardId shard, const shard::DedupKey& key);
std::string expiry_prefix(Time expires);
// `row` is a dedup_key.
std::string dedup_expiry_key(Time expires, std::string_view row);
std::string counters_key(ShardId shard, const TenantId& tenant);
std::string document_key(ShardId shard, std::string_view kind, std::string_view key);
std::string audit_key(ShardId shard, const TenantId& tenant, AuditSeq seq);
std::string worker_key(ShardId shard, const queue::QueueKey& queue, std::string_view worker);
// In `meta`.
inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kEpochKey = "epoch";
inline constexpr std::string_view kJournalKey = "journal";  // the last record of the journal that is applied
inline constexpr std::string_view kJournalSecretKey = "journal_secret";  // what its records are hashed with
inline constexpr std::string_view kShardTimePrefix = "shard_time/";
std::string shard_time_key(ShardId shard);
// There once a member of an ordered group was parked: only then does a load look at every parked item.
std::string members_parked_key(ShardId shard);

// The smallest key above every key with this prefix. REQUIRES: not all bytes are 0xff.
std::string after_prefix(std::string prefix);

// Taking apart. All throw CorruptRecord for a key that is none of theirs; views point into the key.
ItemName parse_item_key(std::string_view key);
ItemName parse_timed_item_key(std::string_view key);
Time parse_item_time(std::string_view key);  // of a timed_item_key
ItemId last_id(std::string_view key);        // the number that ends the key
ShardId parse_shard_time_key(std::string_view key);
struct ExpiryEntry {
  Time expires;
  std::string_view row;  // the key in `dedup`
};
ExpiryEntry parse_dedup_expiry_key(std::string_view key);
std::string_view parse_counters_key(std::string_view key);  // the tenant
struct DocumentName {
  std::string_view kind;
  std::string_view key;
};
DocumentName parse_document_key(std::string_view key);
struct WorkerName {
  std::string_view tenant;
  std::string_view queue;
  std::string_view worker;
};
WorkerName parse_worker_key(std::string_view key);

// For messages: what is not printable as \xNN.
std::string printable(std::string_view key);

}  // namespace millrace::store::rocks
