#include "story.h"

#include "base/digest.h"

namespace millrace::simulation {

shard::NewItem Story::new_item() const {
  shard::NewItem item;
  item.tags = {"a"};
  item.body = std::make_shared<queue::Body>();
  item.body->title = "an item";
  item.body->payload = "{}";
  return item;
}

shard::Outcome Story::outcome(const queue::ItemRecord& leased, bool success) const {
  return {.holder = {leased.id, *leased.lease.worker, leased.attempt, leased.lease.token}, .success = success};
}

void Story::send(const shard::Command& command) {
  request = RequestId{++last_request_};
  auditor.sent(request, command);
}

void Story::write(const queue::ItemRecord& record) {
  const auto known = known_.find(record.id);
  effects.batch.items.push_back(
      {record, nullptr, known == known_.end() ? std::nullopt : std::optional(prior(known->second))});
  known_[record.id] = record;
}

queue::LogEntry Story::log(const queue::ItemRecord& record, queue::Action action) {
  queue::LogEntry entry;
  entry.id = LogId{++last_log_};
  entry.item = record.id;
  entry.action = action;
  entry.attempt = record.attempt;
  entry.token = record.lease.token;
  if (record.lease.worker) entry.worker = *record.lease.worker;
  entry.created = now;
  entry.retry_count = record.retry_count;
  effects.batch.log.push_back({queue, entry});
  return entry;
}

queue::ItemRecord Story::create(const shard::NewItem& item) {
  send(shard::Create{queue, {item}});
  queue::ItemRecord record;
  record.lane = std::make_shared<const queue::LaneKey>(queue::LaneKey{queue, item.bus, item.tags});
  if (item.group) record.group = std::make_shared<const queue::GroupKey>(*item.group);
  record.id = ItemId{++last_item_};
  record.retry = item.retry;
  record.priority = item.priority;
  record.max_retries = item.max_retries;
  record.due = item.run_at.value_or(now);
  record.updated = now;
  item.body->created = now;
  effects.batch.items.push_back({record, item.body, std::nullopt});
  known_[record.id] = record;
  answer(shard::Created{{{record.id, false, record, item.body}}});
  return record;
}

queue::ItemRecord Story::claim(queue::ItemRecord item, const std::string& worker) {
  const shard::Claim claim{queue, {"a"}, worker, 1, Millis(0), Millis(1000)};
  send(claim);
  item.status = queue::Status::processing;
  ++item.attempt;
  item.lease = {LeaseToken{++last_token_}, now + claim.lease, std::make_shared<const std::string>(worker)};
  item.updated = now;
  write(item);
  log(item, queue::Action::picked);
  answer(shard::Claimed{{item}});
  next_tick = item.lease.until;
  return item;
}

RequestId Story::wait(const std::string& tag) {
  send(shard::Claim{queue, {tag}, "waiter", 1, Millis(5000), Millis(1000)});
  next_tick = std::min(next_tick, now + Millis(5000));
  return request;
}

queue::LogEntry Story::settle(queue::ItemRecord& item, const shard::Outcome& outcome) {
  send(shard::Settle{queue, {outcome}, {}});
  if (!outcome.success) ++item.retry_count;
  const bool last = item.retry_count >= queue::tries_allowed(item.max_retries);
  queue::LogEntry entry = log(item, outcome.success ? queue::Action::completed : queue::Action::failed);
  item.lease = {};
  item.updated = now;
  if (outcome.success || last) {
    item.status = outcome.success ? queue::Status::completed : queue::Status::failed;
    item.placement = queue::Placement::done;
  } else {
    item.status = queue::Status::pending;
    item.due = now + item.retry.base;
    item.retry_wait = true;
    entry.next_retry_at = item.due;
    effects.batch.log.back().entry = entry;
  }
  write(item);
  answer(shard::Settled{{shard::OutcomeRecorded{entry, item.max_retries, false}}, {}});
  next_tick = kNever;
  return entry;
}

queue::LogEntry Story::reset(queue::ItemRecord& item) {
  send(shard::Reset{queue, item.id, "again"});
  item.status = queue::Status::pending;
  item.placement = queue::Placement::live;
  item.retry_count = 0;
  item.due = item.updated = now;
  item.lease = {};
  write(item);
  queue::LogEntry entry = log(item, queue::Action::reset);
  entry.reason = "again";
  effects.batch.log.back().entry = entry;
  answer(shard::Recorded{entry});
  return entry;
}

void Story::touch(queue::ItemRecord& item, Millis lease) {
  send(shard::Touch{queue, outcome(item, true).holder, shard::Touch::Kind::heartbeat, lease});
  item.lease.until = now + lease;
  item.updated = now;
  write(item);
  answer(shard::Touched{item.id, *item.lease.worker, item.attempt, now, item.lease.until});
  next_tick = item.lease.until;
}

void Story::put_document() {
  const shard::AuditNote note{queue.tenant, "cli", "millrace.note", "n", "", "{}"};
  send(shard::PutDocument{"note", "n", queue.tenant, "{}", {}, note});
  const std::uint64_t version = audit_.size() + 1;
  const shard::Document document{"note", "n", queue.tenant, version, "{}", now};
  effects.batch.documents.push_back({document, false});
  shard::AuditRecord record{.tenant = queue.tenant, .seq = AuditSeq{version}, .time = now, .actor = note.actor};
  record.action = version == 1 ? "millrace.note.created" : "millrace.note.updated";
  record.entity_type = note.entity_type;
  record.entity_id = note.entity_id;
  record.values = note.values;
  record.values_digest = sha256(note.values);
  record.previous_hash = audit_.empty() ? "" : audit_.back().hash;
  record.hash = shard::audit_hash(record);
  effects.batch.audit.push_back(record);
  audit_.push_back(record);
  answer(document);
}

void Story::look() { auditor.observed({.request = request, .now = now}, effects, next_tick); }

void Story::seal() {
  shard::TenantCounters counters{.tenant = queue.tenant, .last_item = last_item_, .last_log = last_log_};
  shard::QueueCounts counts{.queue = queue.name};
  for (const auto& [id, record] : known_) ++counts.by_status[static_cast<std::size_t>(record.status)];
  counters.queues = {counts};
  if (!audit_.empty()) {
    counters.last_audit = audit_.back().seq.value;
    counters.audit_hash = audit_.back().hash;
  }
  effects.batch.shard = kShard;
  effects.batch.counters = {counters};
  auditor.sealed();
}

void Story::deliver() {
  for (const shard::Answer& told : effects.answers) auditor.delivered(told.request, told.reply);
  effects = {};
}

void Story::commit() {
  seal();
  auditor.committed(effects.batch);
  deliver();
}

}  // namespace millrace::simulation
