// The keys of the access patterns as stores keep them: the ordering part, without the text that every entry of an index
// has in common within a tenant ("EVENT#", "TENANT#x#" …). What is left has the same order, in fewer bytes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/event_query.h"

namespace millrace::store {

// A key_of() without its common text and, in the table, without the event's id.
event::Key stored_key(const TenantId& tenant, const event::Header& header, event::Index index);

// A query in terms of stored keys.
struct StoredRange {
  std::string partition;
  SortRange sort;
  std::optional<EventQuery::Cursor> after;
  // False where a bound lies between events of one millisecond: then the range holds all of that millisecond, and the
  // whole sort key of each event decides, see is_wanted().
  bool exact = true;
};
// nullopt if no key can be in it.
std::optional<StoredRange> stored_range(const EventQuery& query);

// Whether an event of a query's range belongs to the answer.
bool is_wanted(const EventQuery& query, const StoredRange& range, const event::Header& header);

// The ordering part that a stored sort key stands for.
std::string ordering_part_of(const TenantId& tenant, event::Index index, std::string_view stored);

}  // namespace millrace::store
