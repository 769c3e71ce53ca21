#include "store/postgres/postgres_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/assert.h"
#include "store/body_reads.h"
#include "store/postgres/committer.h"
#include "store/postgres/events.h"
#include "store/postgres/migration_run.h"
#include "store/postgres/ownership.h"
#include "store/postgres/read_pool.h"
#include "store/postgres/reads.h"
#include "store/postgres/server_settings.h"

namespace millrace::store {
namespace {

using postgres::Connection;

// Names this running program, as opposed to its node, which may run again.
std::string new_instance() {
  std::random_device random;
  std::array<std::uint8_t, 10> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return make_uuid_v7(to_ms(SystemClock().now()), bytes);
}

class PostgresStore final : public Store {
 public:
  PostgresStore(const PostgresOptions& options, const Connection::Target& target, const std::string& instance)
      : reads_(target, options.read_connections), committer_(target, instance), ownership_(options, target, instance) {}

  void claim_name(const std::function<bool()>& stop_asked) { ownership_.claim_name(stop_asked); }

  std::optional<Epoch> acquire(std::stop_token stop) override {
    committer_.start_over();
    bodies_.forget();
    return ownership_.acquire(stop);
  }
  void release() override {
    committer_.start_over();
    ownership_.release();
  }

  void commit(Epoch epoch, std::span<const shard::Batch> group) override {
    if (!ownership_.holds()) {
      throw StoreError(Fate::fenced, "this node gave up the shards, or its heartbeat did not reach PostgreSQL in time");
    }
    committer_.commit(epoch, group);
    if (std::ranges::any_of(group, [](const shard::Batch& batch) { return !batch.drops.empty(); })) bodies_.forget();
  }
  std::size_t sweep(Time now, std::size_t budget) override { return committer_.sweep(now, budget); }

  shard::ShardState load(ShardId shard) override {
    return reads_.read([&](Connection& c) { return postgres::load_shard(c, shard); });
  }
  std::vector<ShardId> shards() override { return reads_.read(postgres::list_shards); }
  std::vector<queue::ItemRecord> parked(ShardId shard, Time from, std::size_t limit) override {
    return reads_.read([&](Connection& c) { return postgres::list_parked(c, shard, from, limit); });
  }
  std::vector<queue::ItemRecord> expired(ShardId shard, Time before, std::size_t limit) override {
    return reads_.read([&](Connection& c) { return postgres::list_finished(c, shard, before, limit); });
  }
  shard::Facts fetch(ShardId shard, const shard::Need& need) override {
    return reads_.read([&](Connection& c) { return postgres::read_facts(c, shard, need); });
  }
  std::optional<ItemView> item(ShardId shard, const queue::QueueKey& queue, ItemId id) override {
    return reads_.read([&](Connection& c) { return postgres::read_item_view(c, shard, queue, id); });
  }
  std::vector<std::shared_ptr<const queue::Body>> bodies(ShardId shard, const queue::QueueKey& queue,
                                                         std::span<const ItemId> ids) override {
    return bodies_.read(shard, queue, ids);
  }
  std::shared_ptr<const queue::Body> body_at_hand(ShardId shard, const queue::QueueKey& queue, ItemId id) override {
    return bodies_.at_hand(shard, queue, id);
  }
  std::vector<queue::LogEntry> log(ShardId shard, const queue::QueueKey& queue, ItemId id, std::size_t limit) override {
    return reads_.read([&](Connection& c) { return postgres::read_log(c, shard, queue, id, limit); });
  }
  ItemPage items(ShardId shard, const ItemQuery& query) override {
    return reads_.read([&](Connection& c) { return postgres::list_items(c, shard, query); });
  }
  std::uint64_t count(ShardId shard, const ItemQuery& query, std::uint64_t at_most) override {
    return reads_.read([&](Connection& c) { return postgres::count_items(c, shard, query, at_most); });
  }
  std::vector<shard::AuditRecord> audit(ShardId shard, const AuditQuery& query) override {
    return reads_.read([&](Connection& c) { return postgres::read_audit_page(c, shard, query); });
  }

  EventPage events(ShardId shard, const EventQuery& query) override {
    return reads_.read([&](Connection& c) { return postgres::read_events(c, shard, query); });
  }
  EventList list_events(ShardId shard, const EventListing& listing) override {
    return reads_.read([&](Connection& c) { return postgres::list_events(c, shard, listing); });
  }
  LogPage event_log(ShardId shard, const LogQuery& query) override {
    return reads_.read([&](Connection& c) { return postgres::read_event_log(c, shard, query); });
  }
  std::vector<std::optional<event::Record>> events_at(ShardId shard, const TenantId& tenant,
                                                      std::span<const Position> positions,
                                                      const Horizon& horizon) override {
    return reads_.read([&](Connection& c) { return postgres::read_events_at(c, shard, tenant, positions, horizon); });
  }
  std::optional<event::Record> event_by_id(ShardId shard, const TenantId& tenant, const std::string& event_id,
                                           const Horizon& horizon) override {
    return reads_.read([&](Connection& c) { return postgres::read_event_by_id(c, shard, tenant, event_id, horizon); });
  }
  std::optional<event::Record> event_by_tsid(ShardId shard, const TenantId& tenant, std::uint64_t tsid,
                                             const Horizon& horizon) override {
    return reads_.read([&](Connection& c) { return postgres::read_event_by_tsid(c, shard, tenant, tsid, horizon); });
  }
  Position last_position(ShardId shard, const TenantId& tenant) override {
    return reads_.read([&](Connection& c) { return postgres::read_last_position(c, shard, tenant); });
  }
  std::vector<event::Record> expired_events(ShardId shard, const Horizon& horizon, std::size_t limit) override {
    return reads_.read([&](Connection& c) { return postgres::read_expired_events(c, shard, horizon, limit); });
  }

  bool owns() const override { return ownership_.holds(); }
  bool reads_are_local() const override { return false; }

  StoreHealth health() override {
    StoreHealth health{.engine = "postgres", .durability = "synchronous_commit", .findings = {}};
    try {
      const auto settings = reads_.read(postgres::read_server_settings);
      health.findings = postgres::durability_findings(settings);
      if (!settings.fsync) health.durability = "none";
    } catch (const StoreError& error) {
      health.findings.push_back(fault(error.what()));
    }
    return health;
  }

 private:
  postgres::ReadPool reads_;
  BodyReads bodies_{[this](ShardId shard, const queue::QueueKey& queue, std::span<const ItemId> ids) {
    return reads_.read([&](Connection& c) { return postgres::read_bodies(c, shard, queue, ids); });
  }};
  postgres::Committer committer_;
  postgres::Ownership ownership_;
};

}  // namespace

std::unique_ptr<Store> open_postgres(const PostgresOptions& options) {
  MR_ASSERT(options.heartbeat < options.node_ttl, "a heartbeat must come before the time it proves runs out");
  const std::string instance = new_instance();
  const Connection::Target target{.url = options.url,
                                  .application_name = postgres::application_name(instance),
                                  .answer_within = options.answer_within};
  try {
    Connection connection(target);
    postgres::require_usable(connection);
    postgres::migrate(target, {.stop_asked = options.stop_asked, .older_nodes_patience = options.older_nodes_patience});
    auto store = std::make_unique<PostgresStore>(options, target, instance);
    if (options.name_is_unique) store->claim_name(options.stop_asked);
    return store;
  } catch (const postgres::SqlError& error) {
    throw StoreError(Fate::not_done, fmt::format("PostgreSQL: {}", error.what()));
  }
}

}  // namespace millrace::store
