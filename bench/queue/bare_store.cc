// What a store reaches without a server before it: the records of the bulk lifecycle, committed as fast as it
// can. bench/queue compares the server's bulk rate with it.
//   bare_store --data DIR | --postgres URL [--seconds 5] [--group 100]
// Each round creates a group, then completes the one before and leases the new one in a second commit,
// as the server does for POST /events and POST /events/settle with a claim; one group is made visible beside the next
// one's sync. Prints one line of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bare/bare_run.h"
#include "bare/overlapped.h"
#include "load/bodies.h"

namespace {

using namespace millrace;

constexpr ShardId kShard{1};
// With title, description and tags as much as a client's 940 bytes of JSON hold.
constexpr std::size_t kPayloadBytes = 775;

// Batches as the shard makes them for one tenant.
class Source {
 public:
  // Continues after the items that the store already has.
  explicit Source(std::uint64_t last) : last_item_(last), last_log_(last * 2) {
    for (std::string& text : load::make_bodies({.bytes = kPayloadBytes}, 512, 1)) {
      bodies_.push_back(std::make_shared<const queue::Body>(
          queue::Body{"Send welcome message", "Send the welcome message to a user who just signed up",
                      "email,priority-high,notification", std::move(text), clock_.now()}));
    }
  }

  shard::Batch creates(std::size_t count) {
    shard::Batch batch{.shard = kShard};
    for (std::size_t i = 0; i < count; ++i) {
      queue::ItemRecord record;
      record.lane = lane_;
      record.id = ItemId{++last_item_};
      record.due = record.updated = clock_.now();
      batch.items.push_back({record, bodies_[last_item_ % bodies_.size()], std::nullopt});
      waiting_.push_back(record);
    }
    batch.counters.push_back(counters());
    return batch;
  }

  // Completes what is held and leases what waits.
  shard::Batch settle() {
    shard::Batch batch{.shard = kShard};
    for (queue::ItemRecord& record : std::exchange(leased_, {})) {
      queue::ItemRecord next = record;
      next.status = queue::Status::completed;
      next.placement = queue::Placement::done;
      next.lease = {};
      write(batch, record, std::move(next), queue::Action::completed);
    }
    for (queue::ItemRecord& record : std::exchange(waiting_, {})) {
      queue::ItemRecord next = record;
      next.status = queue::Status::processing;
      next.attempt = 1;
      next.lease = {LeaseToken{record.id.value * 2654435761 | 1}, clock_.now() + std::chrono::seconds(30), worker_};
      write(batch, record, next, queue::Action::picked);
      leased_.push_back(std::move(next));
    }
    batch.counters.push_back(counters());
    return batch;
  }

 private:
  void write(shard::Batch& batch, const queue::ItemRecord& before, queue::ItemRecord next, queue::Action action) {
    next.updated = clock_.now();
    queue::LogEntry entry{.id = LogId{++last_log_}, .item = next.id, .action = action, .attempt = next.attempt};
    entry.worker = *worker_;
    entry.created = next.updated;
    batch.log.push_back({lane_->queue, std::move(entry)});
    batch.items.push_back(
        {std::move(next), nullptr, shard::PriorItem{before.placement, before.status, before.due, before.updated}});
  }

  shard::TenantCounters counters() const {
    return {.tenant = lane_->queue.tenant,
            .last_item = last_item_,
            .last_log = last_log_,
            .queues = {{"events", {waiting_.size(), leased_.size(), last_item_}}}};
  }

  SystemClock clock_;
  std::shared_ptr<const queue::LaneKey> lane_ = std::make_shared<const queue::LaneKey>(
      queue::LaneKey{{TenantId::default_tenant(), "events"}, "default", {"email", "notification", "priority-high"}});
  std::shared_ptr<const std::string> worker_ = std::make_shared<const std::string>("bench-1:1");
  std::vector<std::shared_ptr<const queue::Body>> bodies_;
  std::vector<queue::ItemRecord> waiting_;
  std::vector<queue::ItemRecord> leased_;
  std::uint64_t last_item_;
  std::uint64_t last_log_;
};

void measure(store::Store& store, Epoch epoch, const bench::Arguments& arguments) {
  using Steady = std::chrono::steady_clock;
  const double seconds_wanted = arguments.number("--seconds", 5);
  const std::size_t group = arguments.count("--group", 100);
  std::uint64_t last = 0;
  for (const auto& counters : store.load(kShard).counters) last = std::max(last, counters.last_item);
  Source source(last);
  std::uint64_t items = 0;
  bench::Overlapped log(store, epoch);
  const auto start = Steady::now();
  double seconds = 0;
  while (seconds < seconds_wanted) {
    log.commit(source.creates(group));
    log.commit(source.settle());
    items += group;
    seconds = std::chrono::duration<double>(Steady::now() - start).count();
  }
  log.finish();
  seconds = std::chrono::duration<double>(Steady::now() - start).count();
  fmt::print(R"({{"group":{},"seconds":{:.3f},"items":{},"items_per_s":{:.1f}}})"
             "\n",
             group, seconds, items, static_cast<double>(items) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::bare_run(argc, argv, "bare_store --data DIR | --postgres URL [--seconds 5] [--group 100]", measure);
}
