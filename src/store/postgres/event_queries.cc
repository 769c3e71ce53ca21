// The access patterns and the listing: an index gives positions in order, then the events are read by them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "store/postgres/events.h"
#include "store/postgres/records.h"
#include "store/stored_keys.h"

namespace millrace::store::postgres {
namespace {

using event::Index;

constexpr std::int64_t kBelowAll = -1;
constexpr std::int64_t kAboveAll = std::numeric_limits<std::int64_t>::max();

Time since(const Horizon& horizon) { return horizon.received_before.value_or(Time::min()); }

template <class Question>
std::size_t looked_at(const Question& question) {
  return question.limit + kEventScanMax;
}
// One more than is wanted; where answers are still refused here, so many besides.
constexpr std::size_t kRefusedMax = 1000;
template <class Question>
std::size_t sent_max(const Question& question, bool refuses_here) {
  return question.limit + (refuses_here ? kRefusedMax : 1);
}

// ---- access patterns --------------------------------------------------------------------------

// The expressions of each index, as in event_tables.h and migrations.cc.
struct Pattern {
  const char* partition;
  const char* sort;
  const char* event_id = "''";  // where it is part of the sort key
};
constexpr std::array<Pattern, event::kIndexes> kPatterns = {{
    {"(e.tenant || '/0/')", "e.time_key", "e.event_id"},
    {"(e.tenant || '/1/' || e.entity_type || '#' || e.entity_id)", "(e.entity_type || '#TIMESTAMP#' || e.time_key)"},
    {"(e.tenant || '/2/' || e.app)", "e.time_key"},
    {"(e.tenant || '/3/' || e.app)", "(e.entity_type || '#' || e.entity_id || '#TIMESTAMP#' || e.time_key)"},
    {"(e.tenant || '/4/' || e.type)", "e.time_key"},
    {"(e.tenant || '/5/' || e.type)", "(e.entity_type || '#' || e.entity_id || '#TIMESTAMP#' || e.time_key)"},
    {"(e.tenant || '/6/' || e.type)", "(e.app || '#TIMESTAMP#' || e.time_key)"},
    {"(e.tenant || '/7/' || e.type)",
     "(e.app || '#' || e.entity_type || '#' || e.entity_id || '#TIMESTAMP#' || e.time_key)"},
}};
std::string partition_of(const EventQuery& query, const StoredRange& range) {
  return fmt::format("{}/{}/{}", query.tenant.text(), static_cast<int>(query.index), range.partition);
}

// How a question is bounded, whatever stands between its answers: `seen` is walked no further than the last row that is
// sent, or to its own end, and where that end is not the end of the index, its last place is sent as well, as one to go
// on after. Its rows come in the order of the index, an UNION ALL gives one side after the other. Columns: the place,
// whether it is an answer, and `more`. `sent` is how many.
std::string sent_of_seen(const std::string& seen, const char* place, const char* more, const char* looked_at,
                         const char* sent) {
  return fmt::format(R"sql(
WITH seen AS MATERIALIZED ({0})
(SELECT {1}, s.position, true, {2} FROM seen s WHERE s.shown)
UNION ALL
(SELECT {1}, s.position, false, {2} FROM seen s OFFSET {3}::bigint - 1)
LIMIT {4}::bigint)sql",
                     seen, place, more, looked_at, sent);
}

// $1 shard, $2 partition, $3 now, $4 how many are looked at, ($5, $6) after this place, $7 received since, $8 how many
// are sent, ($9, $10) before this place.
std::string pattern_sql(const Pattern& pattern, Order order, bool ends) {
  const char* direction = order == Order::ascending ? "ASC" : "DESC";
  const std::string end = ends ? fmt::format("AND ({}, e.position) < ($9::text, $10::bigint)", pattern.sort) : "";
  const std::string seen = fmt::format(R"sql(
SELECT {0} AS sort, e.position, {4} AS event_id,
       (e.expires IS NULL OR e.expires > $3::timestamptz) AND e.received >= $7::timestamptz AS shown
FROM millrace.events e
WHERE e.shard = $1::smallint AND {1} = $2::text AND ({0}, e.position) > ($5::text, $6::bigint) {2}
ORDER BY {0} {3}, e.position {3} LIMIT $4::bigint)sql",
                                       pattern.sort, pattern.partition, end, direction, pattern.event_id);
  return sent_of_seen(seen, "s.sort", "s.event_id", "$4", "$8");
}

// By index, order and whether there is an end; their names live as long.
class PatternStatements {
 public:
  PatternStatements() {
    for (std::size_t i = 0; i < kAll; ++i) {
      names_[i] = fmt::format("event_pattern_{}", i);
      const Order order = i / 2 % 2 == 0 ? Order::ascending : Order::descending;
      statements_[i] = {names_[i].c_str(), pattern_sql(kPatterns[i / 4], order, i % 2 == 1)};
    }
  }
  const Statement& of(Index index, Order order, bool ends) const {
    return statements_[static_cast<std::size_t>(index) * 4 + (order == Order::descending ? 2 : 0) + (ends ? 1 : 0)];
  }

 private:
  static constexpr std::size_t kAll = event::kIndexes * 4;
  std::array<std::string, kAll> names_;
  std::array<Statement, kAll> statements_;
};
const PatternStatements kPatternStatements;

// Where a walk begins or ends: neither place itself belongs to it.
struct Place {
  std::string sort;
  std::int64_t position;

  auto operator<=>(const Place&) const = default;
};

Place begin_of(const StoredRange& range, Order order) {
  Place begin{"", kBelowAll};
  if (range.sort.from) begin = {range.sort.from->text, range.sort.from->inclusive ? kBelowAll : kAboveAll};
  if (range.after && order == Order::ascending) {
    begin = std::max(begin, Place{range.after->sort, column(range.after->position)});
  }
  return begin;
}

std::optional<Place> end_of(const StoredRange& range, Order order) {
  std::optional<Place> end;
  if (range.sort.to) end = Place{range.sort.to->text, range.sort.to->inclusive ? kAboveAll : kBelowAll};
  if (range.after && order == Order::descending) {
    const Place place{range.after->sort, column(range.after->position)};
    end = end ? std::min(*end, place) : place;
  }
  return end;
}

// A whole sort key of the table.
std::string table_sort(std::string_view ordering_part, std::string_view event_id) {
  return fmt::format("{}#EVENT#{}", ordering_part, event_id);
}

// ---- the listing ------------------------------------------------------------------------------

// What a listing is driven by; the rest is a filter over what that gives.
enum class Driver : std::uint8_t { all, type, source, subject, correlation_id, context };
constexpr std::size_t kDrivers = 6;

// $1 shard, $2 what the driver's index begins with, ($3, $4) before this place, $5 from this time, $6 how many are
// looked at, $7 now, $8 type, $9 source, $10 subject, $11 correlation_id (each an array: empty where any will do), $12
// whether the context is wanted, $13 and $14 the key and value of the context's driver, $15 received since, $16 how
// many are sent. `entry` names the row that the driver's index is of: the event itself, but for the context.
std::string listing_sql(const char* entry, const char* from, const char* driven) {
  const std::string seen = fmt::format(R"sql(
SELECT {0}.time, {0}.position,
       (e.expires IS NULL OR e.expires > $7::timestamptz) AND e.received >= $15::timestamptz
         AND (cardinality($8::text[]) = 0 OR e.type = ($8::text[])[1])
         AND (cardinality($9::text[]) = 0 OR e.source = ($9::text[])[1])
         AND (cardinality($10::text[]) = 0 OR e.subject = ($10::text[])[1])
         AND (cardinality($11::text[]) = 0 OR e.correlation_id = ($11::text[])[1]) AS shown,
       CASE WHEN $12::boolean THEN e.context END AS context
FROM {1}
WHERE {0}.shard = $1::smallint AND {2} AND $13::text IS NOT NULL AND $14::text IS NOT NULL
  AND ({0}.time, {0}.position) < ($3::timestamptz, $4::bigint) AND {0}.time >= $5::timestamptz
ORDER BY {0}.time DESC, {0}.position DESC LIMIT $6::bigint)sql",
                                       entry, from, driven);
  return sent_of_seen(seen, "s.time", "s.context", "$6", "$16");
}
std::string events_sql(const char* driven) { return listing_sql("e", "millrace.events e", driven); }

const std::array<Statement, kDrivers> kListings = {{
    {"list_events", events_sql("(e.tenant || '/all/') = $2::text")},
    {"list_events_of_type", events_sql("(e.tenant || '/type/' || e.type) = $2::text")},
    {"list_events_of_source", events_sql("(e.tenant || '/source/' || e.source) = $2::text")},
    {"list_events_of_subject", events_sql("(e.tenant || '/subject/' || e.subject) = $2::text AND e.subject <> ''")},
    {"list_events_of_correlation",
     events_sql("(e.tenant || '/correlation/' || e.correlation_id) = $2::text AND e.correlation_id <> ''")},
    {"list_events_of_context", listing_sql("k", R"sql(millrace.event_context k
CROSS JOIN LATERAL (
  SELECT * FROM millrace.events e
  WHERE e.shard = k.shard AND e.tenant = k.tenant AND e.position = k.position LIMIT 1) AS e)sql",
                                           "k.tenant = $2::text AND k.key = $13::text AND k.value = $14::text")},
}};

// The most telling of what is filtered by; an event has no entry for a text that it leaves empty.
Driver driver_of(const EventListing& listing) {
  const auto set = [](const std::optional<std::string>& text) { return text && !text->empty(); };
  if (set(listing.correlation_id)) return Driver::correlation_id;
  if (set(listing.subject)) return Driver::subject;
  if (!listing.context.empty()) return Driver::context;
  if (listing.source) return Driver::source;
  return listing.type ? Driver::type : Driver::all;
}

// What the driver's index begins with.
std::string driven_by(const EventListing& listing, Driver driver) {
  const std::string& tenant = listing.tenant.text();
  switch (driver) {
    case Driver::all:
      return tenant + "/all/";
    case Driver::type:
      return tenant + "/type/" + *listing.type;
    case Driver::source:
      return tenant + "/source/" + *listing.source;
    case Driver::subject:
      return tenant + "/subject/" + *listing.subject;
    case Driver::correlation_id:
      return tenant + "/correlation/" + *listing.correlation_id;
    case Driver::context:
      return tenant;
  }
  return tenant;
}

struct TimedPlace {
  Time time;
  std::int64_t position;

  auto operator<=>(const TimedPlace&) const = default;
};

TimedPlace end_of(const EventListing& listing) {
  TimedPlace end{kNever, kAboveAll};
  if (listing.to) end = {*listing.to, kBelowAll};
  if (listing.before) end = std::min(end, TimedPlace{listing.before->time, column(listing.before->position)});
  return end;
}

// Of the context the index knows one pair, at most.
bool decides_here(const EventListing& listing) {
  return listing.context.size() > (driver_of(listing) == Driver::context ? 1 : 0);
}

Params params_of(ShardId shard, const EventListing& listing) {
  const TimedPlace end = end_of(listing);
  const Driver driver = driver_of(listing);
  Params params;
  params.add(column(shard)).add(driven_by(listing, driver)).add(end.time).add(end.position);
  params.add(listing.from.value_or(Time::min())).add(as_bigint(looked_at(listing))).add(listing.horizon.now);
  for (const auto* text : {&listing.type, &listing.source, &listing.subject, &listing.correlation_id}) {
    Column wanted;
    if (*text) wanted.add(**text);
    params.add(wanted);
  }
  const event::ContextPair pair = listing.context.empty() ? event::ContextPair{} : listing.context.front();
  params.add(!listing.context.empty()).add(pair.key).add(pair.value);
  params.add(since(listing.horizon)).add(as_bigint(sent_max(listing, decides_here(listing))));
  return params;
}

bool holds_all(const std::vector<std::string>& context, const std::vector<event::ContextPair>& wanted) {
  return std::ranges::all_of(wanted, [&](const event::ContextPair& pair) {
    for (std::size_t i = 0; i + 1 < context.size(); i += 2) {
      if (context[i] == pair.key && context[i + 1] == pair.value) return true;
    }
    return false;
  });
}

}  // namespace

EventPage read_events(Connection& connection, ShardId shard, const EventQuery& query) {
  const auto range = stored_range(query);
  if (!range || query.limit == 0) return {};
  const Place begin = begin_of(*range, query.order);
  const auto end = end_of(*range, query.order);
  Params params;
  params.add(column(shard)).add(partition_of(query, *range)).add(query.horizon.now);
  params.add(as_bigint(looked_at(query))).add(begin.sort).add(begin.position);
  const std::size_t sent = sent_max(query, !range->exact);
  params.add(since(query.horizon)).add(as_bigint(sent));
  if (end) params.add(end->sort).add(end->position);
  const Rows rows = connection.run(kPatternStatements.of(query.index, query.order, end.has_value()), params);

  EventPage page;
  std::vector<Position> wanted;
  EventQuery::Cursor last;
  Row row;
  for (int i = 0; i < rows.size() && !page.next; ++i) {
    if (wanted.size() == query.limit) {
      page.next = last;
      break;
    }
    rows.read(i, row);
    last.sort = ordering_part_of(query.tenant, query.index, row.view());
    last.position = Position{row.u64()};
    if (!row.boolean()) {
      page.next = last;
    } else if (range->exact || query.sort.contains(table_sort(last.sort, row.view()))) {
      wanted.push_back(last.position);
    }
  }
  if (!page.next && static_cast<std::size_t>(rows.size()) == sent) page.next = last;
  page.events = read_found(connection, shard, query.tenant, wanted, query.horizon);
  return page;
}

EventList list_events(Connection& connection, ShardId shard, const EventListing& listing) {
  if (listing.limit == 0) return {};
  const Rows rows = connection.run(kListings[static_cast<std::size_t>(driver_of(listing))], params_of(shard, listing));
  EventList list;
  std::vector<Position> wanted;
  EventListing::Cursor last;
  Row row;
  for (int i = 0; i < rows.size() && !list.next; ++i) {
    if (wanted.size() == listing.limit) {
      list.next = last;
      break;
    }
    rows.read(i, row);
    last.time = row.time();
    last.position = Position{row.u64()};
    const bool answers = row.boolean();
    const auto context = row.maybe(&Row::texts);
    if (!answers) {
      list.next = last;
    } else if (!context || holds_all(*context, listing.context)) {
      wanted.push_back(last.position);
    }
  }
  const std::size_t sent = sent_max(listing, decides_here(listing));
  if (!list.next && static_cast<std::size_t>(rows.size()) == sent) list.next = last;
  list.events = read_found(connection, shard, listing.tenant, wanted, listing.horizon);
  return list;
}

}  // namespace millrace::store::postgres
