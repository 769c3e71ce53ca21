// The calls on files that the journal needs, with their errors as StoreError{broken} that names the file. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/rocksdb/journal_format.h"

namespace millrace::store::rocks {

[[noreturn]] void fail_file(const std::string& path, const char* what, int error);

// All of the parts, one after the other from `at` on.
void write_at(const std::string& path, int file, std::size_t at, std::span<const std::string_view> parts);
// The first `bytes` of the file; fewer if it is shorter.
void read_start(const std::string& path, int file, std::size_t bytes, std::string& out);
// Whole pages to whole pages of a file that open_direct() opened, durably when it returns.
void write_durably(const std::string& path, int file, std::size_t at, std::string_view pages);
void sync_data(const std::string& path, int file);
// Makes the names in a folder durable.
void sync_names(const std::string& folder);

// A file of the journal, open.
struct JournalFile {
  std::string path;
  int slot = 0;
  int file = -1;
  std::size_t bytes = 0;
  std::optional<std::uint64_t> secret = {};  // as its first page says; nullopt: that page is damaged
  bool knows_marker = false;                 // likewise
};
enum class Access { read, write };
JournalFile open_journal_file(const std::string& folder, int slot, Access access);
// Full of zeros, durable with its name. Zeros are written, not allocated: turning allocated space into written space
// would be a change of the file's map, which is what a commit must not wait for.
JournalFile make_journal_file(const std::string& folder, int slot, std::size_t bytes, std::uint64_t secret);
// The same file once more, for writes past the page cache; -1: it takes none. What is read of it through the cache is
// what was written: the system drops the pages that a direct write makes old. REQUIRES: it is durable as it was made.
int open_direct(const JournalFile& file);

}  // namespace millrace::store::rocks
