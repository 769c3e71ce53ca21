// What is durable: answers that were passed on, counters, the catalog, and every row of the store.
#include <algorithm>

#include "auditor.h"
#include "describe.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

using Counts = std::array<std::uint64_t, queue::kStatuses>;

std::map<std::string, Counts> told(const shard::TenantCounters& counters) {
  std::map<std::string, Counts> all;
  for (const shard::QueueCounts& queue : counters.queues) {
    if (queue.by_status != Counts{}) all[queue.queue] = queue.by_status;
  }
  return all;
}

bool has_entry(const Item* item, const queue::LogEntry& entry) {
  return item && std::ranges::find(item->log, entry) != item->log.end();
}

void require_leased(const View& durable, std::span<const queue::ItemRecord> items) {
  for (const queue::ItemRecord& record : items) {
    const Item* item = durable.find(record.lane->queue, record.id);
    MR_REQUIRE(item && std::ranges::any_of(item->log,
                                           [&](const queue::LogEntry& e) {
                                             return e.action == queue::Action::picked && e.token == record.lease.token;
                                           }),
               "{}: told as leased, not durable", describe(record));
  }
}

}  // namespace

void Auditor::delivered(RequestId request, const shard::Reply& reply) {
  const auto found = undelivered_.find(request);
  MR_REQUIRE(found != undelivered_.end(), "r{} is told something it did not ask for", request.value);
  const shard::Command command = std::move(found->second);
  undelivered_.erase(found);
  if (const auto* created = std::get_if<shard::Created>(&reply)) {
    const auto& queue = std::get<shard::Create>(command).queue;
    for (const shard::CreatedItem& item : created->items) {
      MR_REQUIRE(item.existing || committed_.find(queue, item.id), "#{}: acknowledged, not durable", item.id.value);
    }
  } else if (const auto* claimed = std::get_if<shard::Claimed>(&reply)) {
    require_leased(committed_, claimed->items);
  } else if (const auto* settled = std::get_if<shard::Settled>(&reply)) {
    require_leased(committed_, settled->claimed);
    const auto& queue = std::get<shard::Settle>(command).queue;
    for (const auto& outcome : settled->outcomes) {
      if (outcome) {
        const Item* item = committed_.find(queue, outcome->entry.item);
        MR_REQUIRE(!item || has_entry(item, outcome->entry), "{}: told, not durable", describe(outcome->entry));
      }
    }
  } else if (const auto* touched = std::get_if<shard::Touched>(&reply)) {
    const Item* item = committed_.find(std::get<shard::Touch>(command).queue, touched->item);
    const bool same =
        item && item->record.status == queue::Status::processing && item->record.attempt == touched->attempt;
    MR_REQUIRE(!same || item->record.lease.until >= touched->lease_until, "{}: told until {}, not durable",
               same ? describe(item->record) : "", describe(touched->lease_until));
  } else if (const auto* appended = std::get_if<shard::Appended>(&reply)) {
    delivered_events(std::get<shard::AppendEvents>(command).tenant, *appended);
  } else if (const auto* document = std::get_if<shard::Document>(&reply)) {
    const auto stored = committed_.documents.find({document->kind, document->key});
    MR_REQUIRE(stored == committed_.documents.end() || stored->second.version >= document->version ||
                   stored->second.updated >= document->updated,
               "document {} v{}: told, not durable", document->key, document->version);
  }
}

void Auditor::check_counters() const {
  std::set<TenantId> tenants;
  for (const auto& [queue, items] : committed_.queues) tenants.insert(queue.tenant);
  for (const TenantId& tenant : tenants) {
    const auto counters = committed_.counters.find(tenant);
    MR_REQUIRE(counters != committed_.counters.end(), "tenant {} has items and no counters", tenant.text());
    MR_REQUIRE(told(counters->second) == recount(committed_, tenant), "the counters of {} do not equal a recount",
               tenant.text());
    const auto log = committed_.last_log.find(tenant);
    MR_REQUIRE(counters->second.last_item >= committed_.last_item.at(tenant).value, "last_item of {} is behind",
               tenant.text());
    MR_REQUIRE(log == committed_.last_log.end() || counters->second.last_log >= log->second.value,
               "last_log of {} is behind", tenant.text());
  }
  for (const auto& [tenant, chain] : committed_.audit) {
    const auto counters = committed_.counters.find(tenant);
    MR_REQUIRE(counters != committed_.counters.end() && counters->second.last_audit == chain.back().seq.value &&
                   counters->second.audit_hash == chain.back().hash,
               "the audit counters of {} are not those of its last record", tenant.text());
  }
}

void Auditor::compare(store::Store& store) const {
  compare_events(store);
  const shard::ShardState state = store.load(shard_);
  std::size_t live = 0, parked = 0;
  for (const auto& [queue, items] : committed_.queues) {
    const store::ItemPage page = store.items(shard_, {.queue = queue, .limit = items.size() + 1});
    MR_REQUIRE(page.items.size() == items.size(), "{}: {} items stored, {} expected", queue.name, page.items.size(),
               items.size());
    for (const store::ItemView& view : page.items) {
      const Item* item = committed_.find(queue, view.record.id);
      MR_REQUIRE(item != nullptr, "{}: stored, never committed", describe(view.record));
      MR_REQUIRE(describe(item->record) == describe(view.record), "{}: stored as {}", describe(item->record),
                 describe(view.record));
      MR_REQUIRE(view.body && *view.body == *item->body, "{}: another body is stored", describe(item->record));
      MR_REQUIRE(store.log(shard_, queue, view.record.id, shard::kHistoryMax) == item->log, "{}: another log is stored",
                 describe(item->record));
      live += item->record.placement == queue::Placement::live;
      parked += item->record.placement == queue::Placement::parked;
    }
  }
  MR_REQUIRE(state.live.size() == live, "{} live items loaded, {} expected", state.live.size(), live);
  MR_REQUIRE(state.has_parked == (parked > 0), "has_parked={} with {} parked items", state.has_parked, parked);
  for (const shard::TenantCounters& counters : state.counters) {
    MR_REQUIRE(told(counters) == recount(committed_, counters.tenant),
               "the stored counters of {} do not equal a recount", counters.tenant.text());
  }
  for (const auto& [tenant, chain] : committed_.audit) {
    const auto stored = store.audit(shard_, {.tenant = tenant, .limit = chain.size() + 1});
    MR_REQUIRE(stored.size() == chain.size() && stored.back().hash == chain.back().hash, "the audit log of {} differs",
               tenant.text());
  }
}

// All of them or none: one that is stale refuses the others.
void Auditor::check_puts(std::span<const shard::PutDocument> puts, const shard::Reply& reply,
                         const Added& added) const {
  std::set<std::pair<std::string, std::string>> named;
  std::vector<std::string> stale;
  for (std::size_t i = 0; i < puts.size(); ++i) {
    named.emplace(puts[i].kind, puts[i].key);
    const std::uint64_t version = documents_before_[i] ? documents_before_[i]->version : 0;
    if (puts[i].expected_version && *puts[i].expected_version != version) stale.push_back(puts[i].key);
  }
  const bool twice = named.size() < puts.size();
  if (twice || !stale.empty()) {
    const auto* error = std::get_if<Error>(&reply);
    MR_REQUIRE(error && error->code == (twice ? Errc::conflict : Errc::stale_version), "a put of {} that are stale: {}",
               stale.size(), describe(reply));
    for (const std::string& key : stale) {
      MR_REQUIRE(twice || error->detail.find(key) != std::string::npos, "{} is stale, told: {}", key, error->detail);
    }
    MR_REQUIRE(added.documents.empty() && added.audit.empty(), "a refused put was stored");
    return;
  }
  const auto* one = std::get_if<shard::Document>(&reply);
  const auto* many = std::get_if<shard::Documents>(&reply);
  const std::span<const shard::Document> told = one    ? std::span(one, 1)
                                                : many ? std::span(many->documents)
                                                       : std::span<const shard::Document>();
  MR_REQUIRE(told.size() == puts.size() && added.documents.size() == puts.size() && added.audit.size() == puts.size(),
             "a put of {} answered {}", puts.size(), describe(reply));
  for (std::size_t i = 0; i < puts.size(); ++i) check_put(i, puts[i], told[i], added);
}

void Auditor::check_put(std::size_t index, const shard::PutDocument& put, const shard::Document& told,
                        const Added& added) const {
  const std::uint64_t version = documents_before_[index] ? documents_before_[index]->version : 0;
  MR_REQUIRE(told.key == put.key && told.body == put.body && added.documents[index].document.version == told.version,
             "{}/{} is at v{}: told as {}/{}", put.kind, put.key, version, told.kind, told.key);
  const auto removed = applied_.removed_versions.find(std::pair(put.kind, put.key));
  const bool fresh = removed == applied_.removed_versions.end() || told.version > removed->second;
  MR_REQUIRE(version == 0 ? fresh : told.version == version + 1, "{}/{} is at v{}: put made v{}", put.kind, put.key,
             version, told.version);
  const shard::AuditRecord& record = added.audit[index];
  MR_REQUIRE(record.actor == put.audit.actor && record.entity_id == put.audit.entity_id &&
                 record.action == put.audit.entity_type + (version == 0 ? ".created" : ".updated"),
             "{}/{}: the put is not in the audit log", put.kind, put.key);
}

void Auditor::check_removed(const shard::RemoveDocument& remove, const shard::Reply& reply, const Added& added) const {
  const auto* error = std::get_if<Error>(&reply);
  const std::optional<shard::Document>& before = documents_before_.at(0);
  if (!before || (remove.expected_version && *remove.expected_version != before->version)) {
    const Errc code = before ? Errc::stale_version : Errc::not_found;
    MR_REQUIRE(error && error->code == code, "{}/{}: remove answered {}", remove.kind, remove.key, describe(reply));
    MR_REQUIRE(added.documents.empty() && added.audit.empty(), "a refused removal was stored");
    return;
  }
  MR_REQUIRE(std::holds_alternative<shard::Ack>(reply) && added.documents.size() == 1, "{}/{}: remove answered {}",
             remove.kind, remove.key, describe(reply));
  MR_REQUIRE(added.audit.size() == 1 && added.audit[0].action == remove.audit.entity_type + ".removed",
             "{}/{}: the removal is not in the audit log", remove.kind, remove.key);
}

void Auditor::check_workers(const shard::ListWorkers& question, const shard::Workers& answer) const {
  std::map<std::string, std::uint32_t> held;
  if (const auto items = applied_.queues.find(question.queue); items != applied_.queues.end()) {
    for (const auto& [id, item] : items->second) {
      if (item.record.status == queue::Status::processing) ++held[*item.record.lease.worker];
    }
  }
  for (const shard::WorkerState& worker : answer.workers) {
    MR_REQUIRE(worker.last_seen <= now_, "worker {} was seen in the future", worker.worker);
    MR_REQUIRE(worker.held == held[worker.worker], "worker {} holds {}, told {}", worker.worker, held[worker.worker],
               worker.held);
    held.erase(worker.worker);
  }
  for (const auto& [worker, count] : held) MR_REQUIRE(count == 0, "worker {} holds {}, not listed", worker, count);
}

void Auditor::check_forgotten(const shard::WorkerDrop& drop) const {
  const auto items = committed_.queues.find(drop.queue);
  if (items == committed_.queues.end()) return;
  for (const auto& [id, item] : items->second) {
    const bool held = item.record.status == queue::Status::processing && *item.record.lease.worker == drop.worker;
    MR_REQUIRE(!held, "{}: its holder was forgotten", describe(item.record));
  }
}

}  // namespace millrace::simulation
