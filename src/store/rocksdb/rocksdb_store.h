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
  // False: files are written through the page cache, as where the file system takes nothing else. For tests.
  bool past_cache = true;
  // How much the disk has left; empty: it is asked. For tests.
  std::function<std::optional<std::uint64_t>()> free_bytes = {};
  // Told, on a thread of its own, once background work has failed for good and no write will succeed any more. A commit
  // that meets the failure throws Fate::broken, but there may be none.
  std::function<void(const std::string& why)> broken = {};
};

// Throws StoreError: the folder is not usable, in use, of a newer format, or damaged. What it says is
// meant for the operator.
std::unique_ptr<Store> open_rocksdb(const RocksOptions& options);

// What an operator should know about a data folder, in use or not: its permissions, the free space, a format that
// this program cannot read, files that are missing or damaged as far as that shows without reading them all. Changes
// nothing. A folder that does not exist yet gives nothing.
Findings inspect_rocksdb_folder(const std::string& path);

// What reading the whole journal of a stopped data folder says.
struct JournalCheck {
  enum class State {
    absent,   // there is no store, or none with a journal
    in_use,   // by a server: it was not read
    whole,    // every record that a start would replay can be proven
    damaged,  // a start would refuse it
  };
  State state = State::absent;
  std::uint64_t last = 0;   // the number of its last record
  std::uint64_t bytes = 0;  // that were read
  std::string text = {};    // what is wrong, or worth knowing
};
using JournalProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;
// Keeps servers out meanwhile, and changes nothing. Throws nothing.
JournalCheck check_rocksdb_journal(const std::string& path, const JournalProgress& progress = {});

}  // namespace millrace::store
