// What can be asked of the event log. Every question is one tenant's, and has a horizon: what lies beyond is hidden.
//
// A page that is short but has a `next` is no contradiction: a call looks at a bounded number of entries, and those
// that do not match, or are hidden, leave gaps. Only a page without `next` is the last.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "event/event.h"
#include "event/keys.h"

namespace millrace::store {

// Texts are compared by their bytes. REQUIRES here and below: UTF-8 without NUL, as in the events themselves.
struct SortBound {
  std::string text;
  bool inclusive = true;

  bool operator==(const SortBound&) const = default;
};
struct SortRange {
  std::optional<SortBound> from;
  std::optional<SortBound> to;

  bool contains(std::string_view sort) const;
};
// What begins with `prefix`.
SortRange starting_with(std::string_view prefix);
// What is in both.
SortRange narrowed(SortRange one, const SortRange& other);

// How far back events are kept. What lies beyond is gone for every reader at once; its rows are dropped some time
// later.
struct Horizon {
  Time now{};                                // events with a time of their own go then (S0.7)
  std::optional<Time> received_before = {};  // those that were received before it are too old

  bool hides(std::optional<Time> expires, Time received) const {
    return (expires && *expires <= now) || (received_before && received < *received_before);
  }
  bool hides(const event::Record& record) const { return hides(record.header.expires, record.received); }
};

enum class Order { ascending, descending };

// What an index orders its events by, before their positions: the sort key, up to where it names the event itself. Only
// the table's do (TIMESTAMP#ms#EVENT#id), so that events of one millisecond keep their order there as everywhere
// (S0.8).
std::string_view ordering_part(event::Index index, std::string_view sort);

// One of the eight access patterns (S0.3): a partition, in the order of the sort key's ordering part, then of the
// position.
struct EventQuery {
  // The place that the next page comes after, in the query's direction; `sort` is an ordering part.
  struct Cursor {
    std::string sort;
    Position position;

    auto operator<=>(const Cursor&) const = default;
  };
  TenantId tenant;
  event::Index index = event::Index::table;
  std::string partition = {};
  SortRange sort = {};
  Order order = Order::ascending;
  std::optional<Cursor> after = {};
  std::size_t limit = 50;
  Horizon horizon = {};
};
struct EventPage {
  std::vector<event::Record> events;
  std::optional<EventQuery::Cursor> next;
};

// The listing (S3.4): newest first, by time, then by position. What is set must match, every context pair too.
struct EventListing {
  struct Cursor {
    Time time{};
    Position position;

    auto operator<=>(const Cursor&) const = default;
  };
  TenantId tenant;
  std::optional<std::string> type = {};
  std::optional<std::string> source = {};
  std::optional<std::string> subject = {};
  std::optional<std::string> correlation_id = {};
  std::vector<event::ContextPair> context = {};
  std::optional<Time> from = {};      // inclusive
  std::optional<Time> to = {};        // exclusive
  std::optional<Cursor> before = {};  // only what is older
  std::size_t limit = 50;
  Horizon horizon = {};

  bool matches(const event::Record& record) const;  // all but the cursor
};
struct EventList {
  std::vector<event::Record> events;
  std::optional<EventListing::Cursor> next;
};

// The log by position, for those who follow it.
struct LogQuery {
  TenantId tenant;
  Position after = {};
  std::vector<std::string> types = {};  // empty = all
  std::size_t limit = 100;
  Horizon horizon = {};
};
struct LogPage {
  std::vector<event::Record> events;
  Position through;   // everything up to here was looked at: go on after it
  bool more = false;  // there are positions after it
};

// How many entries one call looks at besides those it returns: some tens of milliseconds. Events of one sender often
// expire together, and until their rows are dropped they stand between those that are left.
inline constexpr std::size_t kEventScanMax = 20'000;

}  // namespace millrace::store
