// Entries of the event index as older programs wrote them, made into those of event_entries.h. While the store opens.
#pragma once

#include "store/rocksdb/database.h"

namespace millrace::store::rocks {

// Format 2 had `ms#EVENT#id position` for access pattern `table`: the id goes. May be broken off and repeated.
// Throws StoreError.
void convert_table_entries(Database& database);

}  // namespace millrace::store::rocks
