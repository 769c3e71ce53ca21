// The events that a range of index entries names.
#include <algorithm>

#include "store/event_codec.h"
#include "store/rocksdb/event_entries.h"
#include "store/rocksdb/events.h"
#include "store/stored_keys.h"

namespace millrace::store::rocks {
namespace {

// After the sort key of an entry comes the NUL of its position: this byte is above it and below any longer key.
constexpr char kPastEqual = '\1';

// The entries of [lower, upper), in one direction.
class Walk {
 public:
  Walk(View& view, std::string lower, std::string upper, Order order)
      : lower_(std::move(lower)),
        upper_(std::move(upper)),
        lower_slice_(slice(lower_)),
        upper_slice_(slice(upper_)),
        order_(order) {
    if (lower_ >= upper_) return;
    at_ = view.iterate(Table::event_index, &lower_slice_, &upper_slice_);
    order_ == Order::ascending ? at_->SeekToFirst() : at_->SeekToLast();
    check(*at_, Table::event_index);
  }
  Walk(const Walk&) = delete;

  bool valid() const { return at_ != nullptr && at_->Valid(); }
  std::string_view key() const { return rocks::view(at_->key()); }
  Position position() const {
    return decoded(Table::event_index, key(), [&] { return last_position_of(key()); });
  }
  void next() {
    order_ == Order::ascending ? at_->Next() : at_->Prev();
    check(*at_, Table::event_index);
  }

 private:
  std::string lower_;
  std::string upper_;
  rocksdb::Slice lower_slice_;
  rocksdb::Slice upper_slice_;
  Order order_;
  std::unique_ptr<rocksdb::Iterator> at_;
};

struct Entry {
  std::string key;
  Position position;
};

// The next entries, at most `count`.
std::vector<Entry> take_entries(Walk& walk, std::size_t count) {
  std::vector<Entry> entries;
  for (; walk.valid() && entries.size() < count; walk.next()) {
    entries.push_back({std::string(walk.key()), walk.position()});
  }
  return entries;
}

// The events that entries name; nullopt for those that are hidden, which cost no more than a glance.
std::vector<std::optional<event::Record>> read_named(View& view, ShardId shard, const TenantId& tenant,
                                                     const std::vector<Entry>& entries, const Horizon& horizon) {
  std::vector<std::string> keys;
  keys.reserve(entries.size());
  for (const Entry& entry : entries) keys.push_back(event_key(shard, tenant, entry.position));
  const auto values = view.get_all(Table::events, keys);
  std::vector<std::optional<event::Record>> events(entries.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!values[i]) throw_damaged(Table::events, keys[i], "an index names an event that is not there");
    decoded(Table::events, keys[i], [&] {
      const EventGlance glance = glance_at_event(*values[i]);
      if (!horizon.hides(glance.expires, glance.received)) {
        events[i] = decode_event(tenant, entries[i].position, *values[i]);
      }
      return true;
    });
  }
  return events;
}

// Entries that are looked at together once the first were not enough.
constexpr std::size_t kEntriesAtOnce = 256;

struct Gathered {
  std::vector<event::Record> events;
  std::optional<std::string> last;  // the last entry looked at, if there are more
};

// Up to `limit` of a question's events that are wanted, looking at no more than kEventScanMax that are not.
template <class Question, class Wanted>
Gathered gather(View& view, ShardId shard, const Question& question, Walk& walk, Wanted wanted) {
  Gathered out;
  const std::size_t limit = question.limit;
  std::size_t left = limit + kEventScanMax;
  for (std::size_t count = limit; walk.valid() && out.events.size() < limit && left > 0; count = kEntriesAtOnce) {
    const std::vector<Entry> entries = take_entries(walk, std::min(left, count));
    left -= entries.size();
    auto events = read_named(view, shard, question.tenant, entries, question.horizon);
    std::size_t seen = 0;
    for (; seen < events.size() && out.events.size() < limit; ++seen) {
      if (events[seen] && wanted(*events[seen])) out.events.push_back(*std::move(events[seen]));
    }
    out.last.reset();
    if (walk.valid() || seen < entries.size()) out.last = entries[seen - 1].key;
  }
  return out;
}

// The most telling of what is filtered by; an event has no entry for a text that it leaves empty.
std::string driving_prefix(ShardId shard, const EventListing& listing) {
  const auto set = [](const std::optional<std::string>& text) { return text && !text->empty(); };
  const TenantId& tenant = listing.tenant;
  if (set(listing.correlation_id)) return facet_prefix(shard, tenant, Facet::correlation_id, *listing.correlation_id);
  if (set(listing.subject)) return facet_prefix(shard, tenant, Facet::subject, *listing.subject);
  if (!listing.context.empty()) return context_prefix(shard, tenant, listing.context.front());
  if (listing.source) return facet_prefix(shard, tenant, Facet::source, *listing.source);
  if (listing.type) return facet_prefix(shard, tenant, Facet::type, *listing.type);
  return facet_prefix(shard, tenant, Facet::all, {});
}

}  // namespace

EventPage read_events(View& view, ShardId shard, const EventQuery& query) {
  const auto range = stored_range(query);
  if (!range) return {};
  const std::string prefix = pattern_prefix(shard, query.tenant, query.index, range->partition);
  std::string lower = prefix;
  if (const auto& from = range->sort.from) {
    lower += from->text;
    if (!from->inclusive) lower += kPastEqual;
  }
  std::string upper = range->sort.to ? prefix + range->sort.to->text : after_prefix(prefix);
  if (range->sort.to && range->sort.to->inclusive) upper += kPastEqual;
  if (range->after) {
    const std::string place = prefix + range->after->sort;
    if (query.order == Order::ascending) {
      lower = std::max(lower, with_position(place, Position{range->after->position.value + 1}));
    } else {
      upper = std::min(upper, with_position(place, range->after->position));
    }
  }
  Walk walk(view, std::move(lower), std::move(upper), query.order);
  auto found = gather(view, shard, query, walk,
                      [&](const event::Record& record) { return is_wanted(query, *range, record.header); });
  EventPage page{std::move(found.events), {}};
  if (found.last) {
    page.next = EventQuery::Cursor{ordering_part_of(query.tenant, query.index, sort_of(*found.last, prefix.size())),
                                   last_position_of(*found.last)};
  }
  return page;
}

EventList list_events(View& view, ShardId shard, const EventListing& listing) {
  const std::string prefix = driving_prefix(shard, listing);
  std::string lower = listing.from ? with_time(prefix, *listing.from) : prefix;
  std::string upper = listing.to ? with_time(prefix, *listing.to) : after_prefix(prefix);
  if (listing.before) {
    upper = std::min(upper, with_position(with_time(prefix, listing.before->time), listing.before->position));
  }
  Walk walk(view, std::move(lower), std::move(upper), Order::descending);
  auto found = gather(view, shard, listing, walk, [&](const event::Record& record) { return listing.matches(record); });
  EventList list{std::move(found.events), {}};
  if (found.last) list.next = listing_place(*found.last);
  return list;
}

}  // namespace millrace::store::rocks
