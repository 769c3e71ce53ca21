#include "store/stored_keys.h"

#include <utility>

namespace millrace::store {
namespace {

using event::Index;

struct CommonText {
  std::string partition;
  std::string sort;
};

CommonText common_text(const TenantId& tenant, Index index) {
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

// How a bound lies to the texts that begin with `common`; within them, the bound is cut to what follows.
enum class Side { before, within, after };
Side cut(SortBound& bound, std::string_view common) {
  if (bound.text.starts_with(common)) {
    bound.text.erase(0, common.size());
    return Side::within;
  }
  return bound.text < common ? Side::before : Side::after;
}

// nullopt if no text that begins with `common` is in the range.
std::optional<SortRange> cut(SortRange range, std::string_view common) {
  if (range.from) {
    const Side side = cut(*range.from, common);
    if (side == Side::after) return std::nullopt;
    if (side == Side::before) range.from.reset();
  }
  if (range.to) {
    const Side side = cut(*range.to, common);
    if (side == Side::before) return std::nullopt;
    if (side == Side::after) range.to.reset();
  }
  return range;
}

}  // namespace

event::Key stored_key(const TenantId& tenant, const event::Header& header, Index index) {
  const CommonText common = common_text(tenant, index);
  event::Key key = event::key_of(tenant, header, index);
  key.partition.erase(0, common.partition.size());
  key.sort.erase(0, common.sort.size());
  return key;
}

std::optional<StoredRange> stored_range(const EventQuery& query) {
  const CommonText common = common_text(query.tenant, query.index);
  if (!query.partition.starts_with(common.partition)) return std::nullopt;
  auto sort = cut(query.sort, common.sort);
  if (!sort) return std::nullopt;
  StoredRange range{query.partition.substr(common.partition.size()), std::move(*sort), {}};
  // The table's partition is the tenant, whole.
  if (query.index == Index::table && !range.partition.empty()) return std::nullopt;
  if (!query.after) return range;

  SortBound place{query.after->sort, true};
  const Side side = cut(place, common.sort);
  const Side passed = query.order == Order::ascending ? Side::after : Side::before;
  if (side == passed) return std::nullopt;
  if (side == Side::within) range.after = EventQuery::Cursor{std::move(place.text), query.after->position};
  return range;
}

std::string whole_sort(const TenantId& tenant, Index index, std::string_view stored) {
  return common_text(tenant, index).sort.append(stored);
}

}  // namespace millrace::store
