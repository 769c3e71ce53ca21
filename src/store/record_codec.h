// Records as bytes, for stores that keep values whole. Every value starts with a version byte, so that
// a later layout can be told from this one; an item's second byte is its status, so that a listing can
// filter without decoding. What a key already says (tenant, queue, id) is not repeated in the value.
//
// Decoders throw CorruptRecord; encoders append.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "queue/item.h"
#include "shard/batch.h"

namespace millrace::store {

// Makes equal lanes, groups and worker names one object while many records are decoded. Not for
// sharing between threads; it grows with the number of different values, so it lives as long as one read.
class Interner {
 public:
  // `encoded` is the lane's part of a stored item: bus and tags.
  std::shared_ptr<const queue::LaneKey> lane(std::string_view tenant, std::string_view queue, std::string_view encoded);
  std::shared_ptr<const queue::GroupKey> group(std::string_view encoded);
  std::shared_ptr<const std::string> worker(std::string_view name);

 private:
  template <class T>
  struct Pool {
    absl::flat_hash_map<std::string, std::shared_ptr<const T>> by_bytes;
    // The latest answer: neighbours in a scan are mostly alike.
    std::string last_bytes;
    std::shared_ptr<const T> last;

    template <class Make>
    std::shared_ptr<const T> find(std::string_view bytes, Make make);
  };
  Pool<queue::LaneKey> lanes_;
  Pool<queue::GroupKey> groups_;
  Pool<std::string> workers_;
  std::string lane_bytes_;
};

// Where an item is filed, from its key.
struct ItemName {
  std::string_view tenant;
  std::string_view queue;
  ItemId id;
};

void encode_item(std::string& out, const queue::ItemRecord& record);
queue::ItemRecord decode_item(const ItemName& name, std::string_view bytes, Interner& interner);
// Of an encoded item or parked reference, without decoding the rest.
queue::Status peek_status(std::string_view bytes);

// Where a parked item is.
struct ParkedRef {
  queue::Status status;
  Time parked_at;
};
void encode_parked_ref(std::string& out, const ParkedRef& ref);
ParkedRef decode_parked_ref(std::string_view bytes);

void encode_body(std::string& out, const queue::Body& body);
queue::Body decode_body(std::string_view bytes);

void encode_log_entry(std::string& out, const queue::LogEntry& entry);
queue::LogEntry decode_log_entry(ItemId item, LogId id, std::string_view bytes);

void encode_dedup(std::string& out, const shard::DedupRecord& record);
shard::DedupRecord decode_dedup(const shard::DedupKey& key, std::string_view bytes);

void encode_counters(std::string& out, const shard::TenantCounters& counters);
shard::TenantCounters decode_counters(std::string_view tenant, std::string_view bytes);

void encode_document(std::string& out, const shard::Document& document);
shard::Document decode_document(std::string_view kind, std::string_view key, std::string_view bytes);

void encode_audit(std::string& out, const shard::AuditRecord& record);
shard::AuditRecord decode_audit(std::string_view tenant, AuditSeq seq, std::string_view bytes);

// A time or a number of its own: a worker's last sign of life, the store's format.
void encode_time(std::string& out, Time time);
Time decode_time(std::string_view bytes);
void encode_number(std::string& out, std::uint64_t number);
std::uint64_t decode_number(std::string_view bytes);

}  // namespace millrace::store
