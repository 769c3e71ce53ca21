// What a store reaches without a server before it: batches of events as the shard makes them, committed as fast as
// it can, one made visible beside the next one's sync. bench/intake compares the server's rate with it.
//   bare_log --data DIR | --postgres URL [--count 200000] [--group 100] [--correlations 512]
// So many correlations are named by the events in turn; 512 is what bench/load sends.
// The batches are made before the clock starts. Prints one line of JSON.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bare/bare_run.h"
#include "bare/overlapped.h"
#include "load/bodies.h"
#include "shard/shard.h"

namespace {

using namespace millrace;

constexpr ShardId kShard{1};
// With the header's fields as much as a client's 940 bytes of JSON hold.
constexpr std::size_t kRestBytes = 780;
// Different events, as bench/load has.
constexpr std::size_t kBodies = 512;

struct Sizes {
  std::size_t count;
  std::size_t group;
  std::size_t correlations;
};

shard::NewEvent make_event(std::uint64_t number, std::size_t correlations, Time now,
                           const std::shared_ptr<const std::string>& rest) {
  const std::uint64_t order = number % kBodies * 2654435761 % 1000;
  event::Header header;
  header.event_id = fmt::format("01a1e191-6fbe-77c5-b509-{:012x}", number);
  header.type = fmt::format("order.changed_{}", number % 10);
  header.source = header.app = "shop";
  header.subject = fmt::format("order:{}", order);
  header.correlation_id = fmt::format("req-{}", number % correlations * 0x9e3779b97f4a7c15);
  header.entity_type = "ORDER";
  header.entity_id = std::to_string(order);
  header.time = now;
  header.context = {{"region", fmt::format("r{}", number % 4)}};
  return {
      .header = std::move(header), .rest = rest, .deduplication_id = {}, .identity = shard::NewEvent::Identity::made};
}

std::vector<shard::Batch> make_batches(shard::Shard& shard, const Sizes& sizes, Time now) {
  std::vector<std::shared_ptr<const std::string>> rests;
  for (std::string& text : load::make_events({.bytes = kRestBytes}, kBodies, 1)) {
    rests.push_back(std::make_shared<const std::string>(std::move(text)));
  }
  std::vector<shard::Batch> batches;
  shard::Effects effects;
  for (std::uint64_t made = 0; made < sizes.count;) {
    shard::AppendEvents append{.tenant = TenantId::default_tenant(), .events = {}};
    for (std::size_t i = 0; i < sizes.group && made < sizes.count; ++i, ++made) {
      append.events.push_back(make_event(made, sizes.correlations, now, rests[made % rests.size()]));
    }
    shard::Command command = std::move(append);
    if (shard.execute(RequestId{made}, command, nullptr, now, effects)) std::abort();
    shard.seal(effects);
    batches.push_back(std::exchange(effects.batch, {}));
    effects.answers.clear();
  }
  return batches;
}

void measure(store::Store& store, Epoch epoch, const bench::Arguments& arguments) {
  using Steady = std::chrono::steady_clock;
  const Sizes sizes{.count = arguments.count("--count", 200'000),
                    .group = arguments.count("--group", 100),
                    .correlations = arguments.count("--correlations", kBodies)};
  const Time now = SystemClock().now();
  shard::Shard shard(store.load(kShard), epoch, {}, now);
  std::vector<shard::Batch> batches = make_batches(shard, sizes, now);
  const auto start = Steady::now();
  bench::Overlapped log(store, epoch);
  for (shard::Batch& batch : batches) log.commit(std::move(batch));
  log.finish();
  const double seconds = std::chrono::duration<double>(Steady::now() - start).count();
  fmt::print(R"({{"group":{},"seconds":{:.3f},"events":{},"events_per_s":{:.1f}}})"
             "\n",
             sizes.group, seconds, sizes.count, static_cast<double>(sizes.count) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::bare_run(
      argc, argv, "bare_log --data DIR | --postgres URL [--count 200000] [--group 100] [--correlations 512]", measure);
}
