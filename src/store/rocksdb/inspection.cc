#include "store/rocksdb/inspection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "store/rocksdb/current_file.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/folder_lock.h"
#include "store/rocksdb/journal.h"
#include "store/rocksdb/keys.h"
#include "store/rocksdb/rocksdb_store.h"
#include "store/rocksdb/table_reader.h"
#include "store/rocksdb/tables.h"
#include "store/store_error.h"

namespace millrace::store {
namespace {

using rocks::Extent;
using rocks::TableReader;

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

rocks::JournalAnswer read_open(const std::string& folder, const OpenFiles& open, std::uint64_t applied,
                               TableReader& tables, const JournalProgress& progress) {
  return rocks::read_journal(open.files,
                             {.applied = applied,
                              .secret = tables.number(rocks::kJournalSecretKey),
                              .newest = rocks::read_marker(folder),
                              .segment_bytes = rocks::kSegmentBytes},
                             {}, progress);
}

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
  const rocks::JournalAnswer answer = read_open(folder, open, *applied, meta, progress);
  check.state = answer.damage.empty() ? State::whole : State::damaged;
  check.last = answer.last;
  if (!answer.damage.empty()) check.text = rocks::damage_text(folder, answer);
  if (answer.torn) check.text = fmt::format("record {} is not whole; a start drops it", answer.last + 1);
  return check;
}

// Why the log does not go on from what the listed tables hold; empty: it does, or there is none yet.
std::string gap_in_journal(const std::string& path, TableReader& tables) {
  const auto applied = tables.number(rocks::kJournalKey);
  const std::string folder = path + "/journal";
  if (!rocks::Journal::exists(folder)) return applied ? "it has no files" : "";
  const OpenFiles open(folder);
  const rocks::JournalAnswer answer = read_open(folder, open, applied.value_or(0), tables, {});
  if (answer.loss == rocks::JournalAnswer::Loss::none) return "";
  return fmt::format("{}", fmt::join(answer.damage, "; "));
}

// Nullopt where the tables cannot be opened: whoever opens them next finds out why.
std::optional<TableReader> try_reading(const std::string& path) {
  try {
    return std::optional<TableReader>(std::in_place, path, Extent::all);
  } catch (const StoreError&) {
    return std::nullopt;
  }
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

std::optional<std::string> rocks::cut_list_fault(const std::string& path) {
  if (!has_store(path)) return std::nullopt;
  const FolderLock lock(path);
  if (!lock.refusal().empty()) return std::nullopt;
  auto tables = try_reading(path);
  if (!tables) return std::nullopt;
  const std::vector<std::string> unlisted = tables->unlisted();
  if (unlisted.empty()) return std::nullopt;
  const std::string gap = gap_in_journal(path, *tables);
  if (gap.empty()) return std::nullopt;
  return fmt::format(
      "data folder {}: the list of its table files (MANIFEST-…) may have been cut: it does not have {}, and the "
      "journal "
      "does not go on from the files that it has ({}); nothing was changed; restore the folder from a backup, or move "
      "the files that are not listed out of it and then accept the loss with --salvage-damaged-log",
      path, fmt::join(unlisted, ", "), gap);
}

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
