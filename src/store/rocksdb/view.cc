// Reads of one moment; see database.h.
#include "store/rocksdb/database.h"

namespace millrace::store::rocks {
namespace {

// A walk over bodies fetches those of many claims, from the disk where they were flushed: in one read, not one a block.
constexpr std::size_t kBodiesAheadBytes = 128 << 10;

}  // namespace

View::View(Database& database) : database_(database) {
  database.wait_announced();
  snapshot_ = database.raw().GetSnapshot();
}

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
  if (table == Table::item_body) options.readahead_size = kBodiesAheadBytes;
  return std::unique_ptr<rocksdb::Iterator>(database_.raw().NewIterator(options, database_.family(table)));
}

void check(const rocksdb::Iterator& iterator, Table table) {
  const auto status = iterator.status();
  if (!status.ok()) throw_damaged(table, "(scan)", status.ToString());
}

}  // namespace millrace::store::rocks
