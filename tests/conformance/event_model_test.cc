// Thousands of random events, and every way to ask for them, against a scan of them all: the eight access patterns
// in both directions, with bounds and cursors, the listing and the log; before and after a restart. S0.3, S0.4, S0.8,
// S3.4.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "conformance/event_samples.h"
#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using event::Index;

constexpr int kGroups = 60;
constexpr int kEventsPerGroup = 50;
constexpr int kQueries = 200;
constexpr int kListings = 100;

const std::vector<std::string> kTypes = {"Task Pending", "Task", "order.created", "ü"};
const std::vector<std::string> kApps = {"app", "app2", "a#b", "shop"};
const std::vector<std::string> kEntityTypes = {"TASK", "JOB", "TASK#X"};
const std::vector<std::string> kEntityIds = {"1", "10", "1#2", "req-123", "é", "z"};
const std::vector<std::string> kSources = {"s", "ss", "https://x/y"};
const std::vector<std::string> kMaybe = {"", "", "x", "xx"};

class EventModel : public StoreTest {
 protected:
  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
  }

  // Few milliseconds, so that most keys tie; some with other numbers of digits.
  Time random_time() {
    if (one_in(40)) return time_from_ms(below(1'000));
    if (one_in(40)) return time_from_ms(999'999'999'990 + below(20));
    return at(0) + Millis(below(40));
  }

  event::Record random_event(const TenantId& tenant) {
    event::Record event = make_event(tenant, ++last_[tenant]);
    event::Header& h = event.header;
    event.received = at(group_);
    h.event_id = std::to_string(random_()) + "-" + std::to_string(event.position.value);
    h.type = any(kTypes);
    h.app = any(kApps);
    h.source = any(kSources);
    h.entity_type = any(kEntityTypes);
    h.entity_id = any(kEntityIds);
    h.subject = any(kMaybe);
    h.correlation_id = any(kMaybe);
    h.time = random_time();
    if (one_in(10)) h.expires = at(below(100));
    if (one_in(3)) h.context.push_back({"k", any(kMaybe)});
    if (one_in(3)) h.context.push_back({"kk", any(kMaybe)});
    return event;
  }

  void fill() {
    for (group_ = 0; group_ < kGroups; ++group_) {
      std::map<ShardId, std::vector<event::Record>> by_shard;
      for (int n = 0; n < kEventsPerGroup; ++n) {
        const auto& [tenant, shard] = any(homes_);
        by_shard[shard].push_back(random_event(tenant));
        all_.push_back(by_shard[shard].back());
      }
      std::vector<shard::Batch> group;
      for (const auto& [shard, events] : by_shard) group.push_back(appended(shard, events));
      commit(group);
      if (group_ % 10 == 9) drop_expired();
    }
  }

  // As the shard does it: those whose time has come by now.
  void drop_expired() {
    std::vector<shard::Batch> group;
    for (const auto shard : {kShard, kOtherShard}) {
      auto& batch = group.emplace_back(shard::Batch{.shard = shard});
      for (const auto& event : store().expired_events(shard, {.now = at(group_)}, 20)) {
        batch.event_drops.push_back(drop_of(event));
        std::erase_if(all_, [&](const auto& e) { return e.tenant == event.tenant && e.position == event.position; });
      }
    }
    commit(group);
  }

  // ---- the scan -------------------------------------------------------------------------------

  std::vector<std::string> scan(const EventQuery& query) {
    std::vector<std::pair<EventQuery::Cursor, std::string>> hits;
    for (const auto& event : all_) {
      if (event.tenant != query.tenant || query.horizon.hides(event)) continue;
      const auto key = event::key_of(event.tenant, event.header, query.index);
      if (key.partition != query.partition || !query.sort.contains(key.sort)) continue;
      const EventQuery::Cursor place{std::string(ordering_part(query.index, key.sort)), event.position};
      const bool passed =
          query.after && (query.order == Order::ascending ? place <= *query.after : place >= *query.after);
      if (!passed) hits.emplace_back(place, describe(event));
    }
    std::ranges::sort(hits);
    if (query.order == Order::descending) std::ranges::reverse(hits);
    std::vector<std::string> lines;
    for (const auto& hit : hits) lines.push_back(hit.second);
    return lines;
  }

  std::vector<std::string> scan(const EventListing& listing) {
    std::vector<std::pair<EventListing::Cursor, std::string>> hits;
    for (const auto& event : all_) {
      if (event.tenant != listing.tenant || !listing.matches(event)) continue;
      hits.emplace_back(EventListing::Cursor{event.header.time, event.position}, describe(event));
    }
    std::ranges::sort(hits, std::greater());
    std::vector<std::string> lines;
    for (const auto& hit : hits) lines.push_back(hit.second);
    return lines;
  }

  std::vector<std::string> scan(const LogQuery& query) {
    std::map<Position, std::string> hits;
    for (const auto& event : all_) {
      if (event.tenant != query.tenant || event.position <= query.after) continue;
      const bool wanted = query.types.empty() || std::ranges::find(query.types, event.header.type) != query.types.end();
      if (wanted && !query.horizon.hides(event)) hits[event.position] = describe(event);
    }
    std::vector<std::string> lines;
    for (const auto& hit : hits) lines.push_back(hit.second);
    return lines;
  }

  // ---- random questions -----------------------------------------------------------------------

  // Mostly a key of some event, or the beginning of one.
  std::string random_sort(Index index) {
    const event::Record& event = any(all_);
    std::string sort = event::key_of(event.tenant, event.header, index).sort;
    if (!one_in(3)) return sort;
    const auto cut = static_cast<std::size_t>(below(static_cast<std::int64_t>(sort.size()) + 1));
    // Not within a character.
    std::size_t end = cut;
    while (end < sort.size() && (static_cast<unsigned char>(sort[end]) & 0xc0) == 0x80) ++end;
    return sort.substr(0, end);
  }

  SortRange random_range(Index index) {
    SortRange range;
    if (one_in(3)) return range;
    if (one_in(2)) return starting_with(random_sort(index));
    if (!one_in(4)) range.from = SortBound{random_sort(index), one_in(2)};
    if (!one_in(4)) range.to = SortBound{random_sort(index), one_in(2)};
    return range;
  }

  EventQuery random_query() {
    const event::Record& event = any(all_);
    const auto index = static_cast<Index>(below(event::kIndexes));
    EventQuery query{.tenant = one_in(20) ? any(homes_).first : event.tenant,
                     .index = index,
                     .partition = event::key_of(event.tenant, event.header, index).partition,
                     .sort = random_range(index),
                     .order = one_in(2) ? Order::ascending : Order::descending,
                     .limit = static_cast<std::size_t>(one_in(2) ? 3 + below(20) : 1 + below(200)),
                     .horizon = {at(below(120))}};
    if (one_in(4))
      query.after = EventQuery::Cursor{std::string(ordering_part(index, random_sort(index))),
                                       Position{static_cast<std::uint64_t>(below(900))}};
    return query;
  }

  EventListing random_listing() {
    const event::Record& event = any(all_);
    const event::Header& h = event.header;
    EventListing listing{.tenant = event.tenant,
                         .limit = static_cast<std::size_t>(one_in(2) ? 3 + below(20) : 1 + below(200)),
                         .horizon = {at(below(120))}};
    if (one_in(3)) listing.type = h.type;
    if (one_in(3)) listing.source = h.source;
    if (one_in(4)) listing.subject = h.subject;
    if (one_in(4)) listing.correlation_id = h.correlation_id;
    if (one_in(3)) listing.context = h.context;
    if (one_in(3)) listing.from = random_time();
    if (one_in(3)) listing.to = random_time();
    return listing;
  }

  template <class Question>
  void compare(const Question& question) {
    EXPECT_EQ(describe_all(all_pages(store(), home_of(question.tenant), question)), scan(question));
  }

  void compare_all() {
    for (int n = 0; n < kQueries && !HasFailure(); ++n) {
      const EventQuery query = random_query();
      SCOPED_TRACE(std::string(event::name_of(query.index)) + " " + query.partition);
      compare(query);
    }
    for (int n = 0; n < kListings && !HasFailure(); ++n) compare(random_listing());
    for (const auto& [tenant, shard] : homes_) {
      compare(LogQuery{.tenant = tenant, .limit = 37, .horizon = {at(50)}});
      compare(LogQuery{
          .tenant = tenant, .after = Position{100}, .types = {kTypes[1], kTypes[3]}, .limit = 5, .horizon = {at(50)}});
    }
  }

  // Every partition of every index, whole, in both directions: nothing is missing and nothing is left over.
  void compare_partitions() {
    std::set<std::tuple<TenantId, Index, std::string>> partitions;
    for (const auto& event : all_) {
      for (std::size_t i = 0; i < event::kIndexes; ++i) {
        const auto index = static_cast<Index>(i);
        partitions.emplace(event.tenant, index, event::key_of(event.tenant, event.header, index).partition);
      }
    }
    for (const auto& [tenant, index, partition] : partitions) {
      for (const Order order : {Order::ascending, Order::descending}) {
        compare(EventQuery{.tenant = tenant, .index = index, .partition = partition, .order = order, .limit = 100});
      }
    }
  }

  void run(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_.seed(seed);
    fill();
    compare_all();
    restart();
    compare_all();
    compare_partitions();
  }

  ShardId home_of(const TenantId& tenant) {
    return std::ranges::find(homes_, tenant, [](const auto& home) { return home.first; })->second;
  }

  const std::vector<std::pair<TenantId, ShardId>> homes_ = {
      {tenant("a"), kShard}, {tenant("aa"), kShard}, {tenant("a-b"), kShard}, {tenant("z"), kOtherShard}};
  std::mt19937_64 random_;
  std::map<TenantId, std::uint64_t> last_;
  std::vector<event::Record> all_;
  std::int64_t group_ = 0;
};
MR_ON_EVERY_STORE(EventModel);

TEST_P(EventModel, EveryQuestionIsAnsweredAsByAScan1) { run(1); }
TEST_P(EventModel, EveryQuestionIsAnsweredAsByAScan2) { run(2); }

}  // namespace
}  // namespace millrace::store::conformance
