#include "conformance/model.h"

#include <algorithm>

namespace millrace::store::conformance {
namespace {

bool shares_a_tag(const queue::ItemRecord& record, const std::vector<std::string>& tags) {
  return std::ranges::any_of(
      tags, [&](const auto& tag) { return std::ranges::find(record.lane->tags, tag) != record.lane->tags.end(); });
}

bool matches(const queue::ItemRecord& record, const ItemQuery& query) {
  return (!query.status || record.status == *query.status) && (!query.before || record.id < *query.before) &&
         (query.any_tags.empty() || shares_a_tag(record, query.any_tags));
}

// Of the records that come by tenant, queue and id: the first `limit` by time.
std::vector<std::string> first_by_time(std::vector<std::pair<Time, std::string>> timed, std::size_t limit) {
  std::vector<std::string> out;
  while (!timed.empty() && out.size() < limit) {
    const auto first = std::ranges::min_element(timed, {}, &std::pair<Time, std::string>::first);
    out.push_back(first->second);
    timed.erase(first);
  }
  return out;
}

template <class Map>
std::vector<std::string> of_shard(const Map& map, ShardId shard) {
  std::vector<std::string> out;
  for (const auto& [key, record] : map) {
    if (std::get<0>(key) == shard) out.push_back(describe(record));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

void Model::apply(const shard::Batch& batch) {
  const ShardId shard = batch.shard;
  for (const auto& write : batch.items) {
    auto& item = items_[{shard, write.record.lane->queue, write.record.id}];
    item.record = write.record;
    if (write.body) item.body = write.body;
  }
  for (const auto& [queue, entry] : batch.log) logs_[{shard, queue, entry.item}][entry.id] = entry;
  for (const auto& record : batch.dedup) dedup_.insert_or_assign({shard, record.key}, record);
  for (const auto& counters : batch.counters) counters_.insert_or_assign({shard, counters.tenant}, counters);
  for (const auto& [document, removed] : batch.documents) {
    documents_.erase({shard, document.kind, document.key});
    if (!removed) documents_.emplace(std::tuple(shard, document.kind, document.key), document);
  }
  for (const auto& record : batch.audit) audit_.insert_or_assign({shard, record.tenant, record.seq}, record);
  for (const auto& worker : batch.workers) workers_.insert_or_assign({shard, worker.queue, worker.worker}, worker);
  for (const auto& drop : batch.worker_drops) workers_.erase({shard, drop.queue, drop.worker});
  for (const auto& drop : batch.drops) {
    items_.erase({shard, drop.record.lane->queue, drop.record.id});
    logs_.erase({shard, drop.record.lane->queue, drop.record.id});
  }
}

std::size_t Model::sweep(Time now) {
  return std::erase_if(dedup_, [&](const auto& row) { return row.second.expires < now; });
}

std::vector<std::string> Model::live(ShardId shard) const {
  std::vector<std::string> out;
  for (const auto& [address, item] : items_) {
    if (std::get<0>(address) == shard && item.record.placement == queue::Placement::live) {
      out.push_back(describe(item.record));
    }
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> Model::parked(ShardId shard, Time from, std::size_t limit) const {
  std::vector<std::pair<Time, std::string>> timed;
  for (const auto& [address, item] : items_) {
    const auto& record = item.record;
    if (std::get<0>(address) == shard && record.placement == queue::Placement::parked && record.parked_at >= from) {
      timed.emplace_back(record.parked_at, describe(record));
    }
  }
  return first_by_time(std::move(timed), limit);
}

std::vector<std::string> Model::parked_groups(ShardId shard) const {
  std::map<std::tuple<queue::QueueKey, std::string, queue::GroupMode>, shard::ParkedGroup> groups;
  for (const auto& [address, item] : items_) {
    const auto& r = item.record;
    const bool parked = std::get<0>(address) == shard && r.placement == queue::Placement::parked;
    if (!parked || !r.group || r.group->mode == queue::GroupMode::immediate) continue;
    if (r.group->mode == queue::GroupMode::next_on_error && r.retry_count > 0) continue;  // set aside
    const shard::ParkedGroup alone{r.lane->queue, *r.group, r.id, r.id, r.parked_at};
    auto& group = groups.try_emplace({r.lane->queue, r.group->name, r.group->mode}, alone).first->second;
    group.last = r.id;  // they come by id
    group.parked_at = std::min(group.parked_at, r.parked_at);
  }
  std::vector<std::string> out;
  for (const auto& [name, group] : groups) out.push_back(describe(group));
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> Model::expired(ShardId shard, Time before, std::size_t limit) const {
  std::vector<std::pair<Time, std::string>> timed;
  for (const auto& [address, item] : items_) {
    const auto& record = item.record;
    if (std::get<0>(address) == shard && record.placement == queue::Placement::done && record.updated < before) {
      timed.emplace_back(record.updated, describe(record));
    }
  }
  return first_by_time(std::move(timed), limit);
}

std::vector<std::string> Model::listed(ShardId shard, ItemQuery query) const {
  std::vector<std::string> out;
  for (auto at = items_.rbegin(); at != items_.rend() && out.size() < query.limit; ++at) {
    if (std::get<0>(at->first) != shard || std::get<1>(at->first) != query.queue) continue;
    if (!matches(at->second.record, query)) continue;
    if (query.offset > 0) {
      --query.offset;
    } else {
      out.push_back(describe(at->second));
    }
  }
  return out;
}

std::vector<std::string> Model::log(const ItemAddress& item) const {
  std::vector<std::string> out;
  if (const auto found = logs_.find(item); found != logs_.end()) {
    for (const auto& [id, entry] : found->second) out.push_back(describe(entry));
  }
  return out;
}

std::vector<std::string> Model::audit(ShardId shard, const TenantId& tenant) const {
  std::vector<std::string> out;
  for (const auto& [key, record] : audit_) {
    if (std::get<0>(key) == shard && std::get<1>(key) == tenant) out.push_back(describe(record));
  }
  return out;
}

std::vector<std::string> Model::counters(ShardId shard) const { return of_shard(counters_, shard); }
std::vector<std::string> Model::documents(ShardId shard) const { return of_shard(documents_, shard); }
std::vector<std::string> Model::workers(ShardId shard) const { return of_shard(workers_, shard); }

}  // namespace millrace::store::conformance
