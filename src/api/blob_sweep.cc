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
// For readers that have just seen the event and want what it refers to.
constexpr Millis kPastAge = std::chrono::minutes(1);   // of a blob, and since its event expired
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

bool is_old(const blob::Entry& entry, Time now) { return entry.written < now - kOrphanAge; }

// Whether an event of this owner's id is a repeat for as long as any command takes that is under way now. A row without
// end says nothing of the kind: it is given one in the commit that drops its event.
bool stays_known(const shard::DedupRecord& row, const event::KeyOwner& owner, Time now) {
  if (row.expires == kNever || row.expires <= now + kOrphanAge) return false;
  const bool is_of_id_alone = row.key.kind == shard::DedupKind::event_id;
  return !owner.source || !is_of_id_alone || row.fingerprint == *owner.source;
}

}  // namespace

std::size_t BlobSweep::round() {
  const Time now = clock_.now();
  const std::size_t removed = sweep_page(now);
  return removed + search_items(now - kOrphanAge) + search_events(now - kOrphanAge);
}

std::size_t BlobSweep::sweep_page(Time now) {
  const blob::Page page = blobs_.list(cursor_, kBlobsPerRound);
  cursor_ = page.next;
  std::size_t removed = 0;
  for (const blob::Entry& entry : page.entries) {
    if (entry.key.starts_with(kItems)) {
      if (is_old(entry, now)) gather_item(entry);
    } else if (event::holds_digest_of_owner(entry.key)) {
      if (is_old(entry, now)) gather_event(entry);
    } else {
      removed += sweep_event(entry, now);
    }
  }
  return removed;
}

std::size_t BlobSweep::sweep_event(const blob::Entry& entry, Time now) {
  if (entry.written >= now - kPastAge) return 0;
  const Standing standing = standing_of(entry, now);
  const Time before = now - (standing == Standing::past ? kPastAge : kOrphanAge);
  if (standing == Standing::needed || entry.written >= before) return 0;
  blobs_.remove(entry.tenant, entry.key, before);
  return 1;
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

// A tenant that this store has never seen is somebody else's.
BlobSweep::Standing BlobSweep::standing_of(const blob::Entry& entry, Time now) {
  const auto shard = engine_.shard_of(entry.tenant);
  const auto owner = event::owner_of_key(entry.key);
  if (!shard || !owner) return Standing::needed;
  event::Header header;
  header.event_id = owner->event_id;
  shard::Need need{.items = {}, .dedup = {shard::event_id_key(entry.tenant, header)}};
  if (owner->source) {
    header.source = *owner->source;
    need.dedup.push_back(shard::source_and_id_key(entry.tenant, header));
  }
  const auto rows = engine_.store().fetch(*shard, need).dedup;
  std::vector<Position> positions;
  bool is_known = false;
  for (const auto& row : rows) {
    if (!row) continue;
    positions.push_back(Position{row->made});
    is_known = is_known || stays_known(*row, *owner, now);
  }
  const store::Horizon horizon{is_old(entry, now) ? now : now - kPastAge};
  for (const auto& event : engine_.store().events_at(*shard, entry.tenant, positions, horizon)) {
    const auto reference = event ? event::overflow_of(*event->rest) : std::nullopt;
    if (reference && reference->key == entry.key) return Standing::needed;
  }
  return is_known ? Standing::past : Standing::unclaimed;
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
