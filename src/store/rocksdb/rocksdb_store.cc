#include "store/rocksdb/rocksdb_store.h"

#include <fmt/format.h>

#include <atomic>

#include "base/assert.h"
#include "store/body_reads.h"
#include "store/rocksdb/batch_writer.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/events.h"
#include "store/rocksdb/listing.h"
#include "store/rocksdb/reads.h"

namespace millrace::store {
namespace {

using rocks::Database;
using rocks::Table;
using rocks::View;

// sweep() looks at most at this many index entries for each row it may drop: entries of rows that
// were overwritten meanwhile lead nowhere.
constexpr std::size_t kVisitsPerDrop = 8;
// What a usual group needs, so that its buffer need not grow.
constexpr std::size_t kGroupBytes = 64 * 1024;

struct JournalRecord final : Store::Persisted {
  rocksdb::WriteBatch batch{kGroupBytes};
  std::uint64_t number = 0;
  bool drops_items = false;
};

class RocksStore final : public Store {
 public:
  explicit RocksStore(const RocksOptions& options) : options_(options), database_(options) {}

  std::optional<Epoch> acquire(std::stop_token stop) override;
  void release() override { owned_ = 0; }
  void commit(Epoch epoch, std::span<const shard::Batch> group) override {
    if (const auto persisted = persist(epoch, group)) apply(*persisted);
  }
  std::unique_ptr<Persisted> persist(Epoch epoch, std::span<const shard::Batch> group) override;
  void announce(const Persisted& persisted) override {
    database_.announce(static_cast<const JournalRecord&>(persisted).number);
  }
  void apply(Persisted& persisted) override;
  shard::ShardState load(ShardId shard) override;
  std::vector<ShardId> shards() override;
  ItemPage items(ShardId shard, const ItemQuery& query) override;
  std::uint64_t count(ShardId shard, const ItemQuery& query, std::uint64_t at_most) override;
  std::optional<ItemView> item(ShardId shard, const queue::QueueKey& queue, ItemId id) override;
  shard::Facts fetch(ShardId shard, const shard::Need& need) override;
  std::size_t sweep(Time now, std::size_t budget) override;
  StoreHealth health() override;

  std::vector<queue::ItemRecord> parked(ShardId shard, Time from, std::size_t limit) override {
    View view(database_);
    return rocks::read_parked(view, shard, from, limit);
  }
  std::vector<std::shared_ptr<const queue::Body>> bodies(ShardId shard, const queue::QueueKey& queue,
                                                         std::span<const ItemId> ids) override {
    return bodies_.read(shard, queue, ids);
  }
  std::vector<queue::LogEntry> log(ShardId shard, const queue::QueueKey& queue, ItemId id, std::size_t limit) override {
    View view(database_);
    return rocks::read_log(view, shard, queue, id, limit);
  }
  std::vector<shard::AuditRecord> audit(ShardId shard, const AuditQuery& query) override {
    View view(database_);
    return rocks::read_audit(view, shard, query);
  }
  std::vector<queue::ItemRecord> expired(ShardId shard, Time before, std::size_t limit) override {
    View view(database_);
    return rocks::read_expired(view, fronts_, shard, before, limit);
  }
  EventPage events(ShardId shard, const EventQuery& query) override {
    View view(database_);
    return rocks::read_events(view, shard, query);
  }
  EventList list_events(ShardId shard, const EventListing& listing) override {
    View view(database_);
    return rocks::list_events(view, shard, listing);
  }
  LogPage event_log(ShardId shard, const LogQuery& query) override {
    View view(database_);
    return rocks::read_event_log(view, shard, query);
  }
  std::vector<std::optional<event::Record>> events_at(ShardId shard, const TenantId& tenant,
                                                      std::span<const Position> positions,
                                                      const Horizon& horizon) override {
    View view(database_);
    return rocks::read_events_at(view, shard, tenant, positions, horizon);
  }
  std::optional<event::Record> event_by_id(ShardId shard, const TenantId& tenant, const std::string& event_id,
                                           const Horizon& horizon) override {
    View view(database_);
    return rocks::read_event_by_id(view, shard, tenant, event_id, horizon);
  }
  std::optional<event::Record> event_by_tsid(ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                             const Horizon& horizon) override {
    View view(database_);
    return rocks::read_event_by_tsid(view, shard, tenant, tsid, horizon);
  }
  Position last_position(ShardId shard, const TenantId& tenant) override {
    View view(database_);
    return rocks::read_last_position(view, shard, tenant);
  }
  std::vector<event::Record> expired_events(ShardId shard, const Horizon& horizon, std::size_t limit) override {
    View view(database_);
    return rocks::read_expired_events(view, fronts_, shard, horizon, limit);
  }
  std::string_view unwritable() const override { return database_.unwritable(); }
  bool congested() const override { return database_.congested(); }
  bool reads_are_local() const override { return true; }

 private:
  void read_shard_times();
  void add_shard_time(rocksdb::WriteBatch& out, const shard::Batch& batch);

  RocksOptions options_;
  Database database_;
  rocks::Fronts fronts_;
  BodyReads bodies_{[this](ShardId shard, const queue::QueueKey& queue, std::span<const ItemId> ids) {
    View view(database_);
    return rocks::read_bodies(view, shard, queue, ids);
  }};
  std::atomic<std::uint64_t> owned_ = 0;  // the epoch; 0 = not acquired
  // Where the next sweep starts, if the last one left something; else "". Rows may come in front of it: they are found
  // once nothing is left behind it. Only the committing thread uses it.
  std::string sweep_from_;
  // The latest time committed to each shard, as stored; only the committing thread uses it.
  std::array<std::optional<Time>, kAllShards> shard_times_;
};

void RocksStore::read_shard_times() {
  shard_times_ = {};
  View view(database_);
  const std::string prefix(rocks::kShardTimePrefix);
  view.scan(Table::meta, prefix, rocks::after_prefix(prefix), [&](auto key, auto value) {
    const auto shard = rocks::parse_shard_time_key(key);
    if (shard.value >= kAllShards) throw CorruptRecord("no such shard");
    shard_times_[shard.value] = decode_time(value);
    return true;
  });
}

void RocksStore::add_shard_time(rocksdb::WriteBatch& out, const shard::Batch& batch) {
  auto& held = shard_times_.at(batch.shard.value);
  const Time latest = rocks::latest_time(batch, held.value_or(Time{}));
  if (held == latest) return;
  std::string value;
  encode_time(value, latest);
  database_.put(out, Table::meta, rocks::shard_time_key(batch.shard), value);
  // If the write fails, acquire() comes before the next and reads them again.
  held = latest;
}

std::optional<Epoch> RocksStore::acquire(std::stop_token stop) {
  // The folder's lock, held since it was opened, keeps other processes out; there is nothing to wait for.
  if (stop.stop_requested()) return std::nullopt;
  const auto bytes = View(database_).get(Table::meta, rocks::kEpochKey);
  const auto last = bytes ? rocks::decoded(Table::meta, rocks::kEpochKey, [&] { return decode_number(*bytes); }) : 0;
  std::string value;
  encode_number(value, last + 1);
  rocksdb::WriteBatch batch;
  database_.put(batch, Table::meta, rocks::kEpochKey, value);
  database_.write(batch);
  read_shard_times();
  owned_ = last + 1;
  return Epoch{last + 1};
}

std::unique_ptr<Store::Persisted> RocksStore::persist(Epoch epoch, std::span<const shard::Batch> group) {
  if (epoch.value == 0 || epoch.value != owned_) {
    throw StoreError(Fate::fenced, fmt::format("epoch {} is over; the present one is {}", epoch.value, owned_.load()));
  }
  auto record = std::make_unique<JournalRecord>();
  rocks::BatchWriter writer(database_, record->batch);
  for (const auto& batch : group) {
    if (batch.empty()) continue;
    writer.add(batch);
    add_shard_time(record->batch, batch);
    if (!batch.drops.empty()) record->drops_items = true;
  }
  if (record->batch.Count() == 0) return nullptr;
  record->number = database_.persist(record->batch);
  return record;
}

void RocksStore::apply(Persisted& persisted) {
  auto& record = static_cast<JournalRecord&>(persisted);
  database_.apply(record.batch, record.number);
  if (record.drops_items) bodies_.forget();
}

shard::ShardState RocksStore::load(ShardId shard) {
  View view(database_);
  auto state = rocks::read_shard(view, shard);
  const auto key = rocks::shard_time_key(shard);
  if (const auto bytes = view.get(Table::meta, key)) {
    state.last_commit = rocks::decoded(Table::meta, key, [&] { return decode_time(*bytes); });
  }
  return state;
}

std::vector<ShardId> RocksStore::shards() {
  View view(database_);
  std::vector<ShardId> out;
  const std::string prefix(rocks::kShardTimePrefix);
  view.scan(Table::meta, prefix, rocks::after_prefix(prefix), [&](auto key, auto) {
    out.push_back(rocks::parse_shard_time_key(key));
    return true;
  });
  return out;
}

ItemPage RocksStore::items(ShardId shard, const ItemQuery& query) {
  View view(database_);
  ItemPage page;
  std::vector<ItemId> ids;
  auto skip = query.offset;
  rocks::visit_matches(view, shard, query, [&](ItemId id) {
    if (skip > 0) {
      --skip;
    } else if (ids.size() == query.limit) {
      page.more = true;
    } else {
      ids.push_back(id);
    }
    return !page.more;
  });
  auto bodies = rocks::read_bodies(view, shard, query.queue, ids);
  Interner interner;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto record = rocks::read_item(view, shard, query.queue, ids[i], interner);
    if (!record) rocks::throw_damaged(Table::item_tags, rocks::item_key(shard, query.queue, ids[i]), "no such item");
    page.items.push_back({std::move(*record), std::move(bodies[i])});
  }
  return page;
}

std::uint64_t RocksStore::count(ShardId shard, const ItemQuery& query, std::uint64_t at_most) {
  if (at_most == 0) return 0;
  View view(database_);
  ItemQuery all = query;
  all.before = {};
  std::uint64_t counted = 0;
  rocks::visit_matches(view, shard, all, [&](ItemId) { return ++counted < at_most; });
  return counted;
}

std::optional<ItemView> RocksStore::item(ShardId shard, const queue::QueueKey& queue, ItemId id) {
  View view(database_);
  Interner interner;
  auto record = rocks::read_item(view, shard, queue, id, interner);
  if (!record) return std::nullopt;
  return ItemView{std::move(*record), rocks::read_bodies(view, shard, queue, {&id, 1}).front()};
}

shard::Facts RocksStore::fetch(ShardId shard, const shard::Need& need) {
  View view(database_);
  Interner interner;
  shard::Facts facts;
  for (const auto& [queue, id] : need.items) {
    auto& fact = facts.items.emplace_back();
    auto record = rocks::read_item(view, shard, queue, id, interner);
    if (!record) continue;
    fact.emplace(shard::ItemHistory{.record = std::move(*record), .log = {}});
    if (need.logs) fact->log = rocks::read_log(view, shard, queue, id, shard::kHistoryMax);
  }
  facts.dedup = rocks::read_dedup(view, shard, need.dedup);
  return facts;
}

std::size_t RocksStore::sweep(Time now, std::size_t budget) {
  if (budget == 0) return 0;
  // A row that a group on its way writes again is judged by what that says.
  database_.wait_applied();
  View view(database_);
  rocksdb::WriteBatch batch;
  std::size_t dropped = 0;
  std::size_t visited = 0;
  bool more = false;
  std::string last;
  view.scan(Table::dedup_by_expiry, sweep_from_, rocks::expiry_prefix(now), [&](auto key, auto) {
    const auto entry = rocks::parse_dedup_expiry_key(key);
    const auto row = view.get(Table::dedup, entry.row);
    const bool current = row && decode_dedup({.tenant = TenantId::default_tenant()}, *row).expires == entry.expires;
    if (current) {
      database_.erase(batch, Table::dedup, entry.row);
      ++dropped;
    }
    database_.erase(batch, Table::dedup_by_expiry, key);
    more = dropped == budget || ++visited == budget * kVisitsPerDrop;
    if (more) last = key;
    return !more;
  });
  if (batch.Count() > 0) database_.write(batch);
  sweep_from_ = std::move(last);
  return dropped;
}

StoreHealth RocksStore::health() { return {"rocksdb", options_.sync ? "fsync" : "none", database_.findings()}; }

}  // namespace

std::unique_ptr<Store> open_rocksdb(const RocksOptions& options) { return std::make_unique<RocksStore>(options); }

}  // namespace millrace::store
