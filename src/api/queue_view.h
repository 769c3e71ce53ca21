// Work items and what happened to them as JSON, with the fields and names of S4. Every answer of the
// queue API is rendered here. Pure.
#pragma once

#include <string>

#include "api/queue_settings.h"
#include "base/result.h"
#include "json/writer.h"
#include "queue/item.h"
#include "shard/command.h"

namespace millrace::api {

// About how much JSON an item is, for a buffer that need not grow.
std::size_t shown_bytes(const queue::Body& body);

// Whole: the answers of create and get. Beyond the fixed fields only what the sender set: `priority`, `run_at`.
// The caller may go on writing members.
void write_item_members(json::Writer& out, const queue::ItemRecord& record, const queue::Body& body);
// What a claim hands out: fewer fields, and the lease.
void write_claimed(json::Writer& out, const queue::ItemRecord& record, const queue::Body& body);
// A line of a listing.
void write_listed(json::Writer& out, const queue::ItemRecord& record, const queue::Body& body);

// An entry of an item's log as `include_logs` shows it.
void write_log_entry(json::Writer& out, const queue::LogEntry& entry);

// Answer of start and heartbeat.
void write_touched(json::Writer& out, const shard::Touched& touched, shard::Touch::Kind kind);
// Answer of reset and cancel.
void write_recorded(json::Writer& out, const queue::LogEntry& entry);

// Answer of complete and fail: the HTTP status, and the members of the body.
int outcome_status(const Result<shard::OutcomeRecorded>& outcome);
void write_outcome_members(json::Writer& out, const Result<shard::OutcomeRecorded>& outcome);

// Lease tokens are shown as 16 hexadecimal digits.
std::string format_token(LeaseToken token);
std::optional<LeaseToken> parse_token(std::string_view text);

}  // namespace millrace::api
