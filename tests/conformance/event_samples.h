// Events to append, and events as text to compare.
#pragma once

#include <string>
#include <vector>

#include "conformance/samples.h"

namespace millrace::store::conformance {

// Of type "order.created" from "shop", entity ORDER#7, app "shop", at(0), received at(0); TSIDs rise with positions.
event::Record make_event(const TenantId& tenant, std::uint64_t position);
std::uint64_t tsid_of(std::uint64_t position);

// A batch as a shard would make it: the events, a row for each event_id, the tenants' counters.
shard::Batch appended(ShardId shard, const std::vector<event::Record>& events);
shard::EventDrop drop_of(const event::Record& event);

// "tenant@position"; what a test of order compares.
std::vector<std::string> places(const std::vector<event::Record>& events);
std::vector<std::uint64_t> positions(const std::vector<event::Record>& events);

// All pages of a query, a listing or the log, one after the other. Fails if a page leads nowhere.
std::vector<event::Record> all_pages(Store& store, ShardId shard, EventQuery query);
std::vector<event::Record> all_pages(Store& store, ShardId shard, EventListing listing);
std::vector<event::Record> all_pages(Store& store, ShardId shard, LogQuery query);

}  // namespace millrace::store::conformance
