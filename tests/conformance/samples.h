// Records to write, and records as text: two that are equal give the same line, and a test that fails
// shows where they differ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shard/batch.h"
#include "shard/facts.h"
#include "store/store.h"

namespace millrace::store::conformance {

// A moment after the sample's beginning.
constexpr Time at(std::int64_t seconds) { return time_from_ms(1'750'000'000'000 + seconds * 1000); }

TenantId tenant(std::string_view name);
queue::QueueKey queue_of(std::string_view tenant_name, std::string_view name = "events");

// A new, live, pending item.
queue::ItemRecord make_item(const queue::QueueKey& queue, std::uint64_t id, std::vector<std::string> tags = {});
// Terminal and done, by the clock at `updated`.
queue::ItemRecord finished(queue::ItemRecord record, queue::Status status, Time updated);
queue::ItemRecord parked(queue::ItemRecord record, Time at);
std::shared_ptr<const queue::Body> make_body(std::string title, std::string payload = "null");

shard::ItemWrite created(queue::ItemRecord record, std::shared_ptr<const queue::Body> body = make_body("a title"));
shard::ItemWrite changed(const queue::ItemRecord& before, queue::ItemRecord after);
shard::PriorItem prior_of(const queue::ItemRecord& record);
shard::LogWrite logged(const queue::ItemRecord& record, std::uint64_t log_id, queue::Action action, Time created);
shard::DedupRecord dedup_row(const TenantId& tenant, std::string key, std::uint64_t made, Time expires);
shard::AuditRecord audit_entry(const TenantId& tenant, std::uint64_t seq, Time time);

// "" and absent differ; every field is there.
std::string describe(const queue::ItemRecord& record);
std::string describe(const queue::Body& body);
std::string describe(const queue::LogEntry& entry);
std::string describe(const shard::DedupRecord& record);
std::string describe(const shard::TenantCounters& counters);
std::string describe(const shard::Document& document);
std::string describe(const shard::AuditRecord& record);
std::string describe(const shard::WorkerRecord& worker);
std::string describe(const shard::ParkedGroup& group);
std::string describe(const ItemView& item);
std::string describe(const event::Record& event);  // event_samples.cc

template <class Records>
std::vector<std::string> describe_all(const Records& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) lines.push_back(describe(record));
  return lines;
}

}  // namespace millrace::store::conformance
