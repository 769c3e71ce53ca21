// The memtable of every table: what RocksDB keeps of the writes since the last table file. Its own one checks, in the
// build that Debian ships, each insert against every level of its list, which was a third of what a create cost.
// See docs/adr/0011.
#pragma once

#include <rocksdb/memtablerep.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace millrace::store::rocks {

// How long the head of a user's key is that says to which sequence it belongs: within one, most keys are written in
// ascending order. Each has a finger of its own, which makes the write of a sequential key several times cheaper, also
// where the keys of many sequences alternate. Null: keys come in no order.
using SequenceHead = std::size_t (*)(std::string_view key);

// REQUIRES of the database: the default comparator, and allow_concurrent_memtable_write off.
std::shared_ptr<rocksdb::MemTableRepFactory> make_memtable_factory(SequenceHead sequence);

}  // namespace millrace::store::rocks
