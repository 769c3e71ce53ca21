// Questions to the event log cost in proportion to what they return (S0.3), also when their plans were made while
// the table was empty and nobody has gathered statistics since.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "postgres/read_cost.h"
#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {
namespace {

using event::Index;
using store::EventListing;
using store::EventQuery;
using store::Order;
using store::Store;

constexpr std::uint64_t kEvents = 40'000;
constexpr std::uint64_t kFirstPlain = 10;  // those before it have what is rare
// For each question: two descents of an index and their rows, and a look at each of the table's indexes when it was
// planned. Any whole index has over 300.
constexpr std::size_t kBlocksAtMost = 45;

const TenantId kTenant = TenantId::default_tenant();

event::Record sample_event(std::uint64_t position) {
  const bool rare = position < kFirstPlain;
  event::Record event{.tenant = kTenant,
                      .position = Position{position},
                      .tsid = position * 7,
                      .received = kNoon + Millis(position),
                      .header = {},
                      .rest = std::make_shared<const std::string>("{}")};
  event.header = {.event_id = fmt::format("event-{}", position),
                  .type = rare ? "rare" : "plain",
                  .source = rare ? "rare" : "plain",
                  .subject = rare ? "rare" : "plain",
                  .correlation_id = rare ? "rare" : "plain",
                  .app = rare ? "rare" : "plain",
                  .entity_type = "ORDER",
                  .entity_id = fmt::to_string(position / 10),
                  .time = kNoon + Millis(position),
                  .context = {{"region", rare ? "rare" : "plain"}}};
  if (rare) event.header.expires = kNoon + std::chrono::hours(1);
  return event;
}

using Question = std::function<void(Store&)>;
// Questions that one connection asks.
struct Read {
  std::string name;
  std::vector<Question> questions;

  void run(Store& store) const {
    for (const Question& question : questions) question(store);
  }
};
std::vector<Read> reads();

class EventPlan : public testing::TestWithParam<Read> {
 protected:
  static void SetUpTestSuite() {
    if (TestCluster::shared() == nullptr) return;
    url = TestCluster::shared()->create_database();
    store::open_postgres(quiet_node(url, "schema")).reset();
    // Before the plans are made: a change of the table would make them again.
    run_sql(url,
            "ALTER TABLE millrace.events SET (autovacuum_enabled = off);"
            "ALTER TABLE millrace.event_context SET (autovacuum_enabled = off);"
            "ALTER TABLE millrace.dedup SET (autovacuum_enabled = off)");
    for (const Read& read : reads()) {
      auto& reader = readers[read.name] = store::open_postgres(quiet_node(url, read.name));
      read.run(*reader);
    }
    fill();
  }
  static void TearDownTestSuite() { readers.clear(); }
  void SetUp() override {
    if (TestCluster::shared() == nullptr) GTEST_SKIP() << "no PostgreSQL installed";
  }

  static void fill() {
    auto writer = store::open_postgres(quiet_node(url, "writer"));
    const Epoch epoch = acquire(*writer);
    shard::Batch batch;
    batch.shard = kShard;
    for (std::uint64_t n = 1; n <= kEvents; ++n) {
      batch.events.push_back(std::make_shared<const event::Record>(sample_event(n)));
      batch.dedup.push_back({{kTenant, shard::DedupKind::event_id, fmt::format("event-{}", n)}, n, "plain", kNever});
    }
    batch.counters.push_back({.tenant = kTenant, .last_position = kEvents});
    commit(*writer, epoch, batch);
    writer->release();
    writer.reset();
    cost().await_end_of("application_name IN (SELECT 'millrace ' || instance FROM millrace.nodes)");
  }
  static ReadCost cost() { return {url, "'events', 'event_context', 'dedup', 'counters'"}; }

  static inline std::string url;
  static inline std::map<std::string, std::unique_ptr<Store>> readers;
};

TEST_P(EventPlan, CostsWhatItReturns) {
  const int blocks = cost().blocks(std::move(readers[GetParam().name]), [](Store& store) { GetParam().run(store); });
  EXPECT_LT(static_cast<std::size_t>(blocks), kBlocksAtMost * GetParam().questions.size());
}

// From both ends of a large partition, and from its middle.
Read pattern(Index index) {
  Read read{std::string(event::name_of(index)), {}};
  const event::Key middle = event::key_of(kTenant, sample_event(kEvents / 2).header, index);
  EventQuery query{.tenant = kTenant, .index = index, .partition = middle.partition, .limit = 1};
  const auto add = [&] { read.questions.emplace_back([query](Store& store) { store.events(kShard, query); }); };
  add();
  query.order = Order::descending;
  add();
  query.after = EventQuery::Cursor{middle.sort, Position{kEvents / 2}};
  add();
  query.after = {};
  query.order = Order::ascending;
  query.sort = store::starting_with(middle.sort);
  add();
  query.sort = {store::SortBound{middle.sort, false}, {}};
  add();
  return read;
}

Question listing(EventListing listing) {
  listing.limit = 1;
  return [listing](Store& store) { store.list_events(kShard, listing); };
}

Read listings_of(const std::string& value) {
  return {"List_" + value,
          {listing({.tenant = kTenant, .type = value}), listing({.tenant = kTenant, .source = value}),
           listing({.tenant = kTenant, .subject = value}), listing({.tenant = kTenant, .correlation_id = value}),
           listing({.tenant = kTenant, .context = {{"region", value}}})}};
}

Read listings_in_time() {
  const Time middle = kNoon + Millis(kEvents / 2);
  return {"ListInTime",
          {listing({.tenant = kTenant}), listing({.tenant = kTenant, .from = middle, .to = middle + Millis(2)}),
           listing({.tenant = kTenant, .type = "plain", .to = middle}),
           listing({.tenant = kTenant, .before = EventListing::Cursor{middle, Position{1}}})}};
}

std::vector<Read> reads() {
  std::vector<Read> all = {
      {"At", {[](Store& store) { store.events_at(kShard, kTenant, std::vector{Position{7}}, {kNoon}); }}},
      {"ById", {[](Store& store) { store.event_by_id(kShard, kTenant, "event-20000", {kNoon}); }}},
      {"ByTsid", {[](Store& store) { store.event_by_tsid(kShard, kTenant, 140'000, {kNoon}); }}},
      {"LastPosition", {[](Store& store) { store.last_position(kShard, kTenant); }}},
      {"Log",
       {[](Store& store) { store.event_log(kShard, {.tenant = kTenant, .after = Position{20'000}, .limit = 1}); }}},
      {"Expired",
       {[](Store& store) { store.expired_events(kShard, {.now = kNoon + std::chrono::hours(2)}, 1); },
        [](Store& store) { store.expired_events(kShard, {.now = kNoon}, 10); },
        [](Store& store) { store.expired_events(kShard, {.now = kNoon, .received_before = kNoon}, 500); }}},
      listings_of("rare"),
      listings_of("plain"),
      listings_of("none"),
      listings_in_time(),
  };
  for (std::size_t i = 0; i < event::kIndexes; ++i) all.push_back(pattern(static_cast<Index>(i)));
  return all;
}
INSTANTIATE_TEST_SUITE_P(Reads, EventPlan, testing::ValuesIn(reads()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace millrace::test
