// What a store reaches without a server before it: batches of events as the shard makes them, committed as fast as
// it can. bench/intake compares the server's rate with it.
//   bare_log --data DIR | --postgres URL [--count 200000] [--group 100]
// The batches are made before the clock starts. Prints one line of JSON.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/bodies.h"
#include "shard/shard.h"
#include "store/postgres/postgres_store.h"
#include "store/rocksdb/rocksdb_store.h"

namespace {

using namespace millrace;

constexpr ShardId kShard{1};
// With the header's fields as much as a client's 940 bytes of JSON hold.
constexpr std::size_t kRestBytes = 780;

struct Options {
  std::string data;
  std::string postgres;
  std::size_t count = 200'000;
  std::size_t group = 100;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--data") options.data = argv[i + 1];
    if (name == "--postgres") options.postgres = argv[i + 1];
    if (name == "--count") options.count = static_cast<std::size_t>(std::atoll(argv[i + 1]));
    if (name == "--group") options.group = static_cast<std::size_t>(std::atoll(argv[i + 1]));
  }
  return options;
}

std::unique_ptr<store::Store> open_store(const Options& options) {
  if (!options.postgres.empty()) return store::open_postgres({.url = options.postgres, .node_id = "bare"});
  return store::open_rocksdb({.path = options.data});
}

shard::NewEvent make_event(std::uint64_t number, Time now, const std::shared_ptr<const std::string>& rest) {
  const std::uint64_t order = number * 2654435761 % 1000;
  event::Header header;
  header.event_id = fmt::format("01a1e191-6fbe-77c5-b509-{:012x}", number);
  header.type = fmt::format("order.changed_{}", number % 10);
  header.source = header.app = "shop";
  header.subject = fmt::format("order:{}", order);
  header.correlation_id = fmt::format("req-{}", number * 0x9e3779b97f4a7c15);
  header.entity_type = "ORDER";
  header.entity_id = std::to_string(order);
  header.time = now;
  header.context = {{"region", fmt::format("r{}", number % 4)}};
  return {
      .header = std::move(header), .rest = rest, .deduplication_id = {}, .identity = shard::NewEvent::Identity::made};
}

std::vector<shard::Batch> make_batches(shard::Shard& shard, const Options& options, Time now) {
  std::vector<std::shared_ptr<const std::string>> rests;
  for (std::string& text : load::make_events({.bytes = kRestBytes}, 512, 1)) {
    rests.push_back(std::make_shared<const std::string>(std::move(text)));
  }
  std::vector<shard::Batch> batches;
  shard::Effects effects;
  for (std::uint64_t made = 0; made < options.count;) {
    shard::AppendEvents append{.tenant = TenantId::default_tenant(), .events = {}};
    for (std::size_t i = 0; i < options.group; ++i, ++made) {
      append.events.push_back(make_event(made, now, rests[made % rests.size()]));
    }
    shard::Command command = std::move(append);
    if (shard.execute(RequestId{made}, command, nullptr, now, effects)) std::abort();
    shard.seal(effects);
    batches.push_back(std::exchange(effects.batch, {}));
    effects.answers.clear();
  }
  return batches;
}

void run(const Options& options) {
  using Steady = std::chrono::steady_clock;
  const auto store = open_store(options);
  const auto epoch = store->acquire({}).value();
  const Time now = SystemClock().now();
  shard::Shard shard(store->load(kShard), epoch, {}, now);
  const std::vector<shard::Batch> batches = make_batches(shard, options, now);
  const auto start = Steady::now();
  for (const shard::Batch& batch : batches) store->commit(epoch, {&batch, 1});
  const double seconds = std::chrono::duration<double>(Steady::now() - start).count();
  store->release();
  fmt::print(R"({{"group":{},"seconds":{:.3f},"events":{},"events_per_s":{:.1f}}})"
             "\n",
             options.group, seconds, options.count, static_cast<double>(options.count) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.data.empty() == options.postgres.empty()) {
    fmt::print(stderr, "usage: bare_log --data DIR | --postgres URL [--count 200000] [--group 100]\n");
    return 2;
  }
  try {
    run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bare_log: {}\n", error.what());
    return 1;
  }
}
