// Looks at a data folder from outside, without a change to it: for `millrace doctor`.
#include <fcntl.h>
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "store/record_codec.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/engine_log.h"
#include "store/rocksdb/journal.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::store {
namespace {

using rocks::Table;

// The numbers in `meta` of a folder that may be in use: nothing is locked or written.
class MetaReader {
 public:
  explicit MetaReader(const std::string& path) {
    rocksdb::DBOptions options;
    options.info_log = rocks::make_engine_log();
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    const std::vector<rocksdb::ColumnFamilyDescriptor> meta = {
        {rocks::table_name(Table::meta), rocksdb::ColumnFamilyOptions()}};
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::OpenForReadOnly(options, path, meta, &families_, &opened);
    if (!status.ok()) throw StoreError(Fate::broken, fmt::format("data folder {}: {}", path, status.ToString()));
    db_.reset(opened);
  }
  ~MetaReader() { db_->DestroyColumnFamilyHandle(families_.front()); }
  MetaReader(const MetaReader&) = delete;

  std::optional<std::uint64_t> number(std::string_view key) {
    std::string bytes;
    const auto found = db_->Get(rocksdb::ReadOptions(), families_.front(), rocks::slice(key), &bytes);
    if (!found.ok()) return std::nullopt;
    return rocks::decoded(Table::meta, key, [&] { return decode_number(bytes); });
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// Keeps servers out of the folder while it is looked at.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path) {
    // Where there is none yet, nobody can hold it, and none is made.
    const std::string file = path + "/LOCK";
    if (!env_->FileExists(file).ok()) return;
    taken_ = env_->LockFile(file, &lock_).ok();
  }
  ~FolderLock() {
    if (lock_ != nullptr) env_->UnlockFile(lock_);
  }
  FolderLock(const FolderLock&) = delete;
  bool taken() const { return taken_; }

 private:
  rocksdb::Env* env_ = rocksdb::Env::Default();
  rocksdb::FileLock* lock_ = nullptr;
  bool taken_ = true;
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
  MetaReader meta(path);
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

}  // namespace

Findings inspect_rocksdb_folder(const std::string& path) {
  Findings findings = rocks::folder_findings(path);
  if (!has_store(path)) return findings;
  try {
    const auto format = MetaReader(path).number(rocks::kFormatKey);
    if (format && *format > rocks::kFormat) {
      findings.push_back(
          fault(fmt::format("data folder {} has format {}, this program reads up to {}: use a newer Millrace", path,
                            *format, rocks::kFormat)));
    }
  } catch (const StoreError& error) {
    findings.push_back(fault(error.what()));
  }
  return findings;
}

JournalCheck check_rocksdb_journal(const std::string& path, const JournalProgress& progress) {
  if (!has_store(path)) return {.state = JournalCheck::State::absent};
  const FolderLock lock(path);
  if (!lock.taken()) return {.state = JournalCheck::State::in_use};
  try {
    return read_files(path, progress);
  } catch (const std::exception& error) {
    return {.state = JournalCheck::State::damaged, .text = error.what()};
  }
}

}  // namespace millrace::store
