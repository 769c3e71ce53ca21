// Which items of a queue match a query, newest first. Every source of ids (a table, an index, a tag) is
// ordered by id, so that any mix of filters is a merge of sorted lists, and what costs is the shortest.
#pragma once

#include <functional>

#include "store/rocksdb/database.h"

namespace millrace::store::rocks {

// Calls visit(id) for the items that match status, tags and cursor, highest id first, until it
// returns false. Offset and limit are the visitor's business.
void visit_matches(View& view, ShardId shard, const ItemQuery& query, const std::function<bool(ItemId)>& visit);

}  // namespace millrace::store::rocks
