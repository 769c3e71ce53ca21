// The keys of the access patterns as stores keep them: without the text that every entry of an index has in common
// within a tenant ("EVENT#", "TENANT#x#" …). What is left has the same order, in fewer bytes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/event_query.h"

namespace millrace::store {

// A key_of() without its common text.
event::Key stored_key(const TenantId& tenant, const event::Header& header, event::Index index);

// A query in terms of stored keys.
struct StoredRange {
  std::string partition;
  SortRange sort;
  std::optional<EventQuery::Cursor> after;
};
// nullopt if no key can be in it.
std::optional<StoredRange> stored_range(const EventQuery& query);

// The whole sort key of a stored one.
std::string whole_sort(const TenantId& tenant, event::Index index, std::string_view stored);

}  // namespace millrace::store
