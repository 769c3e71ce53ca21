#include "store/rocksdb/reads.h"

#include <algorithm>

#include "store/parked_groups.h"

namespace millrace::store::rocks {
namespace {

// The keys from `from` to the end of what starts with `prefix`.
template <class Visit>
void scan_from(View& view, Table table, const std::string& from, const std::string& prefix, Visit visit) {
  view.scan(table, from, after_prefix(prefix), visit);
}

template <class Visit>
void scan_shard(View& view, Table table, ShardId shard, Visit visit) {
  const auto prefix = shard_prefix(shard);
  scan_from(view, table, prefix, prefix, visit);
}

queue::ItemRecord decode_parked(std::string_view key, std::string_view value, Interner& interner) {
  queue::ItemRecord record = decode_item(parse_timed_item_key(key), value, interner);
  record.parked_at = parse_item_time(key);
  return record;
}

std::optional<queue::ItemRecord> read_parked_item(View& view, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                                  Interner& interner) {
  const auto ref_key = item_key(shard, queue, id);
  const auto ref_bytes = view.get(Table::parked_ref, ref_key);
  if (!ref_bytes) return std::nullopt;
  const auto ref = decoded(Table::parked_ref, ref_key, [&] { return decode_parked_ref(*ref_bytes); });
  const auto key = timed_item_key(shard, ref.parked_at, queue, id);
  const auto bytes = view.get(Table::item_parked, key);
  if (!bytes) throw_damaged(Table::parked_ref, ref_key, "names a parked item that is not there");
  return decoded(Table::item_parked, key, [&] { return decode_parked(key, *bytes, interner); });
}

// Whether these are several numbers that follow each other: then one walk finds them.
bool is_run(std::span<const ItemId> ids) {
  const auto gap = [](ItemId one, ItemId next) { return one.value + 1 != next.value; };
  return ids.size() > 1 && std::ranges::adjacent_find(ids, gap) == ids.end();
}

std::vector<std::shared_ptr<const queue::Body>> read_body_run(View& view, ShardId shard, const queue::QueueKey& queue,
                                                              std::span<const ItemId> ids) {
  std::vector<std::shared_ptr<const queue::Body>> out(ids.size());
  const auto end = item_key(shard, queue, ItemId{ids.back().value + 1});
  view.scan(Table::item_body, item_key(shard, queue, ids.front()), end, [&](auto key, auto value) {
    out[last_id(key).value - ids.front().value] = std::make_shared<const queue::Body>(decode_body(value));
    return true;
  });
  return out;
}

}  // namespace

std::optional<queue::ItemRecord> read_item(View& view, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                           Interner& interner) {
  const auto key = item_key(shard, queue, id);
  for (const auto table : {Table::item_live, Table::item_done}) {
    if (const auto bytes = view.get(table, key)) {
      return decoded(table, key, [&] { return decode_item(parse_item_key(key), *bytes, interner); });
    }
  }
  return read_parked_item(view, shard, queue, id, interner);
}

std::vector<std::shared_ptr<const queue::Body>> read_bodies(View& view, ShardId shard, const queue::QueueKey& queue,
                                                            std::span<const ItemId> ids) {
  if (is_run(ids)) return read_body_run(view, shard, queue, ids);
  std::vector<std::string> keys;
  keys.reserve(ids.size());
  for (const auto id : ids) keys.push_back(item_key(shard, queue, id));
  const auto values = view.get_all(Table::item_body, keys);
  std::vector<std::shared_ptr<const queue::Body>> out(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!values[i]) continue;
    out[i] = decoded(Table::item_body, keys[i],
                     [&] { return std::make_shared<const queue::Body>(decode_body(*values[i])); });
  }
  return out;
}

std::vector<queue::LogEntry> read_log(View& view, ShardId shard, const queue::QueueKey& queue, ItemId id,
                                      std::size_t limit) {
  const auto prefix = item_key(shard, queue, id);
  const auto end = after_prefix(prefix);
  const rocksdb::Slice lower = slice(prefix);
  const rocksdb::Slice upper = slice(end);
  const auto at = view.iterate(Table::item_log, &lower, &upper);
  std::vector<queue::LogEntry> out;
  for (at->SeekToLast(); at->Valid() && out.size() < limit; at->Prev()) {
    const auto key = rocks::view(at->key());
    out.push_back(decoded(Table::item_log, key,
                          [&] { return decode_log_entry(id, LogId{last_id(key).value}, rocks::view(at->value())); }));
  }
  check(*at, Table::item_log);
  std::ranges::reverse(out);
  return out;
}

std::vector<std::optional<shard::DedupRecord>> read_dedup(View& view, ShardId shard,
                                                          std::span<const shard::DedupKey> keys) {
  std::vector<std::string> rows;
  rows.reserve(keys.size());
  for (const auto& key : keys) rows.push_back(dedup_key(shard, key));
  const auto values = view.get_all(Table::dedup, rows);
  std::vector<std::optional<shard::DedupRecord>> out(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!values[i]) continue;
    out[i] = decoded(Table::dedup, rows[i], [&] { return decode_dedup(keys[i], *values[i]); });
  }
  return out;
}

std::vector<queue::ItemRecord> read_parked(View& view, ShardId shard, Time from, std::size_t limit) {
  std::vector<queue::ItemRecord> out;
  if (limit == 0) return out;
  Interner interner;
  scan_from(view, Table::item_parked, time_prefix(shard, from), shard_prefix(shard), [&](auto key, auto value) {
    out.push_back(decode_parked(key, value, interner));
    return out.size() < limit;
  });
  return out;
}

std::vector<queue::ItemRecord> read_expired(View& view, Fronts& fronts, ShardId shard, Time before, std::size_t limit) {
  std::vector<queue::ItemRecord> out;
  if (limit == 0) return out;
  Interner interner;
  std::string first;
  const std::string from = fronts.of(Table::done_by_time, shard);
  view.scan(Table::done_by_time, from, time_prefix(shard, before), [&](auto key, auto) {
    if (first.empty()) first = key;
    const auto name = parse_timed_item_key(key);
    const queue::QueueKey queue{TenantId::trusted(std::string(name.tenant)), std::string(name.queue)};
    const auto item = item_key(shard, queue, name.id);
    const auto bytes = view.get(Table::item_done, item);
    if (!bytes) throw_damaged(Table::done_by_time, key, "names a done item that is not there");
    out.push_back(decoded(Table::item_done, item, [&] { return decode_item(name, *bytes, interner); }));
    return out.size() < limit;
  });
  fronts.note(Table::done_by_time, shard, out.size() == limit ? std::move(first) : "");
  return out;
}

std::vector<shard::AuditRecord> read_audit(View& view, ShardId shard, const AuditQuery& query) {
  std::vector<shard::AuditRecord> out;
  if (query.limit == 0) return out;
  const auto first = audit_key(shard, query.tenant, AuditSeq{query.after.value + 1});
  scan_from(view, Table::audit, first, tenant_prefix(shard, query.tenant), [&](auto key, auto value) {
    out.push_back(decode_audit(query.tenant.text(), AuditSeq{last_id(key).value}, value));
    return out.size() < query.limit;
  });
  return out;
}

shard::ShardState read_shard(View& view, ShardId shard) {
  shard::ShardState state;
  state.shard = shard;
  Interner interner;
  scan_shard(view, Table::item_live, shard, [&](auto key, auto value) {
    state.live.push_back(decode_item(parse_item_key(key), value, interner));
    return true;
  });
  ParkedGroups parked_groups;
  const bool has_members = view.get(Table::meta, members_parked_key(shard)).has_value();
  scan_shard(view, Table::item_parked, shard, [&](auto key, auto value) {
    state.has_parked = true;
    if (has_members) parked_groups.add(decode_parked(key, value, interner));
    return has_members;
  });
  state.parked_groups = parked_groups.take();
  scan_shard(view, Table::counters, shard, [&](auto key, auto value) {
    state.counters.push_back(decode_counters(parse_counters_key(key), value));
    return true;
  });
  scan_shard(view, Table::documents, shard, [&](auto key, auto value) {
    const auto name = parse_document_key(key);
    state.documents.push_back(decode_document(name.kind, name.key, value));
    return true;
  });
  scan_shard(view, Table::workers, shard, [&](auto key, auto value) {
    const auto name = parse_worker_key(key);
    state.workers.push_back({{TenantId::trusted(std::string(name.tenant)), std::string(name.queue)},
                             std::string(name.worker),
                             decode_time(value)});
    return true;
  });
  return state;
}

}  // namespace millrace::store::rocks
