#include "store/rocksdb/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "store/record_codec.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/engine_log.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;

constexpr int kOpenFilesMax = 100;  // this process may not be allowed as many as a server

}  // namespace

TableReader::TableReader(const std::string& path, Extent extent) : path_(path) {
  rocksdb::DBOptions options;
  options.info_log = make_engine_log();
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.paranoid_checks = false;  // require_files() finds them, and by their own names
  options.max_open_files = kOpenFilesMax;
  options.skip_stats_update_on_db_open = true;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const auto& name : names(options, extent)) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
  rocksdb::DB* opened = nullptr;
  require(rocksdb::DB::OpenForReadOnly(options, path, families, &families_, &opened));
  db_.reset(opened);
}

TableReader::~TableReader() {
  for (auto* family : families_) db_->DestroyColumnFamilyHandle(family);
}

std::optional<std::uint64_t> TableReader::number(std::string_view key) {
  std::string bytes;
  const auto found = db_->Get(rocksdb::ReadOptions(), families_.front(), slice(key), &bytes);
  if (found.IsNotFound()) return std::nullopt;
  require(found);
  return decoded(Table::meta, key, [&] { return decode_number(bytes); });
}

void TableReader::require_files() {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const auto& file : files) {
    const std::string name = file.name.substr(1);  // after a slash
    std::error_code missing;
    const auto bytes = fs::file_size(path_ + "/" + name, missing);
    if (missing) refuse(fmt::format("{} of table {} is missing", name, file.column_family_name));
    if (bytes != file.size) {
      refuse(fmt::format("{} of table {} has {} bytes of {}", name, file.column_family_name, bytes, file.size));
    }
  }
}

std::vector<std::string> TableReader::unlisted() {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::set<std::string> listed;
  for (const auto& file : files) listed.insert(file.name.substr(1));
  std::vector<std::string> unlisted;
  for (const auto& entry : fs::directory_iterator(path_)) {
    const fs::path name = entry.path().filename();
    if (name.extension() == ".sst" && !listed.contains(name)) unlisted.push_back(name);
  }
  std::ranges::sort(unlisted);
  return unlisted;
}

// `meta` first.
std::vector<std::string> TableReader::names(const rocksdb::DBOptions& options, Extent extent) const {
  std::vector<std::string> all;
  require(rocksdb::DB::ListColumnFamilies(options, path_, &all));
  std::ranges::sort(all, {}, [](const std::string& name) { return name != table_name(Table::meta); });
  if (extent == Extent::meta) all.resize(1);
  return all;
}

void TableReader::require(const rocksdb::Status& status) const {
  if (status.IsCorruption()) refuse(status.ToString());
  if (!status.ok()) throw StoreError(Fate::broken, fmt::format("data folder {}: {}", path_, status.ToString()));
}

void TableReader::refuse(const std::string& what) const {
  throw StoreError(Fate::broken, fmt::format("data folder {} is damaged ({}); restore it from a backup", path_, what));
}

}  // namespace millrace::store::rocks
