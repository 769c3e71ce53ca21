// Figures of the PostgreSQL store on a server of its own, synced. Prints one line a measurement.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "postgres/test_cluster.h"
#include "store/postgres/postgres_store.h"

namespace millrace {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
constexpr ShardId kShard{7};
const Time kNoon = time_from_ms(1'700'000'000'000);
const queue::QueueKey kQueue{.tenant = TenantId::default_tenant(), .name = "events"};

double seconds_since(SteadyTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Latencies of one operation, and what they come to.
class Samples {
 public:
  void measure(const std::function<void()>& operation) {
    const SteadyTime start = std::chrono::steady_clock::now();
    operation();
    seconds_.push_back(seconds_since(start));
  }
  void print(const char* what, std::size_t items_each) {
    if (seconds_.empty()) return;
    std::ranges::sort(seconds_);
    double sum = 0;
    for (const double s : seconds_) sum += s;
    const auto at = [&](double part) {
      return 1000 * seconds_[static_cast<std::size_t>(part * double(seconds_.size() - 1))];
    };
    fmt::print("{:<34} {:>9.0f} items/s   p50 {:.2f} ms   p99 {:.2f} ms\n", what,
               double(seconds_.size() * items_each) / sum, at(0.5), at(0.99));
  }

 private:
  std::vector<double> seconds_;
};

// Plays the part of a shard: numbers, counters, log.
class Writer {
 public:
  explicit Writer(store::Store& store) : store_(store), epoch_(store.acquire({}).value()) {
    for (const char* kind : {"mail", "report", "invoice", "sync"}) {
      lanes_.push_back(std::make_shared<const queue::LaneKey>(
          queue::LaneKey{.queue = kQueue, .bus = "default", .tags = {"bench", kind}}));
    }
    counters_.queues = {{.queue = kQueue.name, .by_status = {}}};
  }

  std::vector<queue::ItemRecord> create(std::size_t count) {
    shard::Batch batch = new_batch();
    std::vector<queue::ItemRecord> made;
    for (std::size_t i = 0; i < count; ++i) {
      queue::ItemRecord record;
      record.id = ItemId{++counters_.last_item};
      record.lane = lanes_[record.id.value % lanes_.size()];
      record.due = record.updated = kNoon + Millis(record.id.value);
      batch.items.push_back({.record = record, .body = body_, .prior = {}});
      made.push_back(record);
    }
    counters_.queues[0].by_status[0] += count;
    send(std::move(batch));
    return made;
  }

  void claim(std::vector<queue::ItemRecord>& items) {
    move(items, queue::Action::picked, [&](queue::ItemRecord& r) {
      r.status = queue::Status::processing;
      ++r.attempt;
      r.lease = {.token = LeaseToken{r.id.value}, .until = r.updated + Millis(30'000), .worker = worker_};
    });
  }
  void complete(std::vector<queue::ItemRecord>& items) {
    move(items, queue::Action::completed, [](queue::ItemRecord& r) {
      r.status = queue::Status::completed;
      r.placement = queue::Placement::done;
      r.lease = {};
    });
  }

 private:
  shard::Batch new_batch() {
    shard::Batch batch;
    batch.shard = kShard;
    return batch;
  }
  void move(std::vector<queue::ItemRecord>& items, queue::Action action,
            const std::function<void(queue::ItemRecord&)>& change) {
    shard::Batch batch = new_batch();
    for (queue::ItemRecord& record : items) {
      const shard::PriorItem prior{record.placement, record.status, record.due, record.updated};
      change(record);
      batch.items.push_back({.record = record, .body = nullptr, .prior = prior});
      batch.log.push_back({.queue = kQueue,
                           .entry = {.id = LogId{++counters_.last_log},
                                     .item = record.id,
                                     .action = action,
                                     .attempt = record.attempt,
                                     .worker = *worker_,
                                     .created = record.updated}});
    }
    ++counters_.queues[0].by_status[1];
    send(std::move(batch));
  }
  void send(shard::Batch batch) {
    batch.counters.push_back(counters_);
    store_.commit(epoch_, std::span(&batch, 1));
  }

  store::Store& store_;
  Epoch epoch_;
  std::vector<std::shared_ptr<const queue::LaneKey>> lanes_;
  std::shared_ptr<const queue::Body> body_ = std::make_shared<const queue::Body>(
      queue::Body{.title = "a title of usual length",
                  .description = std::nullopt,
                  .tags = "bench,mail",
                  .payload = fmt::format(R"({{"text":"{}"}})", std::string(600, 'x')),
                  .created = kNoon});
  std::shared_ptr<const std::string> worker_ = std::make_shared<const std::string>("worker-1");
  shard::TenantCounters counters_{.tenant = kQueue.tenant};
};

void bench_creates(Writer& writer, std::size_t group, std::size_t groups) {
  Samples samples;
  for (std::size_t i = 0; i < groups; ++i) samples.measure([&] { writer.create(group); });
  samples.print(fmt::format("create, groups of {}", group).c_str(), group);
}

void bench_lifecycles(Writer& writer, std::size_t group, std::size_t groups) {
  Samples create, claim, complete, whole;
  for (std::size_t i = 0; i < groups; ++i) {
    whole.measure([&] {
      std::vector<queue::ItemRecord> items;
      create.measure([&] { items = writer.create(group); });
      claim.measure([&] { writer.claim(items); });
      complete.measure([&] { writer.complete(items); });
    });
  }
  create.print(fmt::format("lifecycle {}: create", group).c_str(), group);
  claim.print(fmt::format("lifecycle {}: claim + log", group).c_str(), group);
  complete.print(fmt::format("lifecycle {}: complete + log", group).c_str(), group);
  whole.print(fmt::format("lifecycle {}: all three", group).c_str(), group);
}

void bench_reads(store::Store& store) {
  const SteadyTime start = std::chrono::steady_clock::now();
  const std::size_t live = store.load(kShard).live.size();
  fmt::print("load {} live items: {:.2f} s\n", live, seconds_since(start));

  const auto list = [&](const char* what, const store::ItemQuery& query) {
    Samples samples;
    std::size_t found = 0;
    for (int i = 0; i < 50; ++i) samples.measure([&] { found = store.items(kShard, query).items.size(); });
    samples.print(fmt::format("list {} ({} found)", what, found).c_str(), 1);
  };
  list("all", {.queue = kQueue});
  list("PENDING", {.queue = kQueue, .status = queue::Status::pending});
  list("COMPLETED", {.queue = kQueue, .status = queue::Status::completed});
  list("FAILED", {.queue = kQueue, .status = queue::Status::failed});
  list("tag mail", {.queue = kQueue, .any_tags = {"mail"}});
  list("tag mail, PENDING", {.queue = kQueue, .status = queue::Status::pending, .any_tags = {"mail"}});
  list("PENDING, offset 10000", {.queue = kQueue, .status = queue::Status::pending, .offset = 10'000});
  list("PROCESSING", {.queue = kQueue, .status = queue::Status::processing});
}

}  // namespace
}  // namespace millrace

int main(int argc, char** argv) {
  using namespace millrace;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::size_t items = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::optional<test::TestCluster> cluster;
  if (argc <= 2) cluster.emplace(std::vector<std::string>{"shared_buffers=512MB", "max_wal_size=4GB"});
  const std::string url = argc > 2 ? argv[2] : cluster->create_database();
  const auto store = store::open_postgres({.url = url, .node_id = "bench"});
  Writer writer(*store);
  bench_creates(writer, 1, 1000);
  bench_creates(writer, 64, 1000);
  bench_lifecycles(writer, 1, 300);
  bench_lifecycles(writer, 100, 500);
  fmt::print("updates on their page: {}\n",
             test::query_text(url,
                              "SELECT n_tup_hot_upd || ' of ' || n_tup_upd FROM pg_stat_user_tables "
                              "WHERE relname = 'item_state'"));
  bench_creates(writer, 1000, items / 1000);
  bench_reads(*store);
}
