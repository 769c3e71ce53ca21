#include "store/rocksdb/database.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "base/log.h"
#include "store/rocksdb/current_file.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/direct_writes.h"
#include "store/rocksdb/engine_log.h"
#include "store/rocksdb/event_conversion.h"
#include "store/rocksdb/folder_lock.h"
#include "store/rocksdb/giving_way.h"
#include "store/rocksdb/inspection.h"
#include "store/rocksdb/write_watch.h"

namespace millrace::store::rocks {
namespace {

// Replaying the journal is what makes an open after a crash slow. From here on, what is in memory is moved to table
// files, so that the journal's files come free; by the time they do, about twice as much may have to be replayed.
constexpr std::size_t kFlushFromBytes = std::size_t{64} << 20;
// How often the journal is compared with the table files while it grows: a read of one key.
constexpr std::size_t kReleaseEveryBytes = std::size_t{1} << 20;
constexpr std::uint64_t kNotApplied = ~std::uint64_t{0};  // after a failure
constexpr auto kSpaceCheckInterval = std::chrono::seconds(1);

// Of RocksDB's own log, which folders of format 1 were written with and which stays empty since. A crash leaves
// at most an incomplete last record, which nobody was told about: kTolerateCorruptedTailRecords drops that
// one and refuses to open for any other damage, where the default would lose what follows it without a word.
rocksdb::WALRecoveryMode recovery_mode(const RocksOptions& options) {
  return options.salvage_damaged_log ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                     : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
}

rocksdb::DBOptions database_options(const RocksOptions& options, std::shared_ptr<WriteWatch> watch) {
  rocksdb::DBOptions db;
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  db.wal_recovery_mode = recovery_mode(options);
  db.atomic_flush = true;                      // all tables as of one record of the journal: the rest is replayed
  db.allow_concurrent_memtable_write = false;  // one thread writes; the memtable wants no more
  db.db_write_buffer_size = options.write_buffer_bytes;
  db.max_background_jobs = 3;                // a flush and two merges: a small one does not wait for a long one
  db.compaction_readahead_size = 256 << 10;  // of each file, instead of a read a block
  // Where merges fall behind, writers are slowed down to this at first, not to a fraction of what the disk takes.
  db.delayed_write_rate = 64 << 20;
  db.bytes_per_sync = 1 << 20;  // large files reach the disk as they grow, not in one long sync
  // docs/adr/0019. A larger write would hold up the journal's syncs for as long as it takes.
  db.use_direct_io_for_flush_and_compaction = options.past_cache && takes_direct_writes(options.path);
  db.writable_file_max_buffer_size = 256 << 10;
  // Bodies are claimed in about the order in which they were written: the system may read on where it sees that.
  db.advise_random_on_open = false;
  db.info_log = make_engine_log();
  db.stats_dump_period_sec = 0;
  db.listeners = {std::move(watch), std::make_shared<MergePriority>()};
  return db;
}

std::vector<rocksdb::ColumnFamilyDescriptor> table_descriptors(const RocksOptions& options) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  // Indexes and filters count against the cache, so that memory stays bounded as the data grows.
  blocks.cache_index_and_filter_blocks = true;
  blocks.pin_l0_filter_and_index_blocks_in_cache = true;
  blocks.format_version = 5;

  std::vector<rocksdb::ColumnFamilyDescriptor> tables;
  for (std::size_t i = 0; i < kTables; ++i) {
    const auto table = static_cast<Table>(i);
    tables.emplace_back(table_name(table), table_options(table, blocks));
  }
  return tables;
}

// A newer program may have added tables. RocksDB opens all or none, so they are opened too, for the
// format to be read and refused by its number.
void add_unknown_tables(const rocksdb::DBOptions& db, const std::string& path,
                        std::vector<rocksdb::ColumnFamilyDescriptor>& tables) {
  std::vector<std::string> names;
  if (!rocksdb::DB::ListColumnFamilies(db, path, &names).ok()) return;  // a new folder; else opening says why
  for (const auto& name : names) {
    const bool known = std::ranges::any_of(tables, [&](const auto& table) { return table.name == name; });
    if (!known) tables.emplace_back(name, rocksdb::ColumnFamilyOptions());
  }
}

// Never after merges that are behind: RocksDB's own bounds decide when writers wait, and a stop is not to wait at all.
rocksdb::FlushOptions flush_options(Wait wait) {
  rocksdb::FlushOptions options;
  options.wait = wait == Wait::yes;
  options.allow_write_stall = true;
  return options;
}

[[noreturn]] void throw_not_opened(const std::string& path, const rocksdb::Status& status) {
  const auto text = status.ToString();
  if (const auto refusal = lock_refusal(path, status)) {
    throw StoreError(*refusal == kLockInUse ? Fate::not_done : Fate::broken,
                     fmt::format("data folder {}: {}", path, *refusal));
  }
  if (status.IsCorruption()) {
    // RocksDB calls a missing file 000051.ldb, and one that was cut by the name of the list.
    for (const Finding& finding : inspect_rocksdb_folder(path)) {
      if (finding.severity == Severity::fault) throw StoreError(Fate::broken, finding.text);
    }
    throw StoreError(Fate::broken, fmt::format("data folder {} is damaged ({}); restore it from a backup", path, text));
  }
  throw StoreError(Fate::broken, fmt::format("data folder {} cannot be opened: {}", path, text));
}

}  // namespace

void throw_damaged(Table table, std::string_view key, std::string_view why) {
  throw StoreError(Fate::broken,
                   fmt::format("damaged data in table {}, key {}: {}", table_name(table), printable(key), why));
}

Database::Database(const RocksOptions& options)
    : options_(options), watch_(std::make_shared<WriteWatch>(options.broken)) {
  prepare_folder(options.path);
  // Whatever an open of RocksDB would make worse is refused before it.
  if (const auto fault = current_file_fault(options.path)) throw StoreError(Fate::broken, *fault);
  if (const auto fault = cut_list_fault(options.path)) throw StoreError(Fate::broken, *fault);
  const auto db_options = database_options(options, watch_);
  auto tables = table_descriptors(options);
  add_unknown_tables(db_options, options.path, tables);
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(db_options, options.path, tables, &opened_, &opened);
  if (!status.ok()) throw_not_opened(options.path, status);
  db_.reset(opened);
  std::copy_n(opened_.begin(), kTables, families_.begin());
  try {
    const std::uint64_t format = check_format();
    replay();
    if (format == kFormatInConversion) {
      convert_table_entries(*this);
      set_format(kFormat);
    }
  } catch (...) {
    close();
    throw;
  }
  watch_space();
}

Database::~Database() {
  if (failure_.empty()) {
    const auto flushed = db_->Flush(flush_options(Wait::yes), opened_);
    if (!flushed.ok()) spdlog::warn("store: not flushed, the next start replays the log: {}", flushed.ToString());
  }
  close();
}

void Database::close() {
  for (auto* family : opened_) db_->DestroyColumnFamilyHandle(family);
  if (const auto closed = db_->Close(); !closed.ok()) spdlog::warn("store: close: {}", closed.ToString());
}

std::uint64_t Database::check_format() {
  const auto format = read_number(kFormatKey, rocksdb::kReadAllTier);
  if (format && *format > kFormat) {
    throw StoreError(Fate::broken, fmt::format("data folder {} has format {}, this program reads up to {}: use a "
                                               "newer Millrace",
                                               options_.path, *format, kFormat));
  }
  if (format == kFormat || format == kFormatInConversion) return *format;
  // Before the first record: a program that does not know the journal must refuse the folder from then on, and one
  // that does not know the new entries must not see some of them.
  const std::uint64_t next = format == kFormatWithEventIds ? kFormatInConversion : kFormat;
  if (!format) {
    // The journal is made first and noted with the format: a folder that has lost it is never taken for a new one.
    const Journal made({.folder = journal_folder()});
    note({{kFormatKey, next}, {kJournalKey, 0}, {kJournalSecretKey, made.secret()}});
  } else {
    set_format(next);
  }
  return next;
}

void Database::set_format(std::uint64_t format) { note({{kFormatKey, format}}); }

void Database::note(std::initializer_list<std::pair<std::string_view, std::uint64_t>> numbers) {
  rocksdb::WriteBatch batch;
  for (const auto& [key, number] : numbers) {
    std::string value;
    encode_number(value, number);
    put(batch, Table::meta, key, value);
  }
  insert(batch);
  flush(Wait::yes);
}

std::optional<std::uint64_t> Database::read_number(std::string_view key, rocksdb::ReadTier tier) {
  rocksdb::ReadOptions options;
  options.read_tier = tier;
  std::string bytes;
  const auto status = db_->Get(options, family(Table::meta), slice(key), &bytes);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) throw_damaged(Table::meta, key, status.ToString());
  return decoded(Table::meta, key, [&] { return decode_number(bytes); });
}

void Database::replay() {
  const auto applied = read_number(kJournalKey, rocksdb::kReadAllTier);
  const std::string folder = journal_folder();
  const bool salvage = options_.salvage_damaged_log;
  if (applied && !Journal::exists(folder) && !salvage) {
    throw StoreError(Fate::broken,
                     fmt::format("{} is missing or has no files: acknowledged writes may have been in it; "
                                 "restore the data folder from a backup, or accept the loss with "
                                 "--salvage-damaged-log",
                                 folder));
  }
  if (applied && !Journal::exists(folder)) {
    spdlog::warn("store: {} has no files; kept up to record {}, whatever came after it is lost", folder, *applied);
  }
  const auto secret = read_number(kJournalSecretKey, rocksdb::kReadAllTier);
  journal_.emplace(
      JournalOptions{.folder = folder, .sync = options_.sync, .past_cache = options_.past_cache, .secret = secret});
  const auto put_back = [this](std::string_view record) {
    rocksdb::WriteBatch batch{std::string(record)};
    insert(batch);
  };
  journal_->replay(applied.value_or(0), salvage ? Journal::Damage::salvage : Journal::Damage::refuse, put_back,
                   [this] { flush(Wait::yes); });
  applied_.store(journal_->next() - 1);
  if (journal_->secret() != secret) note({{kJournalSecretKey, journal_->secret()}});
}

void Database::flush(Wait wait) {
  const auto status = db_->Flush(flush_options(wait), opened_);
  if (!status.ok()) throw StoreError(Fate::broken, fmt::format("data folder {}: {}", options_.path, status.ToString()));
}

void Database::write(rocksdb::WriteBatch& batch) { apply(batch, persist(batch)); }

std::uint64_t Database::persist(rocksdb::WriteBatch& batch) {
  if (!failure_.empty()) throw StoreError(Fate::broken, failure_);
  const std::uint64_t number = journal_->next();
  std::string value;
  encode_number(value, number);
  put(batch, Table::meta, kJournalKey, value);
  try {
    journal_->append(batch.Data());
    trim_journal();
  } catch (const StoreError& error) {
    // Also for a full disk: part of the record may be on it, and only the next open tells.
    failure_ = fmt::format("data folder {}: write failed, fate unknown: {}", options_.path, error.what());
    throw StoreError(Fate::broken, failure_);
  }
  watch_space();
  return number;
}

void Database::wait_applied() { wait_applied(journal_->next() - 1); }

void Database::wait_applied(std::uint64_t number) {
  for (auto last = applied_.load(); last != number; last = applied_.load()) {
    if (last == kNotApplied) throw StoreError(Fate::broken, "an earlier write could not be applied");
    applied_.wait(last);
  }
}

void Database::wait_announced() const {
  const std::uint64_t number = announced_.load();
  auto last = applied_.load();
  for (; last < number; last = applied_.load()) applied_.wait(last);
  if (last == kNotApplied && number != 0) throw StoreError(Fate::broken, "an earlier write could not be applied");
}

// In order: a table file must never hold the number of a record without the records before it.
void Database::apply(rocksdb::WriteBatch& batch, std::uint64_t number) {
  wait_applied(number - 1);
  try {
    insert(batch);
    applied_.store(number);
  } catch (...) {
    applied_.store(kNotApplied);
    applied_.notify_all();
    throw;
  }
  applied_.notify_all();
}

void Database::insert(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.disableWAL = true;  // the journal has it
  const auto status = db_->Write(options, &batch);
  if (!status.ok()) {
    throw StoreError(Fate::broken, fmt::format("data folder {}: write failed: {}", options_.path, status.ToString()));
  }
}

// Lets the journal use files again whose records are in table files, and makes RocksDB write those in time.
void Database::trim_journal() {
  if (journal_->bytes_in_use() < trimmed_at_ + kReleaseEveryBytes) return;
  const bool flushing = is_flushing();  // before the read: what a flush that ends in between wrote is seen
  const std::uint64_t kept = read_number(kJournalKey, rocksdb::kPersistedTier).value_or(0);
  journal_->release(kept);
  trimmed_at_ = journal_->bytes_in_use();
  if (trimmed_at_ >= kFlushFromBytes && !flushing) flush(Wait::no);
}

// RocksDB also flushes by itself, when its memory is full. Every write is one to `meta`, so that table shows all.
bool Database::is_flushing() {
  std::uint64_t waiting = 0;
  db_->GetIntProperty(family(Table::meta), rocksdb::DB::Properties::kNumImmutableMemTable, &waiting);
  return waiting > 0;
}

void Database::put(rocksdb::WriteBatch& batch, Table table, std::string_view key, std::string_view value) {
  const auto status = batch.Put(family(table), slice(key), slice(value));
  if (!status.ok()) throw StoreError(Fate::not_done, fmt::format("{}: {}", table_name(table), status.ToString()));
}

void Database::erase(rocksdb::WriteBatch& batch, Table table, std::string_view key) {
  const auto status = batch.Delete(family(table), slice(key));
  if (!status.ok()) throw StoreError(Fate::not_done, fmt::format("{}: {}", table_name(table), status.ToString()));
}

// Any thread.
void Database::watch_space() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  if (now - space_checked_.load(std::memory_order_relaxed) < kSpaceCheckInterval) return;
  space_checked_.store(now, std::memory_order_relaxed);
  const auto free = options_.free_bytes ? options_.free_bytes() : free_bytes(options_.path);
  space_is_short_.store(free && *free < kFreeBytesMin, std::memory_order_relaxed);
}

std::string_view Database::unwritable() const {
  static_assert(kFreeBytesMin == std::uint64_t{256} << 20, "the text names it");
  if (const std::string_view why = watch_->unwritable(); !why.empty()) return why;
  watch_space();  // on an idle server no commit comes by to find out
  if (!space_is_short_.load(std::memory_order_relaxed)) return {};
  return "the disk of the data folder is nearly full: make room, below 256 MiB nothing is written";
}

bool Database::congested() const { return watch_->blocked(); }

Findings Database::findings() const {
  Findings findings = folder_findings(options_.path);
  if (const std::string_view why = unwritable(); !why.empty()) findings.push_back(fault(std::string(why)));
  if (const auto error = watch_->background_error(); !error.empty() && watch_->unwritable().empty()) {
    findings.push_back(fault(fmt::format("the store's background work failed: {}", error)));
  } else if (watch_->blocked()) {
    findings.push_back(warning("the store stopped writes until its background work catches up"));
  }
  return findings;
}

}  // namespace millrace::store::rocks
