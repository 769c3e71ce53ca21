// RocksDB behind an interface as narrow as our use of it: open, write a batch, read at one moment.
// Every failure leaves as a StoreError that says which table and key it concerns.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "store/rocksdb/journal.h"
#include "store/rocksdb/keys.h"
#include "store/rocksdb/rocksdb_store.h"
#include "store/rocksdb/tables.h"

namespace millrace::store::rocks {

class WriteWatch;
enum class Wait { no, yes };

[[noreturn]] void throw_damaged(Table table, std::string_view key, std::string_view why);

// Runs a decoder; what does not decode is a damaged file.
template <class Decode>
auto decoded(Table table, std::string_view key, Decode decode) {
  try {
    return decode();
  } catch (const CorruptRecord& error) {
    throw_damaged(table, key, error.what());
  }
}

class Database {
 public:
  explicit Database(const RocksOptions& options);
  // Flushes, so that the next open has nothing to replay.
  ~Database();
  Database(const Database&) = delete;

  // All of it or nothing, durably. A failure is final: every later write throws as well, because after a
  // failed fsync nobody knows what the disk holds.
  void write(rocksdb::WriteBatch& batch);
  // write() in two steps: on disk, its number is returned; then visible to reads. What was persisted before is
  // applied first: apply() waits for it.
  std::uint64_t persist(rocksdb::WriteBatch& batch);
  void apply(rocksdb::WriteBatch& batch, std::uint64_t number);
  // A View that is made from now on waits until the record is visible. REQUIRES: it will be applied without delay.
  void announce(std::uint64_t number) { announced_.store(number); }
  void wait_announced() const;
  // Returns when all that was persisted is visible. On the thread that persists.
  void wait_applied();

  void put(rocksdb::WriteBatch& batch, Table table, std::string_view key, std::string_view value);
  void erase(rocksdb::WriteBatch& batch, Table table, std::string_view key);

  rocksdb::DB& raw() { return *db_; }
  rocksdb::ColumnFamilyHandle* family(Table table) const { return families_[static_cast<std::size_t>(table)]; }

  std::string_view unwritable() const;
  bool congested() const;
  Findings findings() const;

 private:
  // The format that the folder has from now on: kFormat, or kFormatInConversion.
  std::uint64_t check_format();
  void set_format(std::uint64_t format);
  // Durably, in the tables.
  void note(std::initializer_list<std::pair<std::string_view, std::uint64_t>> numbers);
  std::string journal_folder() const { return options_.path + "/journal"; }
  void replay();
  std::optional<std::uint64_t> read_number(std::string_view key, rocksdb::ReadTier tier);
  void insert(rocksdb::WriteBatch& batch);
  void wait_applied(std::uint64_t number);
  void trim_journal();
  bool is_flushing();
  void flush(Wait wait);
  void close();
  void watch_space() const;

  RocksOptions options_;
  std::shared_ptr<WriteWatch> watch_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> opened_;  // the tables, then any that a newer program made
  std::array<rocksdb::ColumnFamilyHandle*, kTables> families_{};
  std::optional<Journal> journal_;
  std::atomic<std::uint64_t> applied_ = 0;    // the last record that is in memory as well
  std::atomic<std::uint64_t> announced_ = 0;  // the last one that somebody may have been told of before that
  std::size_t trimmed_at_ = 0;                // bytes in use when the journal was last trimmed
  std::string failure_;                       // of the first write that failed
  mutable std::atomic<bool> space_is_short_ = false;
  mutable std::atomic<std::chrono::steady_clock::duration> space_checked_{};
};

// Everything committed at one moment, whatever is written meanwhile.
class View {
 public:
  explicit View(Database& database);
  ~View();
  View(const View&) = delete;

  std::optional<std::string> get(Table table, std::string_view key);
  // In order; nullopt for what is not there.
  std::vector<std::optional<std::string>> get_all(Table table, std::span<const std::string> keys);

  // Over the keys of [from, to), forwards; or start anywhere with the iterator's own means. `to` must
  // outlive the iterator. Use next_of / check to tell the end from a failure.
  std::unique_ptr<rocksdb::Iterator> iterate(Table table, const rocksdb::Slice* from, const rocksdb::Slice* to);

  // Calls visit(key, value) for the keys of [from, to) in order until it returns false.
  template <class Visit>
  void scan(Table table, std::string_view from, std::string_view to, Visit visit);

 private:
  Database& database_;
  const rocksdb::Snapshot* snapshot_ = nullptr;
};

// Throws if the iterator stopped because of a failure rather than at its end.
void check(const rocksdb::Iterator& iterator, Table table);

// RocksDB wants an address also for nothing.
inline rocksdb::Slice slice(std::string_view bytes) {
  return bytes.empty() ? rocksdb::Slice() : rocksdb::Slice(bytes.data(), bytes.size());
}
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

template <class Visit>
void View::scan(Table table, std::string_view from, std::string_view to, Visit visit) {
  const rocksdb::Slice lower = slice(from);
  const rocksdb::Slice upper = slice(to);
  const auto at = iterate(table, &lower, &upper);
  for (at->Seek(lower); at->Valid(); at->Next()) {
    const auto key = view(at->key());
    if (!decoded(table, key, [&] { return visit(key, view(at->value())); })) return;
  }
  check(*at, table);
}

}  // namespace millrace::store::rocks
