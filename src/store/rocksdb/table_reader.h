// The tables of a data folder as its MANIFEST lists them, to be looked at: nothing is locked or written. What cannot be
// read leaves as a StoreError that names the file. One thread.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::store::rocks {

// Of a folder that a server uses, `meta` alone: files come and go.
enum class Extent { meta, all };

class TableReader {
 public:
  TableReader(const std::string& path, Extent extent);
  ~TableReader();
  TableReader(const TableReader&) = delete;

  // A number in `meta`.
  std::optional<std::uint64_t> number(std::string_view key);
  // Throws where a listed file is missing or of another size than it was.
  void require_files();
  // Table files in the folder that are not listed, in order. REQUIRES: all tables.
  std::vector<std::string> unlisted();

 private:
  std::vector<std::string> names(const rocksdb::DBOptions& options, Extent extent) const;
  void require(const rocksdb::Status& status) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

}  // namespace millrace::store::rocks
