// What one call answered, against the rules and against what it wrote.
#include <algorithm>

#include "auditor.h"
#include "describe.h"
#include "order.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

using queue::Action;
using queue::Status;

bool is_error(const shard::Reply& reply, Errc code) {
  const auto* error = std::get_if<Error>(&reply);
  return error && error->code == code;
}

template <class T>
const T& require_reply(const shard::Command& command, const shard::Reply& reply) {
  const T* wanted = std::get_if<T>(&reply);
  MR_REQUIRE(wanted != nullptr, "{} was answered {}", describe(command), describe(reply));
  return *wanted;
}

bool settles(const queue::LogEntry* entry, const shard::Outcome& outcome) {
  return entry && entry->action == (outcome.success ? Action::completed : Action::failed) &&
         entry->worker == outcome.holder.worker;
}

// Judges one outcome in the states its item went through, from `position` on. Timers go first, and
// a waiting claim may have taken the item before the outcome was looked at.
Judged judge_from(const std::vector<Item>& states, std::size_t& position, const shard::Outcome& outcome) {
  for (;; ++position) {
    const queue::LogEntry* next = position + 1 < states.size() ? &states[position + 1].log.back() : nullptr;
    if (next && next->action == Action::timed_out) continue;
    Judged judged = judge(&states[position], outcome);
    if (judged.verdict == Verdict::accepted && settles(next, outcome)) {
      judged.entry = *next;
      ++position;
      return judged;
    }
    const bool picked_first = next && next->action == Action::picked;
    if (picked_first && judged.verdict == Verdict::accepted) continue;
    const auto later = states.begin() + static_cast<std::ptrdiff_t>(position) + 1;
    const bool settled_later =
        std::any_of(later, states.end(), [&](const Item& state) { return settles(&state.log.back(), outcome); });
    if (picked_first && settled_later) continue;
    return judged;
  }
}

// Whether this call brought it back into memory: perhaps only after one was handed out for which there was no room.
bool came_back(std::span<const shard::ItemWrite> items, const queue::ItemRecord& record) {
  return std::ranges::any_of(items, [&](const shard::ItemWrite& write) {
    const queue::ItemRecord& r = write.record;
    return r.id == record.id && r.lane->queue == record.lane->queue && write.prior &&
           write.prior->placement == queue::Placement::parked;
  });
}

}  // namespace

void Auditor::judge_outcomes(Request& request) const {
  const auto* settle = std::get_if<shard::Settle>(&request.command);
  if (settle == nullptr) return;
  std::map<ItemId, std::size_t> positions;
  for (const shard::Outcome& outcome : settle->outcomes) {
    const std::vector<Item>* states = states_of(outcome.holder.item);
    request.outcomes.push_back(states ? judge_from(*states, positions[outcome.holder.item], outcome) : Judged{});
  }
}

void Auditor::check_answers(const Call& call, const Added& added) {
  for (const shard::Answer& answer : added.answers) {
    const auto request = requests_.find(answer.request);
    MR_REQUIRE(request != requests_.end() && request->second.executed, "r{} got an answer it did not wait for: {}",
               answer.request.value, describe(answer.reply));
    const shard::Claim* claim = claim_of(request->second.command);
    if (claim && claim->wait <= Millis(0)) check_found(call, answer, request->second);
    check_answer(request->second, answer.reply, added);
    const auto* claimed = std::get_if<shard::Claimed>(&answer.reply);
    if (claim && claimed && claimed->items.empty() && claim->wait > Millis(0) && now_ < request->second.deadline) {
      const auto caller = requests_.find(call.request);
      const auto* end = caller == requests_.end() ? nullptr : std::get_if<shard::EndWait>(&caller->second.command);
      MR_REQUIRE(end && end->request == answer.request, "r{} was answered empty before its wait was over",
                 answer.request.value);
    }
    undelivered_.emplace(answer.request, std::move(request->second.command));
    requests_.erase(request);
    if (const auto* end = std::get_if<shard::EndWait>(&undelivered_.at(answer.request))) {
      MR_REQUIRE(!is_waiting(end->request), "r{} still waits although its wait was ended", end->request.value);
    }
  }
  check_unanswered(call);
}

void Auditor::check_unanswered(const Call& call) {
  if (call.request.value == 0) {
    for (const auto& [id, request] : requests_) {
      MR_REQUIRE(!request.executed || request.deadline > now_, "the tick at {} left r{} waiting, until {}",
                 describe(now_), id.value, describe(request.deadline));
    }
    return;
  }
  const auto own = requests_.find(call.request);
  if (own == requests_.end() || !own->second.executed) return;
  if (const auto* end = std::get_if<shard::EndWait>(&own->second.command)) {
    MR_REQUIRE(!is_waiting(end->request), "r{} still waits although its wait was ended", end->request.value);
    requests_.erase(own);
    return;
  }
  const shard::Claim* claim = claim_of(own->second.command);
  MR_REQUIRE(claim && (claim->wait > Millis(0) || ever_parked_), "{} got no answer", describe(own->second.command));
}

void Auditor::check_answer(const Request& request, const shard::Reply& reply, const Added& added) const {
  const shard::Command& command = request.command;
  if (const auto* c = std::get_if<shard::Create>(&command)) return check_created(*c, reply, added);
  if (const auto* c = std::get_if<shard::Claim>(&command)) {
    if (c->wait <= Millis(0) && is_error(reply, Errc::unavailable)) return;  // check_found() did
    return check_claimed(*c, require_reply<shard::Claimed>(command, reply).items, added);
  }
  if (const auto* c = std::get_if<shard::Touch>(&command)) return check_touched(*c, reply);
  if (std::holds_alternative<shard::Settle>(command)) return check_settled(request, reply, added);
  if (const auto* c = std::get_if<shard::Reset>(&command))
    return check_recorded(c->queue, c->item, Action::reset, reply);
  if (const auto* c = std::get_if<shard::Cancel>(&command)) {
    return check_recorded(c->queue, c->item, Action::cancelled, reply);
  }
  if (const auto puts = puts_of(command); !puts.empty()) return check_puts(puts, reply, added);
  if (const auto* c = std::get_if<shard::RemoveDocument>(&command)) return check_removed(*c, reply, added);
  if (const auto* c = std::get_if<shard::Release>(&command)) check_released(*c);
  if (std::holds_alternative<shard::AppendEvents>(command) || std::holds_alternative<shard::ExpireEvents>(command)) {
    return;  // check_events() did
  }
  if (std::holds_alternative<shard::Expire>(command)) {
    const std::size_t told = require_reply<shard::Expired>(command, reply).dropped;
    MR_REQUIRE(told == added.drops.size(), "{} were dropped, {} told", added.drops.size(), told);
  } else if (const auto* c = std::get_if<shard::ListWorkers>(&command)) {
    check_workers(*c, require_reply<shard::Workers>(command, reply));
  } else if (const auto* leased = std::get_if<shard::ListLeased>(&command)) {
    std::vector<ItemId> held;
    if (const auto items = applied_.queues.find(leased->queue); items != applied_.queues.end()) {
      for (const auto& [id, item] : items->second) {
        if (item.record.status == Status::processing) held.insert(held.begin(), id);
      }
    }
    MR_REQUIRE(require_reply<shard::Leased>(command, reply).items == held, "{} leased, told: {}", held.size(),
               describe(reply));
  } else if (const auto* count = std::get_if<shard::CountItems>(&command)) {
    auto counts = recount(applied_, count->queue.tenant);
    MR_REQUIRE(require_reply<shard::Counts>(command, reply).by_status == counts[count->queue.name],
               "{} does not equal a recount", describe(reply));
  } else {
    require_reply<shard::Ack>(command, reply);
  }
}

void Auditor::check_created(const shard::Create& create, const shard::Reply& reply, const Added& added) const {
  std::map<std::string, std::pair<std::string, std::optional<ItemId>>> keys;  // fingerprint and, if known, the id
  bool clash = false;
  bool gone = false;  // what a key made has expired
  for (const shard::NewItem& item : create.items) {
    if (!item.idempotency_key) continue;
    const auto known = applied_.dedup.find({create.queue.tenant, {}, *item.idempotency_key});
    if (known != applied_.dedup.end() && known->second.expires > now_) {
      const ItemId made{known->second.made};
      keys.emplace(*item.idempotency_key, std::pair(known->second.fingerprint, made));
      gone |= applied_.find(create.queue, made) == nullptr;
    }
    const auto [entry, fresh] = keys.emplace(*item.idempotency_key, std::pair(item.fingerprint, std::nullopt));
    clash |= entry->second.first != item.fingerprint;
  }
  if (clash || gone) {
    MR_REQUIRE(is_error(reply, Errc::conflict), "a key was used for another request, or its item is gone: {}",
               describe(reply));
    MR_REQUIRE(added.dedup.empty(), "a refused array stored a key");
    for (const shard::ItemWrite& write : added.items) MR_REQUIRE(!write.body, "a refused array stored an item");
    return;
  }
  const auto& created = require_reply<shard::Created>(create, reply);
  MR_REQUIRE(created.items.size() == create.items.size(), "{} items, {} answers", create.items.size(),
             created.items.size());
  std::set<ItemId> made;
  for (std::size_t i = 0; i < created.items.size(); ++i) {
    const shard::CreatedItem& told = created.items[i];
    std::optional<ItemId> known;
    if (create.items[i].idempotency_key) known = keys.at(*create.items[i].idempotency_key).second;
    MR_REQUIRE(told.existing == (known || made.contains(told.id)), "#{}: existing={}", told.id.value, told.existing);
    MR_REQUIRE(!known || told.id == *known, "#{} told for a key that made #{}", told.id.value,
               known ? known->value : 0);
    if (!told.existing) {
      MR_REQUIRE(applied_.find(create.queue, told.id) != nullptr, "#{} told but not made", told.id.value);
      MR_REQUIRE(made.insert(told.id).second, "#{} told twice", told.id.value);
      MR_REQUIRE(told.record.id == told.id && told.body && told.body->title == create.items[i].body->title,
                 "#{} is told as another item", told.id.value);
    }
    if (create.items[i].idempotency_key) keys.at(*create.items[i].idempotency_key).second = told.id;
  }
}

void Auditor::check_claimed(const shard::Claim& claim, std::span<const queue::ItemRecord> items,
                            const Added& added) const {
  MR_REQUIRE(items.size() <= claim.limit, "{} leased, {} asked for", items.size(), claim.limit);
  for (const queue::ItemRecord& record : items) {
    const Item* item = applied_.find(claim.queue, record.id);
    const bool moved_on = two_phases_ && (!item || item->record.lease.token != record.lease.token ||
                                          item->record.lease.until > record.lease.until);  // touched at once
    MR_REQUIRE(
        moved_on || (item && item->record.lease.token == record.lease.token && item->record.attempt == record.attempt &&
                     record.status == Status::processing && item->record.lease.until == record.lease.until),
        "{}: told as leased", describe(record));
    MR_REQUIRE(std::ranges::any_of(added.log,
                                   [&](const shard::LogWrite& w) {
                                     return w.entry.action == Action::picked && w.entry.token == record.lease.token;
                                   }),
               "{}: leased without a log entry", describe(record));
  }
  if (items.size() == claim.limit || two_phases_) return;
  for (const Candidate& candidate : candidates(applied_, claim.queue)) {
    const queue::ItemRecord& r = candidate.item->record;
    if (!candidate.expected || r.due > now_ || !has_any_tag(r, claim.tags)) continue;
    MR_REQUIRE(!items.empty() && came_back(added.items, r), "{}: ready, but a claim got only {}", describe(r),
               items.size());
  }
}

void Auditor::check_touched(const shard::Touch& touch, const shard::Reply& reply) const {
  const std::vector<Item>* states = states_of(touch.holder.item);
  if (states == nullptr) {
    MR_REQUIRE(is_error(reply, Errc::not_found), "#{} does not exist: {}", touch.holder.item.value, describe(reply));
    return;
  }
  const bool held = std::ranges::any_of(*states, [&](const Item& state) { return holds_lease(state, touch.holder); });
  if (const auto* touched = std::get_if<shard::Touched>(&reply)) {
    const queue::ItemRecord& record = applied_.find(touch.queue, touch.holder.item)->record;
    MR_REQUIRE(held, "{}: touched by a caller without the lease", describe(record));
    MR_REQUIRE(touched->lease_until == record.lease.until && touched->attempt == record.attempt &&
                   touched->at == now_ && touched->worker == touch.holder.worker && touched->item == record.id,
               "{}: told as {}", describe(record), describe(reply));
    const auto started = std::ranges::count_if(applied_.find(touch.queue, record.id)->log, [&](const auto& e) {
      return e.action == Action::started && e.attempt == record.attempt;
    });
    MR_REQUIRE(touch.kind != shard::Touch::Kind::start || started == 1, "{}: started, entries: {}", describe(record),
               started);
    return;
  }
  MR_REQUIRE(is_error(reply, Errc::conflict), "{}: touch answered {}", describe(states->front().record),
             describe(reply));
  MR_REQUIRE(!holds_lease(states->back(), touch.holder), "{}: its holder was refused: {}",
             describe(states->back().record), describe(reply));
}

// S4.7: a repeat is told the first outcome, a lease that was lost changes nothing.
void Auditor::check_settled(const Request& request, const shard::Reply& reply, const Added& added) const {
  const auto& settle = std::get<shard::Settle>(request.command);
  const auto& settled = require_reply<shard::Settled>(request.command, reply);
  MR_REQUIRE(settled.outcomes.size() == settle.outcomes.size(), "{} outcomes, {} results", settle.outcomes.size(),
             settled.outcomes.size());
  for (std::size_t i = 0; i < settled.outcomes.size(); ++i) {
    const Result<shard::OutcomeRecorded>& told = settled.outcomes[i];
    const Judged& judged = request.outcomes[i];
    const bool recorded = judged.verdict == Verdict::accepted || judged.verdict == Verdict::repeated;
    const auto id = settle.outcomes[i].holder.item.value;
    MR_REQUIRE(told.has_value() == recorded, "#{}: {}, expected verdict {}", id, describe(reply),
               static_cast<int>(judged.verdict));
    if (!told) {
      const Errc code = judged.verdict == Verdict::not_found ? Errc::not_found : Errc::conflict;
      MR_REQUIRE(told.error().code == code, "#{}: refused with {}", id, static_cast<int>(told.error().code));
      continue;
    }
    MR_REQUIRE(judged.entry.has_value(), "#{}: accepted without a log entry", id);
    MR_REQUIRE(told->entry == *judged.entry && told->max_retries == judged.max_retries, "#{}: told {}, recorded {}", id,
               describe(told->entry), describe(*judged.entry));
    MR_REQUIRE(told->repeated == (judged.verdict == Verdict::repeated), "#{}: repeated={}", id, told->repeated);
  }
  if (settle.claim) {
    check_claimed(*settle.claim, settled.claimed, added);
  } else {
    MR_REQUIRE(settled.claimed.empty(), "a settle without a claim leased something");
  }
}

void Auditor::check_recorded(const queue::QueueKey& queue, ItemId item, Action action,
                             const shard::Reply& reply) const {
  const std::vector<Item>* states = states_of(item);
  if (states == nullptr) {
    MR_REQUIRE(is_error(reply, Errc::not_found), "{}#{} does not exist: {}", queue.name, item.value, describe(reply));
    return;
  }
  const queue::ItemRecord& before = states->front().record;
  const bool again = before.status == Status::cancelled && action == Action::cancelled;
  if (before.status == Status::completed || (before.status == Status::cancelled && !again)) {
    MR_REQUIRE(is_error(reply, Errc::conflict), "{}: {} answered {}", describe(before), queue::action_name(action),
               describe(reply));
    return;
  }
  const auto* recorded = std::get_if<shard::Recorded>(&reply);
  MR_REQUIRE(recorded != nullptr, "{}: {} answered {}", describe(before), queue::action_name(action), describe(reply));
  MR_REQUIRE(recorded->entry.action == action && recorded->entry.item == item, "{}: told {}", describe(before),
             describe(reply));
  const std::vector<queue::LogEntry>& log = states->back().log;
  MR_REQUIRE(std::ranges::find(log, recorded->entry) != log.end(), "{}: told {}, not recorded", describe(before),
             describe(reply));
  // Already recorded only where this call changed nothing.
  const std::size_t known = states->front().log.size();
  const bool fresh =
      std::find(log.begin() + static_cast<std::ptrdiff_t>(known), log.end(), recorded->entry) != log.end();
  MR_REQUIRE(fresh != again, "{}: {} recorded {}", describe(before), describe(reply), again ? "twice" : "before");
}

void Auditor::check_released(const shard::Release& release) const {
  const Item* item = applied_.find(release.queue, release.item);
  MR_REQUIRE(!item || item->record.lease.token != release.token, "{}: released, still leased",
             item ? describe(item->record) : "");
}

}  // namespace millrace::simulation
