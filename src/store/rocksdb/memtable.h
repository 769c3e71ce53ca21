// The memtable of every table: what RocksDB keeps of the writes since the last table file. Its own one checks, in the
// build that Debian ships, each insert against every level of its list, which was a third of what a create cost.
// See docs/adr/0011.
#pragma once

#include <rocksdb/memtablerep.h>

#include <memory>

namespace millrace::store::rocks {

// REQUIRES of the database: the default comparator, and allow_concurrent_memtable_write off.
std::shared_ptr<rocksdb::MemTableRepFactory> make_memtable_factory();

}  // namespace millrace::store::rocks
