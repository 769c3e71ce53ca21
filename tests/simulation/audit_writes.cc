// What one call wrote: every write needs a cause, and every entry must move its item legally.
#include <algorithm>

#include "auditor.h"
#include "base/digest.h"
#include "describe.h"
#include "order.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

using queue::Placement;
using queue::Status;

// How a call wrote an item that waits again after `entry`; where it wrote it only once, that one.
const queue::ItemRecord* write_after(std::span<const shard::ItemWrite> items, const queue::QueueKey& queue,
                                     const queue::LogEntry& entry) {
  const queue::ItemRecord* last = nullptr;
  for (const shard::ItemWrite& write : items) {
    const queue::ItemRecord& r = write.record;
    if (r.id != entry.item || r.lane->queue != queue) continue;
    last = &r;
    if (r.status == Status::pending && r.attempt == entry.attempt && r.retry_count == entry.retry_count) break;
  }
  return last;
}

bool placement_fits(const queue::ItemRecord& r) {
  switch (r.status) {
    case Status::pending:
      return r.placement != Placement::done;
    case Status::processing:
      return r.placement == Placement::live;
    case Status::failed: {
      const bool blocks = r.group && r.group->mode == queue::GroupMode::block_on_error;
      return r.placement == (blocks ? Placement::live : Placement::done);
    }
    case Status::completed:
    case Status::cancelled:
      return r.placement == Placement::done;
  }
  return false;
}

bool same_origin(const queue::ItemRecord& a, const queue::ItemRecord& b) {
  const bool same_group = (!a.group && !b.group) || (a.group && b.group && *a.group == *b.group);
  return a.id == b.id && *a.lane == *b.lane && same_group && a.retry == b.retry && a.priority == b.priority &&
         a.max_retries == b.max_retries;
}

bool same_state(const queue::ItemRecord& a, const queue::ItemRecord& b) {
  return a.status == b.status && a.retry_count == b.retry_count && a.attempt == b.attempt &&
         a.lease.token == b.lease.token;
}

}  // namespace

void Auditor::check_new_item(const shard::ItemWrite& write, const shard::NewItem& wanted,
                             const queue::QueueKey& queue) {
  const queue::ItemRecord& r = write.record;
  const Time due = wanted.run_at.value_or(now_);
  MR_REQUIRE(r.lane->queue == queue && r.lane->bus == wanted.bus && r.lane->tags == wanted.tags &&
                 r.priority == wanted.priority && r.max_retries == wanted.max_retries && r.retry == wanted.retry &&
                 (r.group ? wanted.group == *r.group : !wanted.group),
             "{}: not what was sent: {}", describe(r), wanted.body->title);
  MR_REQUIRE(write.body->title == wanted.body->title && write.body->payload == wanted.body->payload &&
                 write.body->tags == wanted.body->tags && write.body->created == now_,
             "{}: its body is not what was sent at {}", describe(r), describe(now_));
  MR_REQUIRE(r.due == due, "{}: due must be {}", describe(r), describe(due));
  ItemId& last = applied_.last_item[queue.tenant];
  MR_REQUIRE(r.id > last, "{}: its id must be above {}", describe(r), last.value);
  last = r.id;

  Item item{r, write.body, {}, false, {}};
  item.record.status = Status::pending;
  item.record.retry_count = 0;
  item.record.attempt = 0;
  item.record.lease = {};
  applied_.queues[queue].insert_or_assign(r.id, std::move(item));
}

void Auditor::check_new_items(const Added& added, const shard::Command* command) {
  const auto* create = command ? std::get_if<shard::Create>(command) : nullptr;
  std::vector<const shard::NewItem*> wanted;
  if (create) {
    // Keys that are known, or come twice in the array, make no item.
    std::set<std::string> keys;
    for (const shard::NewItem& item : create->items) {
      if (item.idempotency_key) {
        const auto known = applied_.dedup.find({create->queue.tenant, {}, *item.idempotency_key});
        if (known != applied_.dedup.end() && known->second.expires > now_) continue;
        if (!keys.insert(*item.idempotency_key).second) continue;
      }
      wanted.push_back(&item);
    }
  }
  std::size_t next = 0;
  for (const shard::ItemWrite& write : added.items) {
    if (applied_.find(write.record.lane->queue, write.record.id)) continue;
    MR_REQUIRE(write.body != nullptr && !write.prior, "{}: a new item needs a body and no prior",
               describe(write.record));
    MR_REQUIRE(next < wanted.size(), "{}: nobody sent it", describe(write.record));
    check_new_item(write, *wanted[next++], create->queue);
  }
  MR_REQUIRE(next == 0 || next == wanted.size(), "{} of {} items of an array were made", next, wanted.size());
}

void Auditor::check_pick(const queue::QueueKey& queue, const Item& item, const shard::Claim& claim) const {
  const queue::ItemRecord& r = item.record;
  MR_REQUIRE(claim.queue == queue && has_any_tag(r, claim.tags), "{}: leased by a claim that does not ask for it",
             describe(r));
  const std::vector<Candidate> all = candidates(applied_, queue);
  const auto self = std::ranges::find(all, &item, &Candidate::item);
  MR_REQUIRE(self != all.end(), "{}: leased although it is not waiting or is paused", describe(r));
  MR_REQUIRE(self->allowed, "{}: leased before an earlier item of its group", describe(r));
  check_alone(item);
  if (two_phases_) return;
  check_best(item, claim, all);
  check_nothing_parked_before(item);
}

// A group lets one of its members out at a time, also where one that was reset goes before the one that is held.
void Auditor::check_alone(const Item& item) const {
  const queue::ItemRecord& r = item.record;
  if (!takes_turns(r)) return;
  for (const auto& [id, other] : applied_.queues.at(r.lane->queue)) {
    const queue::ItemRecord& o = other.record;
    const bool out = id != r.id && o.status == Status::processing && takes_turns(o) && group_of(o) == group_of(r);
    MR_REQUIRE(!out, "{}: leased while {} of its group is held", describe(r), describe(o));
  }
}

void Auditor::check_best(const Item& item, const shard::Claim& claim, std::span<const Candidate> all) const {
  for (const Candidate& other : all) {
    const queue::ItemRecord& o = other.item->record;
    if (!other.expected || o.due > now_ || !has_any_tag(o, claim.tags)) continue;
    MR_REQUIRE(!goes_before(o, item.record), "{}: leased before {}", describe(item.record), describe(o));
  }
}

void Auditor::check_log(const Added& added, const shard::Command* command) {
  std::map<std::pair<shard::ItemRef, LeaseToken>, const shard::Claim*> claims;
  for (const shard::Answer& answer : added.answers) {
    const auto request = requests_.find(answer.request);
    if (request == requests_.end()) continue;  // check_answers() reports it
    const shard::Claim* claim = claim_of(request->second.command);
    std::span<const queue::ItemRecord> leased;
    if (const auto* claimed = std::get_if<shard::Claimed>(&answer.reply)) leased = claimed->items;
    if (const auto* settled = std::get_if<shard::Settled>(&answer.reply)) leased = settled->claimed;
    for (const queue::ItemRecord& r : leased)
      claims.emplace(std::pair(shard::ItemRef{r.lane->queue, r.id}, r.lease.token), claim);
  }
  for (const shard::LogWrite& write : added.log) {
    const queue::LogEntry& entry = write.entry;
    Item* item = applied_.find(write.queue, entry.item);
    MR_REQUIRE(item != nullptr, "{}: its item does not exist", describe(entry));
    LogId& last = applied_.last_log[write.queue.tenant];
    MR_REQUIRE(entry.id > last, "{}: its id must be above {}", describe(entry), last.value);
    last = entry.id;
    Cause cause{command, nullptr, write_after(added.items, write.queue, entry), now_};
    if (entry.action == queue::Action::picked) {
      const std::pair lease(shard::ItemRef{write.queue, entry.item}, entry.token);
      const auto claim = claims.find(lease);
      if (claim != claims.end()) cause.claim = claim->second;
      MR_REQUIRE(cause.claim != nullptr, "{}: {} is in nobody's answer", describe(item->record), describe(entry));
      MR_REQUIRE(tokens_.insert(lease).second, "{}: its token was given out before", describe(entry));
      check_pick(write.queue, *item, *cause.claim);
    }
    advance(*item, entry, cause);
    const auto named = named_.find(entry.item);
    if (named != named_.end() && *named_queue_ == write.queue) named->second.push_back(*item);
  }
}

void Auditor::check_final_write(Item& item, const queue::ItemRecord& written, bool moved,
                                const shard::Command* command) {
  queue::ItemRecord& r = item.record;
  MR_REQUIRE(same_origin(r, written), "{}: what is fixed at creation changed: {}", describe(r), describe(written));
  MR_REQUIRE(same_state(r, written), "{}: written as {}", describe(r), describe(written));
  MR_REQUIRE(placement_fits(written), "{}: in the wrong place", describe(written));
  MR_REQUIRE(written.updated <= now_, "{}: updated after now, {}", describe(written), describe(now_));
  MR_REQUIRE(!moved || written.updated == now_, "{}: not updated at {}", describe(written), describe(now_));
  if (written.status == Status::pending) {
    MR_REQUIRE(written.due == r.due, "{}: due moved from {}", describe(written), describe(r.due));
    const bool waits = !item.log.empty() && item.log.back().action == queue::Action::failed;
    MR_REQUIRE(!waits || written.retry_wait, "{}: must show that it waits for its retry", describe(written));
  }
  if (written.status == Status::processing) {
    MR_REQUIRE(*written.lease.worker == *r.lease.worker, "{}: another worker than in {}", describe(written),
               describe(r));
    const auto* touch = command ? std::get_if<shard::Touch>(command) : nullptr;
    if (touch && touch->holder.item == r.id && touch->queue == r.lane->queue && holds_lease(item, touch->holder)) {
      const Time until = now_ + touch->lease;
      MR_REQUIRE(written.lease.until == until || written.lease.until == std::max(until, item.lease_end()),
                 "{}: touched, the lease must end at {}", describe(written), describe(until));
      item.lease_floor = {};
    } else {
      MR_REQUIRE(written.lease.until == r.lease.until, "{}: the lease moved from {}", describe(written),
                 describe(r.lease.until));
    }
  }
  r = written;
}

void Auditor::check_writes(const Added& added, const shard::Command* command) {
  std::set<shard::ItemRef> moved;
  for (const shard::LogWrite& write : added.log) moved.insert({write.queue, write.entry.item});
  std::map<shard::ItemRef, const queue::ItemRecord*> written;
  for (const shard::ItemWrite& write : added.items) {
    written[{write.record.lane->queue, write.record.id}] = &write.record;
  }
  for (const shard::ItemRef& ref : moved) {
    MR_REQUIRE(written.contains(ref), "#{} has a new log entry but was not written", ref.id.value);
  }
  for (const auto& [ref, record] : written) {
    check_final_write(*applied_.find(ref.queue, ref.id), *record, moved.contains(ref), command);
  }
}

void Auditor::check_drops(const Added& added, const shard::Command* command) {
  const auto* expire = command ? std::get_if<shard::Expire>(command) : nullptr;
  for (const shard::ItemDrop& drop : added.drops) {
    const shard::ItemRef ref{drop.record.lane->queue, drop.record.id};
    const Item* item = applied_.find(ref.queue, ref.id);
    MR_REQUIRE(item != nullptr, "{}: dropped but not there", describe(drop.record));
    const queue::ItemRecord& r = item->record;
    MR_REQUIRE(expire && std::ranges::find(expire->items, ref) != expire->items.end(), "{}: nobody asked to drop it",
               describe(r));
    MR_REQUIRE(queue::is_terminal(r.status) && r.placement == Placement::done, "{}: dropped before its end",
               describe(r));
    MR_REQUIRE(r.updated < expire->before, "{}: dropped too early", describe(r));
    applied_.queues[ref.queue].erase(ref.id);
  }
}

void Auditor::check_dedup(const Added& added, const shard::Command* command) {
  const auto* create = command ? std::get_if<shard::Create>(command) : nullptr;
  for (const shard::DedupRecord& row : added.dedup) {
    // Rows of events are judged by what they lead to: see check_events().
    if (row.key.kind != shard::DedupKind::idempotency_key) continue;
    MR_REQUIRE(create && row.key.tenant == create->queue.tenant, "a key {} that nobody sent", row.key.key);
    const auto sent =
        std::ranges::find_if(create->items, [&](const auto& i) { return i.idempotency_key == row.key.key; });
    MR_REQUIRE(sent != create->items.end() && sent->fingerprint == row.fingerprint, "key {} is not what was sent",
               row.key.key);
    MR_REQUIRE(row.expires == now_ + options_.idempotency_window, "key {} is kept until {}", row.key.key,
               describe(row.expires));
    MR_REQUIRE(applied_.find(create->queue, ItemId{row.made}) != nullptr, "key {} names no item", row.key.key);
  }
}

void Auditor::check_documents(const Added& added, const shard::Command* command) {
  documents_before_.clear();
  const auto puts = command ? puts_of(*command) : std::span<const shard::PutDocument>();
  const auto* remove = command ? std::get_if<shard::RemoveDocument>(command) : nullptr;
  const auto keep = [&](const std::string& kind, const std::string& key) {
    const auto known = applied_.documents.find(std::pair(kind, key));
    documents_before_.push_back(known == applied_.documents.end() ? std::nullopt : std::optional(known->second));
  };
  for (const shard::PutDocument& put : puts) keep(put.kind, put.key);
  if (remove) keep(remove->kind, remove->key);
  for (const shard::DocumentWrite& write : added.documents) {
    const shard::Document& d = write.document;
    const bool put = std::ranges::any_of(
        puts, [&](const auto& each) { return each.kind == d.kind && each.key == d.key && each.body == d.body; });
    const bool asked = (put && !write.removed) ||
                       (remove && remove->kind == d.kind && remove->key == d.key && write.removed) ||
                       (command && std::holds_alternative<shard::SetPaused>(*command));
    MR_REQUIRE(asked, "document {}/{} v{} was written, nobody asked", d.kind, d.key, d.version);
    applied_.write(write);
  }
}

void Auditor::check_audit(const Added& added, const shard::Command* command) {
  for (const shard::AuditRecord& record : added.audit) {
    MR_REQUIRE(command && (!puts_of(*command).empty() || std::holds_alternative<shard::RemoveDocument>(*command) ||
                           std::holds_alternative<shard::SetPaused>(*command)),
               "an audit record {} that nobody caused", record.action);
    std::vector<shard::AuditRecord>& chain = applied_.audit[record.tenant];
    MR_REQUIRE(record.seq.value == chain.size() + 1, "audit record {} follows {}", record.seq.value, chain.size());
    MR_REQUIRE(record.previous_hash == (chain.empty() ? "" : chain.back().hash), "the audit chain breaks at {}",
               record.seq.value);
    MR_REQUIRE(record.values_digest == sha256(record.values), "audit record {} has a wrong digest", record.seq.value);
    MR_REQUIRE(record.hash == shard::audit_hash(record), "audit record {} has a wrong hash", record.seq.value);
    MR_REQUIRE(record.time == now_, "audit record {} is not of now", record.seq.value);
    chain.push_back(record);
  }
}

}  // namespace millrace::simulation
