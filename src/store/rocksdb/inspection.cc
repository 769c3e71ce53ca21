// Looks at a data folder from outside, without a change to it: for `millrace doctor`.
#include <fcntl.h>
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "store/record_codec.h"
#include "store/rocksdb/current_file.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/engine_log.h"
#include "store/rocksdb/folder_lock.h"
#include "store/rocksdb/journal.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::store {
namespace {

using rocks::Table;

// The table files that are listed, as the whole of a folder that nobody changes meanwhile, or `meta` alone.
enum class Extent { meta, all };

// A folder's tables as the MANIFEST lists them: nothing is locked or written.
class TableReader {
 public:
  TableReader(const std::string& path, Extent extent) : path_(path) {
    rocksdb::DBOptions options;
    options.info_log = rocks::make_engine_log();
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    // Files that are missing or damaged are found below, and by their own names.
    options.paranoid_checks = false;
    options.max_open_files = 100;  // this process may not be allowed as many as a server
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const auto& name : names(options, extent)) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    rocksdb::DB* opened = nullptr;
    require(rocksdb::DB::OpenForReadOnly(options, path, families, &families_, &opened));
    db_.reset(opened);
  }
  ~TableReader() {
    for (auto* family : families_) db_->DestroyColumnFamilyHandle(family);
  }
  TableReader(const TableReader&) = delete;

  std::optional<std::uint64_t> number(std::string_view key) {
    std::string bytes;
    const auto found = db_->Get(rocksdb::ReadOptions(), families_.front(), rocks::slice(key), &bytes);
    if (found.IsNotFound()) return std::nullopt;
    require(found);
    return rocks::decoded(Table::meta, key, [&] { return decode_number(bytes); });
  }

  // Throws where a listed file is missing or of another size than it was.
  void require_files() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      std::error_code missing;
      const auto bytes = std::filesystem::file_size(path_ + file.name, missing);
      if (missing) refuse(fmt::format("{} of table {} is missing", file.name.substr(1), file.column_family_name));
      if (bytes != file.size) {
        refuse(fmt::format("{} of table {} has {} bytes of {}", file.name.substr(1), file.column_family_name, bytes,
                           file.size));
      }
    }
  }

 private:
  std::vector<std::string> names(const rocksdb::DBOptions& options, Extent extent) const {
    std::vector<std::string> all;
    require(rocksdb::DB::ListColumnFamilies(options, path_, &all));
    std::ranges::sort(all, {}, [](const std::string& name) { return name != rocks::table_name(Table::meta); });
    if (extent == Extent::meta) all.resize(1);
    return all;
  }
  void require(const rocksdb::Status& status) const {
    if (!status.ok()) refuse(status.ToString());
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw StoreError(Fate::broken,
                     fmt::format("data folder {} is damaged ({}); restore it from a backup", path_, what));
  }

  std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// The files of a journal, open for reading while this lives.
struct OpenFiles {
  explicit OpenFiles(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const auto slot = rocks::slot_of(entry.path());
      if (slot) files.push_back(rocks::open_journal_file(folder, *slot, rocks::Access::read));
    }
    std::ranges::sort(files, {}, &rocks::JournalFile::slot);
  }
  ~OpenFiles() {
    for (const rocks::JournalFile& file : files) ::close(file.file);
  }
  OpenFiles(const OpenFiles&) = delete;
  std::vector<rocks::JournalFile> files;
};

bool has_store(const std::string& path) { return rocksdb::Env::Default()->FileExists(path + "/CURRENT").ok(); }

JournalCheck read_files(const std::string& path, const JournalProgress& progress) {
  using State = JournalCheck::State;
  TableReader meta(path, Extent::meta);
  const auto applied = meta.number(rocks::kJournalKey);
  if (!applied) return {.state = State::absent};  // of format 1, or not used yet
  const std::string folder = path + "/journal";
  if (!rocks::Journal::exists(folder)) {
    return {.state = State::damaged, .text = folder + " is missing or has no files; restore it from a backup"};
  }
  const OpenFiles open(folder);
  JournalCheck check;
  for (const rocks::JournalFile& file : open.files) check.bytes += file.bytes;
  const rocks::JournalAnswer answer = rocks::read_journal(open.files,
                                                          {.applied = *applied,
                                                           .secret = meta.number(rocks::kJournalSecretKey),
                                                           .newest = rocks::read_marker(folder),
                                                           .segment_bytes = rocks::kSegmentBytes},
                                                          {}, progress);
  check.state = answer.damage.empty() ? State::whole : State::damaged;
  check.last = answer.last;
  if (!answer.damage.empty()) check.text = rocks::damage_text(folder, answer);
  if (answer.torn) check.text = fmt::format("record {} is not whole; a start drops it", answer.last + 1);
  return check;
}

void check_format(const std::string& path, TableReader& tables) {
  const auto format = tables.number(rocks::kFormatKey);
  if (!format || *format <= rocks::kFormat) return;
  throw StoreError(Fate::broken, fmt::format("data folder {} has format {}, this program reads up to {}: use a newer "
                                             "Millrace",
                                             path, *format, rocks::kFormat));
}

// A server may remove a file between the moment that it is listed and the one that it is read.
void check_in_use(const std::string& path) {
  constexpr int kTries = 5;
  for (int tried = 1;; ++tried) {
    try {
      TableReader meta(path, Extent::meta);
      return check_format(path, meta);
    } catch (const StoreError&) {
      if (tried == kTries) throw;
    }
  }
}

void check_tables(const std::string& path) {
  const rocks::FolderLock lock(path);
  if (lock.in_use()) return check_in_use(path);
  if (!lock.refusal().empty()) {
    throw StoreError(Fate::broken, fmt::format("data folder {}: {}", path, lock.refusal()));
  }
  TableReader tables(path, Extent::all);
  tables.require_files();
  check_format(path, tables);
}

}  // namespace

Findings inspect_rocksdb_folder(const std::string& path) {
  Findings findings = rocks::folder_findings(path);
  try {
    if (const auto broken = rocks::current_file_fault(path)) throw StoreError(Fate::broken, *broken);
    if (has_store(path)) check_tables(path);
  } catch (const StoreError& error) {
    findings.push_back(fault(error.what()));
  }
  return findings;
}

JournalCheck check_rocksdb_journal(const std::string& path, const JournalProgress& progress) {
  using State = JournalCheck::State;
  if (const auto broken = rocks::current_file_fault(path)) return {.state = State::damaged, .text = *broken};
  if (!has_store(path)) return {.state = State::absent};
  const rocks::FolderLock lock(path);
  if (lock.in_use()) return {.state = State::in_use};
  if (!lock.refusal().empty()) return {.state = State::damaged, .text = lock.refusal()};
  try {
    return read_files(path, progress);
  } catch (const std::exception& error) {
    return {.state = State::damaged, .text = error.what()};
  }
}

}  // namespace millrace::store
