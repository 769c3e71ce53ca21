#include "api/blob_sweep.h"

#include <utility>

#include "api/payload_overflow.h"
#include "base/log.h"
#include "base/unavailable.h"
#include "event/overflow.h"
#include "json/escape.h"
#include "shard/event_rows.h"
#include "store/store.h"

namespace millrace::api {
namespace {

constexpr Millis kOrphanAge = std::chrono::hours(1);
constexpr auto kFirstAfter = std::chrono::seconds(1);  // what the last run left, and whether the store is there
constexpr auto kEvery = std::chrono::seconds(30);
// What one round may cost: some thousand point reads.
constexpr std::size_t kBlobsPerRound = 500;
constexpr int kPagesPerRound = 10;
constexpr std::size_t kItemsPerPage = 500;
constexpr std::size_t kEventsPerPage = 100;   // each of which may be nearly as large as what overflows
constexpr std::size_t kGatheredMax = 10'000;  // keys a queue or tenant; those beyond come with the next time around

constexpr std::string_view kItems = "items/";

// "items/<queue>/…"
std::optional<std::string> queue_in_key(std::string_view key) {
  if (!key.starts_with(kItems)) return std::nullopt;
  key.remove_prefix(kItems.size());
  const std::size_t slash = key.find('/');
  if (slash == key.npos || slash == 0) return std::nullopt;
  return std::string(key.substr(0, slash));
}

}  // namespace

std::size_t BlobSweep::round() {
  const Time old = clock_.now() - kOrphanAge;
  const std::size_t removed = sweep_page(old);
  return removed + search_items(old) + search_events(old);
}

std::size_t BlobSweep::sweep_page(Time old) {
  const blob::Page page = blobs_.list(cursor_, kBlobsPerRound);
  cursor_ = page.next;
  std::size_t removed = 0;
  for (const blob::Entry& entry : page.entries) {
    if (entry.written >= old) continue;
    if (entry.key.starts_with(kItems)) {
      gather_item(entry);
    } else if (event::holds_digest_of_owner(entry.key)) {
      gather_event(entry);
    } else if (event::owner_of_key(entry.key) && !event_has_it(entry, clock_.now())) {
      blobs_.remove(entry.tenant, entry.key, old);
      ++removed;
    }
  }
  return removed;
}

void BlobSweep::gather_item(const blob::Entry& entry) {
  auto queue = queue_in_key(entry.key);
  if (!queue) return;
  auto& keys = gathered_[{entry.tenant, *std::move(queue)}];
  if (keys.size() < kGatheredMax) keys.insert(entry.key);
}

void BlobSweep::gather_event(const blob::Entry& entry) {
  auto& keys = gathered_events_[entry.tenant];
  if (keys.size() < kGatheredMax) keys.insert(entry.key);
}

// True also where it cannot be known: a tenant that this store has never seen is somebody else's.
bool BlobSweep::event_has_it(const blob::Entry& entry, Time now) {
  const auto shard = engine_.shard_of(entry.tenant);
  const auto owner = event::owner_of_key(entry.key);
  if (!shard || !owner) return true;
  event::Header header;
  header.event_id = owner->event_id;
  shard::Need need{.items = {}, .dedup = {shard::event_id_key(entry.tenant, header)}};
  if (owner->source) {
    header.source = *owner->source;
    need.dedup.push_back(shard::source_and_id_key(entry.tenant, header));
  }
  std::vector<Position> positions;
  for (const auto& row : engine_.store().fetch(*shard, need).dedup) {
    if (row) positions.push_back(Position{row->made});
  }
  for (const auto& event : engine_.store().events_at(*shard, entry.tenant, positions, {now})) {
    const auto reference = event ? event::overflow_of(*event->rest) : std::nullopt;
    if (reference && reference->key == entry.key) return true;
  }
  return false;
}

std::size_t BlobSweep::search_items(Time old) {
  if (!search_ && !gathered_.empty()) {
    auto next = gathered_.extract(gathered_.begin());
    search_ = Search{.queue = next.key(), .keys = std::move(next.mapped())};
  }
  if (!search_) return 0;
  const auto shard = engine_.shard_of(search_->queue.tenant);
  if (!shard) return search_.reset(), 0;
  for (int page = 0; page < kPagesPerRound; ++page) {
    if (search_->keys.empty()) return search_.reset(), 0;
    if (search_page(*shard, *search_)) continue;
    const Search done = *std::exchange(search_, std::nullopt);
    return remove_all(done.queue.tenant, done.keys, old);
  }
  return 0;
}

// False: there are no more.
bool BlobSweep::search_page(ShardId shard, Search& search) {
  const store::ItemPage page =
      engine_.store().items(shard, {.queue = search.queue, .before = search.before, .limit = kItemsPerPage});
  for (const store::ItemView& item : page.items) {
    if (const std::string key = overflow_key(item.body->payload); !key.empty()) search.keys.erase(key);
  }
  if (!page.items.empty()) search.before = page.items.back().record.id;
  return page.more && !page.items.empty();
}

// What is appended while this goes on comes at the end, so it is looked at too; only `old` blobs are removed then.
std::size_t BlobSweep::search_events(Time old) {
  if (!log_search_ && !gathered_events_.empty()) {
    auto next = gathered_events_.extract(gathered_events_.begin());
    log_search_ = LogSearch{.tenant = next.key(), .keys = std::move(next.mapped())};
  }
  if (!log_search_) return 0;
  const auto shard = engine_.shard_of(log_search_->tenant);
  if (!shard) return log_search_.reset(), 0;
  for (int page = 0; page < kPagesPerRound; ++page) {
    if (log_search_->keys.empty()) return log_search_.reset(), 0;
    if (search_page(*shard, *log_search_)) continue;
    const LogSearch done = *std::exchange(log_search_, std::nullopt);
    return remove_all(done.tenant, done.keys, old);
  }
  return 0;
}

// False: there are no more.
bool BlobSweep::search_page(ShardId shard, LogSearch& search) {
  const store::LogPage page = engine_.store().event_log(
      shard, {.tenant = search.tenant, .after = search.after, .limit = kEventsPerPage, .horizon = {clock_.now()}});
  for (const event::Record& event : page.events) {
    if (const auto reference = event::overflow_of(*event.rest)) search.keys.erase(reference->key);
  }
  search.after = page.through;
  return page.more;
}

std::size_t BlobSweep::remove_all(const TenantId& tenant, const std::set<std::string>& keys, Time old) {
  for (const std::string& key : keys) blobs_.remove(tenant, key, old);
  return keys.size();
}

void BlobSweep::start() {
  thread_ = std::thread([this] { run_until_stopped(); });
}

void BlobSweep::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BlobSweep::run_until_stopped() {
  std::unique_lock lock(mutex_);
  std::chrono::seconds pause = kFirstAfter;
  while (!changed_.wait_for(lock, pause, [this] { return stopping_; })) {
    if (engine_.state() != engine::State::ready) continue;
    pause = kEvery;
    lock.unlock();
    try {
      const std::size_t removed = round();
      if (removed > 0) spdlog::info(R"("msg":"removed blobs that nothing refers to","count":{})", removed);
    } catch (const std::exception& error) {
      std::string why;
      json::append_string(why, error.what());
      spdlog::warn(R"("msg":"sweeping the blob store failed","why":{})", why);
    }
    lock.lock();
  }
}

}  // namespace millrace::api
