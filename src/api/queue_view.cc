#include "api/queue_view.h"

#include <fmt/format.h>

#include <charconv>

#include "http/problem.h"

namespace millrace::api {
namespace {

std::optional<Time> next_retry_at(const queue::ItemRecord& record) {
  if (record.status != queue::Status::pending || !record.retry_wait) return std::nullopt;
  return record.due;
}

// Due later than it was last touched, and not because it failed: the sender wanted it so.
std::optional<Time> run_at(const queue::ItemRecord& record) {
  if (record.status != queue::Status::pending || record.retry_wait || record.due <= record.updated) return std::nullopt;
  return record.due;
}

void write_priority(json::Writer& out, const queue::ItemRecord& record) {
  if (record.priority != 0) out.member("priority", record.priority);
}

void write_worker(json::Writer& out, const std::string& worker) {
  out.key("worker_id");
  worker.empty() ? out.null() : out.string(worker);
}

void write_entry_head(json::Writer& out, const queue::LogEntry& entry) {
  out.member("event_id", entry.item);
  write_worker(out, entry.worker);
  out.member("action", queue::action_name(entry.action));
}

bool used_up(const queue::LogEntry& entry) { return entry.action == queue::Action::failed && !entry.next_retry_at; }

}  // namespace

std::size_t shown_bytes(const queue::Body& body) {
  constexpr std::size_t kMembers = 384;  // names, numbers and times
  return kMembers + body.title.size() + body.description.value_or("").size() + body.tags.size() + body.payload.size();
}

void write_item_members(json::Writer& out, const queue::ItemRecord& record, const queue::Body& body) {
  out.member("id", record.id);
  out.member("title", body.title);
  out.member("description", body.description);
  out.member("tags", body.tags);
  out.member("status", queue::status_name(record.status));
  out.raw_member("payload", body.payload);
  out.member("retry_count", record.retry_count);
  out.member("max_retries", record.max_retries);
  write_priority(out, record);
  out.member_if("run_at", run_at(record));
  out.member("next_retry_at", next_retry_at(record));
  out.member("created_at", body.created);
  out.member("updated_at", record.updated);
}

void write_claimed(json::Writer& out, const queue::ItemRecord& record, const queue::Body& body) {
  out.begin_object();
  out.member("id", record.id);
  out.member("title", body.title);
  out.member("tags", body.tags);
  out.member("status", queue::status_name(record.status));
  out.raw_member("payload", body.payload);
  out.member("retry_count", record.retry_count);
  out.member("max_retries", record.max_retries);
  write_priority(out, record);
  out.member("created_at", body.created);
  out.member("attempt", record.attempt);
  out.member("lease_token", format_token(record.lease.token));
  out.member("lease_until", record.lease.until);
  out.end_object();
}

void write_listed(json::Writer& out, const queue::ItemRecord& record, const queue::Body& body) {
  out.begin_object();
  out.member("id", record.id);
  out.member("title", body.title);
  out.member("status", queue::status_name(record.status));
  out.member("tags", body.tags);
  out.member("retry_count", record.retry_count);
  out.member_if("next_retry_at", next_retry_at(record));
  out.member("created_at", body.created);
  out.member("updated_at", record.updated);
  out.end_object();
}

void write_log_entry(json::Writer& out, const queue::LogEntry& entry) {
  out.begin_object();
  out.member("id", entry.id);
  write_worker(out, entry.worker);
  out.member("action", queue::action_name(entry.action));
  out.member_if("status_code", entry.status_code);
  out.member_if("error_message", entry.error_message);
  out.member_if("execution_time_ms", entry.execution_time_ms);
  out.member_if("reason", entry.reason);
  out.member("created_at", entry.created);
  out.end_object();
}

void write_touched(json::Writer& out, const shard::Touched& touched, shard::Touch::Kind kind) {
  const bool started = kind == shard::Touch::Kind::start;
  out.begin_object();
  out.member("event_id", touched.item);
  out.member("worker_id", touched.worker);
  out.member("action", started ? queue::action_name(queue::Action::started) : std::string_view("HEARTBEAT"));
  out.member("created_at", touched.at);
  out.member("lease_until", touched.lease_until);
  out.end_object();
}

void write_recorded(json::Writer& out, const queue::LogEntry& entry) {
  out.begin_object();
  write_entry_head(out, entry);
  out.member_if("reason", entry.reason);
  out.member("created_at", entry.created);
  out.end_object();
}

int outcome_status(const Result<shard::OutcomeRecorded>& outcome) {
  if (!outcome) return http::status_of(outcome.error().code);
  return used_up(outcome->entry) ? 400 : 200;
}

void write_outcome_members(json::Writer& out, const Result<shard::OutcomeRecorded>& outcome) {
  if (!outcome) return out.member("error", outcome.error().detail);
  const queue::LogEntry& entry = outcome->entry;
  if (used_up(entry)) {
    out.member("error", "Max retries exceeded");
    out.member("retry_count", entry.retry_count);
    return out.member("max_retries", outcome->max_retries);
  }
  write_entry_head(out, entry);
  out.member_if("status_code", entry.status_code);
  out.member_if("error_message", entry.error_message);
  out.member_if("execution_time_ms", entry.execution_time_ms);
  if (entry.action == queue::Action::failed) {
    out.member("retry_scheduled", true);
    out.member("next_retry_at", entry.next_retry_at);
  }
  out.member("created_at", entry.created);
}

std::string format_token(LeaseToken token) { return fmt::format("{:016x}", token.value); }

std::optional<LeaseToken> parse_token(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return LeaseToken{value};
}

}  // namespace millrace::api
