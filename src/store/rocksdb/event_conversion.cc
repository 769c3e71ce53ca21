#include "store/rocksdb/event_conversion.h"

#include "base/log.h"
#include "store/rocksdb/event_entries.h"

namespace millrace::store::rocks {
namespace {

constexpr std::string_view kIdFollows = "#EVENT#";
// One record of the journal: a few megabytes.
constexpr int kEntriesPerBatch = 20'000;

struct Home {
  ShardId shard;
  TenantId tenant;
};
Home home_of(std::string_view key) {
  const std::size_t end = key.find('\0', kShardBytes);
  if (end == std::string_view::npos) throw CorruptRecord("key without the end of a name");
  return {ShardId{ByteReader(key).u16_be()},
          TenantId::trusted(std::string(key.substr(kShardBytes, end - kShardBytes)))};
}

class Conversion {
 public:
  explicit Conversion(Database& database) : database_(database) {}

  // All entries that begin with `prefix`.
  void convert(View& view, const std::string& prefix) {
    view.scan(Table::event_index, prefix, after_prefix(prefix), [&](std::string_view key, auto) {
      const std::string_view sort = sort_of(key, prefix.size());
      const std::size_t id = sort.find(kIdFollows);
      if (id == std::string_view::npos) return true;  // of a conversion that was broken off
      replace(key, with_position(prefix + std::string(sort.substr(0, id)), last_position_of(key)));
      return true;
    });
  }

  void finish() {
    if (batch_.Count() > 0) database_.write(batch_);
    batch_.Clear();
  }

  std::size_t converted() const { return converted_; }

 private:
  void replace(std::string_view before, const std::string& after) {
    database_.erase(batch_, Table::event_index, before);
    database_.put(batch_, Table::event_index, after, {});
    if (++converted_ % kEntriesPerBatch == 0) finish();
  }

  Database& database_;
  rocksdb::WriteBatch batch_;
  std::size_t converted_ = 0;
};

}  // namespace

void convert_table_entries(Database& database) {
  spdlog::info("store: the event index is being converted to format {}", kFormat);
  View view(database);
  Conversion conversion(database);
  const auto at = view.iterate(Table::event_index, nullptr, nullptr);
  at->SeekToFirst();
  while (at->Valid()) {
    const Home home =
        decoded(Table::event_index, rocks::view(at->key()), [&] { return home_of(rocks::view(at->key())); });
    conversion.convert(view, pattern_prefix(home.shard, home.tenant, event::Index::table, {}));
    at->Seek(after_prefix(tenant_prefix(home.shard, home.tenant)));
  }
  check(*at, Table::event_index);
  conversion.finish();
  spdlog::info("store: {} entries of the event index converted", conversion.converted());
}

}  // namespace millrace::store::rocks
