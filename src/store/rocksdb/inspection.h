// Looks at a data folder from outside, without a change to it: for `millrace doctor` (rocksdb_store.h), and before a
// start that could not be undone.
#pragma once

#include <optional>
#include <string>

namespace millrace::store::rocks {

// RocksDB removes table files that the list does not have. After a crash these are flushes and merges that were not
// finished, and the journal has what was in them; where it has not, the list is not what it was. What is wrong then,
// and what to do. Nullopt also for a folder that cannot be opened or is in use. Throws StoreError where a file cannot
// be read.
std::optional<std::string> cut_list_fault(const std::string& path);

}  // namespace millrace::store::rocks
