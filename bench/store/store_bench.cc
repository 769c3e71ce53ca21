// What the embedded store alone can do: commits, recovery, a start after a kill.
//   store_bench [SECONDS [FOLDER]]     FOLDER is left for looking at; without one it is a temporary
// The processor time is that of the thread that commits: on a busy machine it says more than the rate.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/rocksdb/rocksdb_store.h"

namespace millrace::store {
namespace {

using Seconds = std::chrono::duration<double>;
using SteadyClock = std::chrono::steady_clock;

constexpr ShardId kShard{1};
constexpr std::size_t kPayloadBytes = 600;

double thread_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double seconds_since(SteadyClock::time_point start) { return Seconds(SteadyClock::now() - start).count(); }

Time now() { return SystemClock().now(); }

// Compresses about as well as small JSON documents do.
std::string make_payload() {
  std::mt19937 random(1);
  std::string payload = "\"";
  while (payload.size() < kPayloadBytes) payload.push_back(static_cast<char>('a' + random() % 16));
  return payload + "\"";
}

// Makes batches as the shard would for one tenant.
class Source {
 public:
  shard::Batch creates(std::size_t count) {
    shard::Batch batch{.shard = kShard};
    for (std::size_t i = 0; i < count; ++i) batch.items.push_back({new_item(), body_, std::nullopt});
    batch.counters.push_back(counters());
    return batch;
  }

  shard::Batch leases(const shard::Batch& before) {
    return moves(before, queue::Action::picked, [](queue::ItemRecord& record) {
      record.status = queue::Status::processing;
      record.lease.token = LeaseToken{record.id.value};
      record.lease.until = now();
    });
  }

  shard::Batch completions(const shard::Batch& before) {
    return moves(before, queue::Action::completed, [](queue::ItemRecord& record) {
      record.status = queue::Status::completed;
      record.placement = queue::Placement::done;
      record.lease = {};
    });
  }

 private:
  queue::ItemRecord new_item() {
    queue::ItemRecord record;
    record.lane = lanes_[last_item_ % lanes_.size()];
    record.id = ItemId{++last_item_};
    record.due = record.updated = now();
    return record;
  }

  template <class Move>
  shard::Batch moves(const shard::Batch& before, queue::Action action, Move move) {
    shard::Batch batch{.shard = kShard};
    for (const auto& [record, body, prior] : before.items) {
      auto next = record;
      move(next);
      next.updated = now();
      next.lease.worker = worker_;
      batch.items.push_back(
          {next, nullptr, shard::PriorItem{record.placement, record.status, record.due, record.updated}});
      queue::LogEntry entry{.id = LogId{++last_log_}, .item = record.id, .action = action};
      entry.worker = *worker_;
      entry.created = next.updated;
      batch.log.push_back({record.lane->queue, entry});
    }
    batch.counters.push_back(counters());
    return batch;
  }

  shard::TenantCounters counters() const {
    return {.tenant = tenant_, .last_item = last_item_, .last_log = last_log_, .queues = {{"events", {last_item_}}}};
  }
  std::shared_ptr<const queue::LaneKey> lane(std::vector<std::string> tags) const {
    return std::make_shared<const queue::LaneKey>(queue::LaneKey{{tenant_, "events"}, "default", std::move(tags)});
  }

  const TenantId tenant_ = TenantId::default_tenant();
  const std::vector<std::shared_ptr<const queue::LaneKey>> lanes_ = {lane({"billing", "email"}), lane({"email"}),
                                                                     lane({"report"})};
  const std::shared_ptr<const queue::Body> body_ = std::make_shared<const queue::Body>(
      queue::Body{"an item", "with a description", "billing,email", make_payload(), now()});
  const std::shared_ptr<const std::string> worker_ = std::make_shared<const std::string>("worker-1");
  std::uint64_t last_item_ = 0;
  std::uint64_t last_log_ = 0;
};

struct Latencies {
  std::vector<double> ms;
  double percentile(double p) {
    std::ranges::sort(ms);
    return ms[static_cast<std::size_t>(p * static_cast<double>(ms.size() - 1))];
  }
};

// Commits what make() gives until the time is over; prints items a second and the commit's latency.
template <class Make>
void measure(const char* what, Store& store, double seconds, std::size_t items_per_round, Make make) {
  const auto epoch = store.acquire({}).value();
  Latencies latencies;
  std::size_t rounds = 0;
  double used = 0;
  const auto start = SteadyClock::now();
  while (seconds_since(start) < seconds) {
    for (const auto& batch : make()) {
      const auto before = SteadyClock::now();
      const double used_before = thread_seconds();
      store.commit(epoch, {&batch, 1});
      used += thread_seconds() - used_before;
      latencies.ms.push_back(seconds_since(before) * 1000);
    }
    ++rounds;
  }
  const auto items = static_cast<double>(rounds * items_per_round);
  fmt::print("{:<38} {:>8.0f} items/s  {:>5.1f} us of processor an item  commit p50 {:.2f} p99 {:.2f} max {:.1f} ms\n",
             what, items / seconds_since(start), used / items * 1e6, latencies.percentile(0.5),
             latencies.percentile(0.99), latencies.percentile(1));
}

void measure_commits(const RocksOptions& options, double seconds) {
  const auto store = open_rocksdb(options);
  Source source;
  const char* mode = options.sync ? "fsync" : "no sync";
  for (const std::size_t size : {1, 64, 500}) {
    measure(fmt::format("creates, groups of {}, {}", size, mode).c_str(), *store, seconds, size,
            [&] { return std::vector{source.creates(size)}; });
  }
  measure(fmt::format("lifecycles, 3 groups of 100, {}", mode).c_str(), *store, seconds, 100, [&] {
    auto created = source.creates(100);
    auto leased = source.leases(created);
    auto done = source.completions(leased);
    return std::vector{std::move(created), std::move(leased), std::move(done)};
  });
  measure(fmt::format("lifecycles, 1 group of 100, {}", mode).c_str(), *store, seconds, 100, [&] {
    auto batch = source.creates(100);
    const auto leased = source.leases(batch);
    const auto done = source.completions(leased);
    for (const auto& part : {leased, done}) {
      std::ranges::copy(part.items, std::back_inserter(batch.items));
      std::ranges::copy(part.log, std::back_inserter(batch.log));
    }
    return std::vector{std::move(batch)};
  });
}

void fill(Store& store, Source& source, std::size_t items) {
  const auto epoch = store.acquire({}).value();
  for (std::size_t made = 0; made < items; made += 1000) {
    const auto batch = source.creates(1000);
    store.commit(epoch, {&batch, 1});
  }
}

void measure_load(RocksOptions options) {
  constexpr std::size_t kItems = 1'000'000;
  options.sync = false;
  {
    Source source;
    const auto store = open_rocksdb(options);
    fill(*store, source, kItems);
  }
  const auto opening = SteadyClock::now();
  const auto store = open_rocksdb(options);
  const double opened = seconds_since(opening);
  for (const char* what : {"cold block cache", "again"}) {
    const auto start = SteadyClock::now();
    const double used = thread_seconds();
    const auto state = store->load(kShard);
    fmt::print("load of {} live items ({}): {:.2f} s, {:.2f} s of processor; opened in {:.2f} s\n", state.live.size(),
               what, seconds_since(start), thread_seconds() - used, opened);
  }
}

// A child that dies without closing leaves a full write-ahead log.
void measure_kill(const RocksOptions& options) {
  if (const pid_t child = ::fork(); child == 0) {
    RocksOptions lazy = options;
    lazy.sync = false;
    Source source;
    const auto store = open_rocksdb(lazy);
    fill(*store, source, 150'000);
    std::_Exit(0);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  const auto start = SteadyClock::now();
  const auto store = open_rocksdb(options);
  fmt::print("open after a kill: {:.2f} s\n", seconds_since(start));
}

}  // namespace
}  // namespace millrace::store

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  auto folder = (std::filesystem::temp_directory_path() / "store_bench_XXXXXX").string();
  if (argc > 2) {
    folder = argv[2];
  } else if (::mkdtemp(folder.data()) == nullptr) {
    fmt::print(stderr, "no temporary folder\n");
    return 1;
  }
  millrace::store::measure_kill({.path = folder + "/kill"});
  millrace::store::measure_load({.path = folder + "/load"});
  millrace::store::measure_commits({.path = folder + "/synced"}, seconds);
  millrace::store::measure_commits({.path = folder + "/lazy", .sync = false}, seconds);
  if (argc <= 2) std::filesystem::remove_all(folder);
}
