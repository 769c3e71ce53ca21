// The embedded store: RocksDB in one data folder, for one process at a time. docs of the layout are in
// tables.h. Threads as in store.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/store.h"

namespace millrace::store {

struct RocksOptions {
  std::string path;  // made with mode 0700 if it does not exist
  // False: a commit returns before it is on disk, and a power failure loses the latest; health() says so.
  bool sync = true;
  std::size_t block_cache_bytes = std::size_t{256} << 20;
  // Recently written data kept in memory, all tables together, until it is flushed to sorted files.
  std::size_t write_buffer_bytes = std::size_t{128} << 20;
  // Opens a folder with a damaged write-ahead log with what precedes the damage. Acknowledged writes
  // after it are lost: only where there is no backup.
  bool salvage_damaged_log = false;
  // How much the disk has left; empty: it is asked. For tests.
  std::function<std::optional<std::uint64_t>()> free_bytes = {};
};

// Throws StoreError: the folder is not usable, in use, of a newer format, or damaged. What it says is
// meant for the operator.
std::unique_ptr<Store> open_rocksdb(const RocksOptions& options);

// What an operator should know about a data folder, in use or not: its permissions, the free space, a
// format that this program cannot read. A folder that does not exist yet gives nothing.
Findings inspect_rocksdb_folder(const std::string& path);

}  // namespace millrace::store
