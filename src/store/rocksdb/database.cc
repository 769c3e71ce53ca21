#include "store/rocksdb/database.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <algorithm>

#include "base/log.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/engine_log.h"
#include "store/rocksdb/write_watch.h"

namespace millrace::store::rocks {
namespace {

// Replaying it is what makes an open after a crash slow: 64 MiB take about a second.
constexpr std::uint64_t kLogBytesMax = std::uint64_t{64} << 20;
constexpr auto kSpaceCheckInterval = std::chrono::seconds(1);

// Acknowledged writes must never vanish silently, and a crash must not stop the next start. A crash
// leaves at most an incomplete last record, which nobody was told about: kTolerateCorruptedTailRecords
// drops that one and refuses to open for any other damage. kPointInTimeRecovery, the default, would
// open with what precedes the damage and lose acknowledged writes after it without a word;
// kAbsoluteConsistency would not start after a kill -9. recycle_log_file_num stays 0: a recycled file
// ends in old records, which this mode could not tell from damage.
rocksdb::WALRecoveryMode recovery_mode(const RocksOptions& options) {
  return options.salvage_damaged_log ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                     : rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
}

rocksdb::DBOptions database_options(const RocksOptions& options, std::shared_ptr<WriteWatch> watch) {
  rocksdb::DBOptions db;
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  db.wal_recovery_mode = recovery_mode(options);
  db.max_total_wal_size = kLogBytesMax;
  db.db_write_buffer_size = options.write_buffer_bytes;
  db.max_background_jobs = 2;
  db.bytes_per_sync = 1 << 20;  // large files reach the disk as they grow, not in one long sync
  db.info_log = make_engine_log();
  db.stats_dump_period_sec = 0;
  db.listeners.push_back(std::move(watch));
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

[[noreturn]] void throw_not_opened(const std::string& path, const rocksdb::Status& status) {
  const auto text = status.ToString();
  if (status.IsIOError() && text.find("/LOCK") != std::string::npos) {
    throw StoreError(Fate::not_done, fmt::format("data folder {}: another process uses this data folder", path));
  }
  if (status.IsCorruption()) {
    throw StoreError(Fate::broken, fmt::format("data folder {} is damaged ({}); restore it from a backup", path, text));
  }
  throw StoreError(Fate::broken, fmt::format("data folder {} cannot be opened: {}", path, text));
}

}  // namespace

void throw_damaged(Table table, std::string_view key, std::string_view why) {
  throw StoreError(Fate::broken,
                   fmt::format("damaged data in table {}, key {}: {}", table_name(table), printable(key), why));
}

Database::Database(const RocksOptions& options) : options_(options), watch_(std::make_shared<WriteWatch>()) {
  prepare_folder(options.path);
  const auto db_options = database_options(options, watch_);
  auto tables = table_descriptors(options);
  add_unknown_tables(db_options, options.path, tables);
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(db_options, options.path, tables, &opened_, &opened);
  if (!status.ok()) throw_not_opened(options.path, status);
  db_.reset(opened);
  std::copy_n(opened_.begin(), kTables, families_.begin());
  try {
    check_format();
  } catch (...) {
    close();
    throw;
  }
  watch_space();
}

Database::~Database() {
  if (failure_.empty()) {
    const auto flushed = db_->Flush(rocksdb::FlushOptions(), opened_);
    if (!flushed.ok()) spdlog::warn("store: not flushed, the next start replays the log: {}", flushed.ToString());
  }
  close();
}

void Database::close() {
  for (auto* family : opened_) db_->DestroyColumnFamilyHandle(family);
  if (const auto closed = db_->Close(); !closed.ok()) spdlog::warn("store: close: {}", closed.ToString());
}

void Database::check_format() {
  std::string bytes;
  const auto status = db_->Get(rocksdb::ReadOptions(), family(Table::meta), slice(kFormatKey), &bytes);
  if (status.IsNotFound()) {
    rocksdb::WriteBatch batch;
    std::string value;
    encode_number(value, kFormat);
    put(batch, Table::meta, kFormatKey, value);
    write(batch, Durability::synced);
    return;
  }
  if (!status.ok()) throw_damaged(Table::meta, kFormatKey, status.ToString());
  const auto format = decoded(Table::meta, kFormatKey, [&] { return decode_number(bytes); });
  if (format > kFormat) {
    throw StoreError(Fate::broken, fmt::format("data folder {} has format {}, this program reads up to {}: use a "
                                               "newer Millrace",
                                               options_.path, format, kFormat));
  }
}

void Database::write(rocksdb::WriteBatch& batch, Durability durability) {
  if (!failure_.empty()) throw StoreError(Fate::broken, failure_);
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::synced && options_.sync;
  const auto status = db_->Write(options, &batch);
  if (!status.ok()) {
    // Also for a full disk: part of the record may be in the log, and only the next open tells.
    failure_ = fmt::format("data folder {}: write failed, fate unknown: {}", options_.path, status.ToString());
    throw StoreError(Fate::broken, failure_);
  }
  watch_space();
}

void Database::put(rocksdb::WriteBatch& batch, Table table, std::string_view key, std::string_view value) {
  const auto status = batch.Put(family(table), slice(key), slice(value));
  if (!status.ok()) throw StoreError(Fate::not_done, fmt::format("{}: {}", table_name(table), status.ToString()));
}

void Database::erase(rocksdb::WriteBatch& batch, Table table, std::string_view key) {
  const auto status = batch.Delete(family(table), slice(key));
  if (!status.ok()) throw StoreError(Fate::not_done, fmt::format("{}: {}", table_name(table), status.ToString()));
}

void Database::watch_space() {
  const auto now = std::chrono::steady_clock::now();
  if (now - space_checked_ < kSpaceCheckInterval) return;
  space_checked_ = now;
  const auto free = free_bytes(options_.path);
  space_is_short_.store(free && *free < kFreeBytesMin, std::memory_order_relaxed);
}

bool Database::congested() const { return watch_->blocked() || space_is_short_.load(std::memory_order_relaxed); }

std::vector<std::string> Database::warnings() const {
  auto warnings = folder_warnings(options_.path);
  if (const auto error = watch_->background_error(); !error.empty()) {
    warnings.push_back(fmt::format("the store's background work failed: {}", error));
  } else if (watch_->blocked()) {
    warnings.push_back("the store stopped writes until its background work catches up");
  }
  return warnings;
}

View::View(Database& database) : database_(database), snapshot_(database.raw().GetSnapshot()) {}

View::~View() { database_.raw().ReleaseSnapshot(snapshot_); }

std::optional<std::string> View::get(Table table, std::string_view key) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_;
  std::string value;
  const auto status = database_.raw().Get(options, database_.family(table), slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) throw_damaged(table, key, status.ToString());
  return value;
}

std::vector<std::optional<std::string>> View::get_all(Table table, std::span<const std::string> keys) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_;
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  database_.raw().MultiGet(options, database_.family(table), keys.size(), slices.data(), values.data(),
                           statuses.data());
  std::vector<std::optional<std::string>> out(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].IsNotFound()) continue;
    if (!statuses[i].ok()) throw_damaged(table, keys[i], statuses[i].ToString());
    out[i] = values[i].ToString();
  }
  return out;
}

std::unique_ptr<rocksdb::Iterator> View::iterate(Table table, const rocksdb::Slice* from, const rocksdb::Slice* to) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_;
  options.iterate_lower_bound = from;
  options.iterate_upper_bound = to;
  return std::unique_ptr<rocksdb::Iterator>(database_.raw().NewIterator(options, database_.family(table)));
}

void check(const rocksdb::Iterator& iterator, Table table) {
  const auto status = iterator.status();
  if (!status.ok()) throw_damaged(table, "(scan)", status.ToString());
}

}  // namespace millrace::store::rocks
