#include "clients.h"

#include <algorithm>
#include <array>

namespace millrace::simulation {

shard::Command clone(const shard::Command& command) {
  shard::Command copy = command;
  if (auto* create = std::get_if<shard::Create>(&copy)) {
    for (shard::NewItem& item : create->items) item.body = std::make_shared<queue::Body>(*item.body);
  }
  return copy;
}

shard::Command Clients::draw(Time now) {
  const std::uint64_t what = random_.below(1000);
  if (what < 60) return draw_append(now);
  if (what < 260) return created_ < profile_.items_max ? draw_create(now) : shard::Command(draw_claim());
  if (what < 500) return draw_claim();
  if (what < 740) return draw_settle();
  if (what < 830) return draw_touch();
  if (what < 920) return draw_about_item();
  if (what < 950) {
    return shard::SetPaused{random_.pick(profile_.queues), random_.pick(profile_.buses), random_.chance(400)};
  }
  if (what < 980) return draw_document();
  return draw_question();
}

std::vector<std::string> Clients::draw_tags(std::size_t at_least) {
  std::vector<std::string> tags;
  for (const std::string& tag : profile_.tags) {
    if (random_.chance(400)) tags.push_back(tag);
  }
  if (tags.size() < at_least) tags.push_back(random_.pick(profile_.tags));
  std::ranges::sort(tags);
  return tags;
}

void Clients::draw_key(shard::NewItem& item) {
  if (!random_.chance(250)) return;
  item.idempotency_key = "key" + std::to_string(random_.below(12));
  item.fingerprint = "print" + std::to_string(random_.below(2));
}

shard::NewItem Clients::draw_item(Time now) {
  shard::NewItem item;
  item.bus = random_.pick(profile_.buses);
  item.tags = draw_tags(random_.chance(20) ? 0 : 1);
  if (random_.chance(profile_.grouped)) item.group = random_.pick(profile_.groups);
  item.priority = random_.chance(300) ? static_cast<std::int32_t>(random_.between(-2, 2)) : 0;
  item.max_retries = static_cast<std::uint32_t>(random_.below(5));
  item.retry.kind = random_.chance(500) ? queue::Backoff::fixed : queue::Backoff::exponential;
  item.retry.jitter = random_.chance(300);
  item.retry.base = random_.millis(0, profile_.backoff_max.count());
  item.retry.cap = item.retry.base + random_.millis(0, profile_.backoff_max.count());
  if (random_.chance(profile_.scheduled)) item.run_at = now + random_.millis(1, profile_.run_at_max.count());
  if (random_.chance(50)) item.run_at = now - random_.millis(1, 5000);
  item.body = std::make_shared<queue::Body>();
  item.body->title = "item " + std::to_string(++created_);
  item.body->payload = "{}";
  draw_key(item);
  return item;
}

shard::Command Clients::draw_create(Time now) {
  shard::Create create{random_.pick(profile_.queues), {}};
  const std::int64_t count = random_.chance(200) ? random_.between(2, 6) : 1;
  for (std::int64_t i = 0; i < count; ++i) create.items.push_back(draw_item(now));
  return create;
}

shard::Claim Clients::draw_claim() {
  shard::Claim claim{.queue = random_.pick(profile_.queues)};
  claim.tags = draw_tags(1);
  claim.worker = random_.pick(profile_.workers);
  claim.limit = random_.chance(300) ? static_cast<std::size_t>(random_.between(2, 6)) : 1;
  claim.wait = random_.chance(350) ? random_.millis(1, 2000) : Millis(0);
  claim.lease = random_.millis(20, profile_.lease_max.count());
  return claim;
}

shard::Claim Clients::greedy_claim(const queue::QueueKey& queue) const {
  return {queue, profile_.tags, "closer", 100, Millis(0), Millis(60'000)};
}

const Clients::KnownLease* Clients::draw_lease() {
  if (leases_.empty()) return nullptr;
  // Mostly one of the latest; the older ones are the stale workers.
  const std::size_t recent = std::min<std::size_t>(leases_.size(), random_.chance(850) ? 6 : leases_.size());
  return &leases_[leases_.size() - 1 - static_cast<std::size_t>(random_.below(recent))];
}

shard::Holder Clients::draw_holder(const KnownLease& lease) {
  shard::Holder holder = lease.holder;
  if (random_.chance(500)) holder.attempt.reset();
  if (random_.chance(500)) holder.token.reset();
  if (random_.chance(40)) holder.worker = random_.pick(profile_.workers);
  if (random_.chance(20)) holder.attempt = static_cast<std::uint32_t>(random_.below(4));
  if (random_.chance(20)) holder.token = LeaseToken{random_.below(3)};
  return holder;
}

shard::Outcome Clients::draw_outcome(const KnownLease& lease) {
  shard::Outcome outcome;
  outcome.holder = draw_holder(lease);
  outcome.success = random_.chance(550);
  outcome.execution_time_ms = random_.between(1, 500);
  if (random_.chance(500)) outcome.status_code = outcome.success ? 200 : 500;
  if (!outcome.success) outcome.error_message = "error " + std::to_string(random_.below(10));
  return outcome;
}

shard::Command Clients::draw_settle() {
  if (!settles_.empty() && random_.chance(150)) return random_.pick(settles_);
  const KnownLease* lease = draw_lease();
  if (lease == nullptr) return draw_claim();
  shard::Settle settle{lease->queue, {}, {}};
  settle.outcomes.push_back(draw_outcome(*lease));
  for (std::int64_t more = random_.chance(250) ? random_.between(1, 5) : 0; more > 0; --more) {
    const KnownLease* other = draw_lease();
    if (other->queue == settle.queue) settle.outcomes.push_back(draw_outcome(*other));
  }
  if (random_.chance(250)) {
    settle.claim = draw_claim();
    settle.claim->queue = settle.queue;
  }
  settles_.push_back(settle);
  return settle;
}

shard::Command Clients::draw_touch() {
  const KnownLease* lease = draw_lease();
  if (lease == nullptr) return draw_claim();
  const auto kind = random_.chance(500) ? shard::Touch::Kind::start : shard::Touch::Kind::heartbeat;
  return shard::Touch{lease->queue, draw_holder(*lease), kind, random_.millis(20, profile_.lease_max.count())};
}

std::optional<Clients::KnownItem> Clients::draw_known() {
  if (items_.empty()) return std::nullopt;
  KnownItem item = random_.pick(items_);
  if (random_.chance(30)) item.queue = random_.pick(profile_.queues);
  if (random_.chance(10)) item.id = ItemId{random_.below(1000)};
  return item;
}

shard::Command Clients::draw_about_item() {
  const std::uint64_t what = random_.below(3);
  const KnownLease* lease = draw_lease();
  if (what == 0 && lease) return shard::Release{lease->queue, lease->holder.item, *lease->holder.token};
  std::optional<KnownItem> item = draw_known();
  if (!item) return draw_claim();
  if (what == 1) return shard::Cancel{item->queue, item->id, "cancel " + std::to_string(random_.below(100))};
  // Operators mostly bring back what failed for good, soon after it did.
  if (!failed_.empty() && random_.chance(700)) {
    item = failed_[failed_.size() - 1 - random_.below(std::min<std::size_t>(failed_.size(), 3))];
  }
  return shard::Reset{item->queue, item->id, "reset " + std::to_string(random_.below(100))};
}

// Few ids, sources and keys, so that most of them come again.
shard::NewEvent Clients::draw_event(Time now) {
  using Identity = shard::NewEvent::Identity;
  static constexpr std::array kIdentities = {Identity::event_id, Identity::source_and_id, Identity::made};
  shard::NewEvent event{.header = {}, .rest = std::make_shared<const std::string>("{}")};
  event.identity = random_.pick(kIdentities);
  event.header.event_id = "event" + std::to_string(random_.below(10));
  if (event.identity == Identity::made) event.header.event_id = "made" + std::to_string(++made_ids_);
  event.header.source = "source" + std::to_string(random_.below(3));
  event.header.type = "order.created";
  event.header.time = now - random_.millis(0, 5000);
  if (random_.chance(300)) event.deduplication_id = "dedup" + std::to_string(random_.below(4));
  if (random_.chance(300)) event.header.expires = now + random_.millis(1, 4000);
  return event;
}

shard::Command Clients::draw_append(Time now) {
  shard::AppendEvents append{random_.pick(profile_.queues).tenant, {}};
  const std::int64_t count = random_.chance(300) ? random_.between(2, 6) : 1;
  for (std::int64_t i = 0; i < count; ++i) append.events.push_back(draw_event(now));
  return append;
}

shard::PutDocument Clients::draw_put(const TenantId& tenant) {
  // The key carries the tenant: a document belongs to one for good.
  const std::string key = tenant.text() + ".doc" + std::to_string(random_.below(4));
  std::optional<std::uint64_t> expected;
  if (random_.chance(500)) expected = random_.below(4);
  const shard::AuditNote note{tenant, "cli", "millrace.note", key, "", "{}"};
  return {"note", key, tenant, "{\"n\":" + std::to_string(random_.below(100)) + "}", expected, note};
}

shard::Command Clients::draw_document() {
  const TenantId tenant = random_.pick(profile_.queues).tenant;
  if (random_.chance(300)) {
    shard::PutDocuments puts;
    for (std::int64_t count = random_.between(1, 3); count > 0; --count) puts.documents.push_back(draw_put(tenant));
    return puts;
  }
  if (random_.chance(600)) return draw_put(tenant);
  // The key carries the tenant: a document belongs to one for good.
  const std::string key = tenant.text() + ".doc" + std::to_string(random_.below(2));
  std::optional<std::uint64_t> expected;
  if (random_.chance(500)) expected = random_.below(4);
  const shard::AuditNote note{tenant, "cli", "millrace.note", key, "", "{}"};
  return shard::RemoveDocument{"note", key, expected, note};
}

shard::Command Clients::draw_question() {
  const queue::QueueKey& queue = random_.pick(profile_.queues);
  switch (random_.below(3)) {
    case 0:
      return shard::ListWorkers{queue};
    case 1:
      return shard::ListLeased{queue};
    default:
      return shard::CountItems{queue};
  }
}

void Clients::learn_leases(const std::vector<queue::ItemRecord>& items) {
  for (const queue::ItemRecord& record : items) {
    leases_.push_back({record.lane->queue, {record.id, *record.lease.worker, record.attempt, record.lease.token}});
  }
}

void Clients::learn_failures(const queue::QueueKey& queue, const shard::Settled& settled) {
  for (const auto& outcome : settled.outcomes) {
    if (!outcome || outcome->entry.action != queue::Action::failed || outcome->entry.next_retry_at) continue;
    failed_.push_back({queue, outcome->entry.item});
  }
}

void Clients::learn(const shard::Command& command, const shard::Reply& reply) {
  if (const auto* created = std::get_if<shard::Created>(&reply)) {
    for (const auto& item : created->items) items_.push_back({std::get<shard::Create>(command).queue, item.id});
  }
  if (const auto* claimed = std::get_if<shard::Claimed>(&reply)) learn_leases(claimed->items);
  if (const auto* settled = std::get_if<shard::Settled>(&reply)) {
    learn_leases(settled->claimed);
    learn_failures(std::get<shard::Settle>(command).queue, *settled);
  }
}

}  // namespace millrace::simulation
