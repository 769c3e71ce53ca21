#include "store/stored_keys.h"

#include <utility>

namespace millrace::store {
namespace {

using event::Index;

// What every key of an index begins with, within a tenant.
struct Opening {
  std::string partition;
  std::string sort;
};

Opening opening_of(const TenantId& tenant, Index index) {
  const std::string owner = "TENANT#" + tenant.text();
  switch (index) {
    case Index::table:
      return {owner, "TIMESTAMP#"};
    case Index::gsi1:
      return {};
    case Index::gsi2:
      return {"APP#", "TIMESTAMP#"};
    case Index::gsi3:
      return {"APP#", ""};
    case Index::gsi4:
      return {"EVENT#", owner + "#TIMESTAMP#"};
    case Index::gsi5:
      return {"EVENT#", owner + "#"};
    case Index::gsi6:
    case Index::gsi7:
      return {"EVENT#", owner + "#APP#"};
  }
  return {};
}

// How a bound lies to the texts that begin with `opening`; within them, the bound is cut to what follows.
enum class Side { before, within, after };
Side cut(SortBound& bound, std::string_view opening) {
  if (bound.text.starts_with(opening)) {
    bound.text.erase(0, opening.size());
    return Side::within;
  }
  return bound.text < opening ? Side::before : Side::after;
}

// nullopt if no text that begins with `opening` is in the range.
std::optional<SortRange> cut(SortRange range, std::string_view opening) {
  if (range.from) {
    const Side side = cut(*range.from, opening);
    if (side == Side::after) return std::nullopt;
    if (side == Side::before) range.from.reset();
  }
  if (range.to) {
    const Side side = cut(*range.to, opening);
    if (side == Side::before) return std::nullopt;
    if (side == Side::after) range.to.reset();
  }
  return range;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits of a time that a bound of the table begins with.
std::size_t time_bytes(std::string_view text) {
  std::size_t size = text.starts_with('-') ? 1 : 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  return size;
}

// A bound of the table's keys (`ms#EVENT#id`, or any other text) as a bound of `ms`. False if it falls between events
// of one millisecond, all of which is in the range then. Digits are above the '#' that ends a time, so times that go on
// where the digits of a bound end are above it, unless the bound itself goes on with something above the digits.
enum class End { from, to };
bool lift(std::optional<SortBound>& bound, End end) {
  constexpr std::string_view kNext = "#EVENT#";
  const std::size_t size = bound ? time_bytes(bound->text) : 0;
  if (size == 0) return true;
  const std::string rest = bound->text.substr(size);
  if (!rest.empty() && static_cast<unsigned char>(rest.front()) > '9') return true;
  const bool within = rest.starts_with(kNext) && rest.size() > kNext.size();
  const bool below_bound = rest > kNext;  // all of this millisecond
  bound->text.resize(size);
  bound->inclusive = within || below_bound == (end == End::to);
  return !within;
}

}  // namespace

event::Key stored_key(const TenantId& tenant, const event::Header& header, Index index) {
  const Opening opening = opening_of(tenant, index);
  event::Key key = event::key_of(tenant, header, index);
  key.partition.erase(0, opening.partition.size());
  key.sort.resize(ordering_part(index, key.sort).size());
  key.sort.erase(0, opening.sort.size());
  return key;
}

std::optional<StoredRange> stored_range(const EventQuery& query) {
  const Opening opening = opening_of(query.tenant, query.index);
  if (!query.partition.starts_with(opening.partition)) return std::nullopt;
  auto sort = cut(query.sort, opening.sort);
  if (!sort) return std::nullopt;
  StoredRange range{query.partition.substr(opening.partition.size()), std::move(*sort), {}};
  // The table's partition is the tenant, whole.
  if (query.index == Index::table) {
    if (!range.partition.empty()) return std::nullopt;
    const bool from_exact = lift(range.sort.from, End::from);
    const bool to_exact = lift(range.sort.to, End::to);
    range.exact = from_exact && to_exact;
  }
  if (!query.after) return range;

  SortBound place{std::string(ordering_part(query.index, query.after->sort)), true};
  const Side side = cut(place, opening.sort);
  const Side passed = query.order == Order::ascending ? Side::after : Side::before;
  if (side == passed) return std::nullopt;
  if (side == Side::within) range.after = EventQuery::Cursor{std::move(place.text), query.after->position};
  return range;
}

bool is_wanted(const EventQuery& query, const StoredRange& range, const event::Header& header) {
  return range.exact || query.sort.contains(event::key_of(query.tenant, header, query.index).sort);
}

std::string ordering_part_of(const TenantId& tenant, Index index, std::string_view stored) {
  return opening_of(tenant, index).sort.append(stored);
}

}  // namespace millrace::store
