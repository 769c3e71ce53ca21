#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "store/postgres/reads.h"
#include "store/postgres/records.h"

namespace millrace::store::postgres {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Two ways to the ids of a listing, newest first. Both take: $1 shard, $2 tenant, $3 queue, $4 below this id,
// $5 how many to skip, $6 how many to give, $7 both together, $8 stages, $9 status or -1. In each, one index alone
// gives the order asked for, and the connection forbids to sort instead.

// By item_state_stage, a range a stage.
const std::string kIdsOfQueue = R"sql(
SELECT k.id
FROM unnest($8::smallint[]) AS g(stage)
CROSS JOIN LATERAL (
  SELECT s.id FROM millrace.item_state s
  WHERE s.shard = $1::smallint AND ($9::smallint < 0 OR s.status = $9::smallint)
    AND s.stage = g.stage AND (s.tenant || '/' || s.queue) = $2::text || '/' || $3::text AND s.id < $4::bigint
  ORDER BY s.id DESC LIMIT $7::bigint) AS k
ORDER BY k.id DESC OFFSET $5::bigint LIMIT $6::bigint)sql";

// By lane_tags and item_state_lane, a range a lane and stage; $10 tags.
const std::string kIdsOfTags = R"sql(
SELECT k.id
FROM (SELECT DISTINCT t.lane FROM unnest($10::text[]) AS u(tag)
      CROSS JOIN LATERAL (SELECT t.lane FROM millrace.lane_tags t WHERE t.shard = $1::smallint AND t.tenant = $2::text
                          AND t.queue = $3::text AND t.tag = u.tag OFFSET 0) AS t) AS w
CROSS JOIN unnest($8::smallint[]) AS g(stage)
CROSS JOIN LATERAL (
  SELECT s.id FROM millrace.item_state s
  WHERE s.shard = $1::smallint AND ($9::smallint < 0 OR s.status = $9::smallint)
    AND s.lane = w.lane AND s.stage = g.stage AND s.id < $4::bigint
  ORDER BY s.id DESC LIMIT $7::bigint) AS k
ORDER BY k.id DESC OFFSET $5::bigint LIMIT $6::bigint)sql";

std::string page_of(const std::string& ids) {
  return fmt::format(R"sql(
SELECT {}, {}, {}
FROM ({}) AS page
CROSS JOIN LATERAL (
  SELECT * FROM millrace.item_state s
  WHERE s.shard = $1::smallint AND s.tenant = $2::text AND s.queue = $3::text AND s.id = page.id LIMIT 1) AS s
{}
{})sql",
                     kStateColumns, kLaneColumns, kBodyColumns, ids, kJoinLane, kJoinBody);
}
std::string number_of(const std::string& ids) { return fmt::format("SELECT count(*) FROM ({}) AS page", ids); }

const Statement kPageOfQueue = {"page_of_queue", page_of(kIdsOfQueue)};
const Statement kPageOfTags = {"page_of_tags", page_of(kIdsOfTags)};
const Statement kNumberOfQueue = {"number_of_queue", number_of(kIdsOfQueue)};
const Statement kNumberOfTags = {"number_of_tags", number_of(kIdsOfTags)};

// By item_state_parked and item_state_finished.
const Statement kParked = {"parked", fmt::format(R"sql(
SELECT {}, {}
FROM millrace.item_state s
{}
WHERE s.shard = $1::smallint AND s.parked_due >= $2::timestamptz
ORDER BY s.parked_due, s.tenant, s.queue, s.id LIMIT $3::bigint)sql",
                                                 kStateColumns, kLaneColumns, kJoinLane)};
const Statement kFinished = {"finished", fmt::format(R"sql(
SELECT {}, {}
FROM millrace.item_state s
{}
WHERE s.shard = $1::smallint AND s.finished_at < $2::timestamptz
ORDER BY s.finished_at, s.tenant, s.queue, s.id LIMIT $3::bigint)sql",
                                                     kStateColumns, kLaneColumns, kJoinLane)};

// Every stage that an item of this status can be in; all of them where the status does not matter.
Column stages(std::optional<queue::Status> status) {
  constexpr queue::Status kAll[] = {queue::Status::pending, queue::Status::completed, queue::Status::failed,
                                    queue::Status::cancelled};
  Column stages;
  for (const auto placement : {queue::Placement::live, queue::Placement::parked, queue::Placement::done}) {
    if (status) {
      stages.add(stage_of(placement, *status));
    } else {
      for (const queue::Status any : kAll) stages.add(stage_of(placement, any));
    }
  }
  return stages;
}

struct Span {
  std::uint64_t offset;
  std::uint64_t limit;
};

Params params_of(ShardId shard, const ItemQuery& query, Span span) {
  const auto bounded = [](std::uint64_t n) { return as_bigint(std::min<std::uint64_t>(n, std::uint64_t{1} << 53)); };
  Params params;
  params.add(column(shard)).add(query.queue.tenant.text()).add(query.queue.name);
  params.add(query.before ? column(*query.before) : kNoLimit);
  params.add(bounded(span.offset)).add(bounded(span.limit)).add(bounded(span.offset) + bounded(span.limit));
  Column in_stages = stages(query.status);
  params.add(in_stages).add(static_cast<std::int16_t>(query.status ? static_cast<int>(*query.status) : -1));
  if (query.any_tags.empty()) return params;
  Column tags;
  for (const std::string& tag : query.any_tags) tags.add(tag);
  params.add(tags);
  return params;
}

std::vector<queue::ItemRecord> read_items(const Rows& rows) {
  std::vector<queue::ItemRecord> items;
  items.reserve(static_cast<std::size_t>(rows.size()));
  Pool pool;
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    items.push_back(read_item(row, pool));
  }
  return items;
}

}  // namespace

ItemPage list_items(Connection& connection, ShardId shard, const ItemQuery& query) {
  // One more than asked tells whether there are more.
  const Rows rows = connection.run(query.any_tags.empty() ? kPageOfQueue : kPageOfTags,
                                   params_of(shard, query, {query.offset, query.limit + 1}));
  ItemPage page;
  Pool pool;
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    queue::ItemRecord record = read_item(row, pool);
    page.items.push_back({.record = std::move(record), .body = read_body(row)});
  }
  // The joins need not keep the order.
  std::ranges::sort(page.items, std::greater(), [](const ItemView& view) { return view.record.id; });
  page.more = page.items.size() > query.limit;
  if (page.more) page.items.pop_back();
  return page;
}

std::uint64_t count_items(Connection& connection, ShardId shard, const ItemQuery& query, std::uint64_t at_most) {
  ItemQuery whole = query;
  whole.before = std::nullopt;
  const Rows rows =
      connection.run(query.any_tags.empty() ? kNumberOfQueue : kNumberOfTags, params_of(shard, whole, {0, at_most}));
  Row row;
  rows.read(0, row);
  return row.u64();
}

std::vector<queue::ItemRecord> list_parked(Connection& connection, ShardId shard, Time from, std::size_t limit) {
  return read_items(connection.run(kParked, Params().add(column(shard)).add(from).add(as_bigint(limit))));
}

std::vector<queue::ItemRecord> list_finished(Connection& connection, ShardId shard, Time before, std::size_t limit) {
  return read_items(connection.run(kFinished, Params().add(column(shard)).add(before).add(as_bigint(limit))));
}

}  // namespace millrace::store::postgres
