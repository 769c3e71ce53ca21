// RocksDB's warnings and errors in our log. It would keep a file of its own in the data folder, and
// Debian's build, which has its assertions on, aborts with a riddle when that file hits a full disk.
#pragma once

#include <memory>

#include <rocksdb/env.h>

namespace millrace::store::rocks {

std::shared_ptr<rocksdb::Logger> make_engine_log();

}  // namespace millrace::store::rocks
