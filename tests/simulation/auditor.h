// The independent judge of a history. It is told every message that reached the shard, what each call
// added to the effects, which groups were sealed and committed, and which answers clients got; from
// these alone it knows what must hold and throws Violation where it does not. It shares no code with
// the shard: its rules are order.h and transitions.h.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "order.h"
#include "residents.h"
#include "shard/command.h"
#include "shard/shard.h"
#include "store/store.h"
#include "transitions.h"
#include "view.h"

namespace millrace::simulation {

// One call of execute() or tick().
struct Call {
  RequestId request = {};    // 0 for a tick
  bool wants_facts = false;  // it returned a Need: nothing may have been decided
  bool timers_due = false;   // a tick was due before it: its timers went first
  Time now{};                // as passed in; may go back
};

class Auditor {
 public:
  Auditor(ShardId shard, shard::ShardOptions options) : shard_(shard), options_(options) {}

  // A message arrived and will be executed, perhaps after facts were read for it.
  void sent(RequestId request, const shard::Command& command);
  // The shard was called; `effects` has grown by what the call gave.
  void observed(const Call& call, const shard::Effects& effects, Time next_tick);
  // The effects were completed by seal(); the next call begins with empty ones.
  void sealed();
  // The oldest sealed group became durable. To be told before the store applies it.
  void committed(const shard::Batch& batch);
  // An answer is about to be passed on; its group is durable.
  void delivered(RequestId request, const shard::Reply& reply);
  // No answer may come any more: the runner abandoned the command.
  void abandoned(RequestId request);
  // Everything that was not committed is forgotten; `state` was loaded and a new shard made of it.
  void reloaded(const shard::ShardState& state, Time now);
  // Every row of the store against what was committed.
  void compare(store::Store& store) const;

  const View& applied() const { return applied_; }
  const View& durable() const { return committed_; }
  Time now() const { return now_; }
  bool is_waiting(RequestId request) const;
  // Requests that the shard holds: claims that wait for an item.
  std::vector<RequestId> waiting() const;

 private:
  // A command on its way to its answer.
  struct Request {
    shard::Command command;
    std::vector<Judged> outcomes;  // of a Settle, decided when it was executed
    bool executed = false;
    Time deadline{};  // of a claim that waits
    // Of one that did not ask to: items it could have got all the while, had they not been parked.
    std::optional<std::set<ItemId>> missed = {};
  };
  // What one call added to the effects.
  struct Added {
    std::span<const shard::ItemWrite> items;
    std::span<const shard::LogWrite> log;
    std::span<const shard::ItemDrop> drops;
    std::span<const shard::DedupRecord> dedup;
    std::span<const shard::DocumentWrite> documents;
    std::span<const shard::AuditRecord> audit;
    std::span<const shard::EventPtr> events;
    std::span<const shard::EventDrop> event_drops;
    std::span<const shard::Answer> answers;
  };
  struct Seen {
    std::size_t items = 0, log = 0, drops = 0, dedup = 0, documents = 0, audit = 0, events = 0, event_drops = 0,
                answers = 0;
  };

  Added take_added(const shard::Effects& effects);
  // The command that this call decided; null for a tick and for a call that wants facts.
  Request* deciding(const Call& call);

  // Writes of one call.
  void check_new_items(const Added& added, const shard::Command* command);
  void check_new_item(const shard::ItemWrite& write, const shard::NewItem& wanted, const queue::QueueKey& queue);
  void check_log(const Added& added, const shard::Command* command);
  void check_pick(const queue::QueueKey& queue, const Item& item, const shard::Claim& claim) const;
  void check_alone(const Item& item) const;
  void check_best(const Item& item, const shard::Claim& claim, std::span<const Candidate> all) const;
  void check_parking(const Added& added);
  void check_group_parking(const shard::ItemWrite& write);
  void check_place(const shard::ItemWrite& write) const;
  void check_member_fits(const shard::ItemWrite& write) const;
  bool exceeds_rightly(const shard::ItemWrite& write) const;
  void check_bound(std::size_t before, std::size_t allowed) const;
  void find_parked_members();
  void check_nothing_parked_before(const Item& item) const;
  std::vector<const queue::ItemRecord*> parked_in_lane_of(const queue::ItemRecord& record) const;
  void check_writes(const Added& added, const shard::Command* command);
  void check_final_write(Item& item, const queue::ItemRecord& written, bool moved, const shard::Command* command);
  void check_drops(const Added& added, const shard::Command* command);
  void check_dedup(const Added& added, const shard::Command* command);
  void check_documents(const Added& added, const shard::Command* command);
  void check_audit(const Added& added, const shard::Command* command);

  // The event log (audit_events.cc).
  void check_events(const Call& call, const Added& added, const shard::Command* command);
  void check_appended(const shard::AppendEvents& append, const shard::Reply* reply,
                      std::span<const shard::EventPtr> stored);
  void check_new_event(const TenantId& tenant, const shard::NewEvent& sent, const shard::EventPtr& stored);
  void check_event_drops(const shard::ExpireEvents& expire, const shard::Reply* reply,
                         std::span<const shard::EventDrop> drops);
  void commit_events(const shard::Batch& batch);
  void delivered_events(const TenantId& tenant, const shard::Appended& appended) const;
  void compare_events(store::Store& store) const;

  // Claims that are held though they did not ask to wait, until what is parked for them is found (audit_searches.cc).
  std::set<ItemId> parked_for(const shard::Claim& claim) const;
  void watch_searches();
  void check_found(const Call& call, const shard::Answer& answer, const Request& request) const;
  bool is_given_up(const Call& call) const;

  // Answers of one call.
  void judge_outcomes(Request& request) const;
  void check_answers(const Call& call, const Added& added);
  void check_unanswered(const Call& call);
  void check_answer(const Request& request, const shard::Reply& reply, const Added& added) const;
  void check_created(const shard::Create& create, const shard::Reply& reply, const Added& added) const;
  void check_claimed(const shard::Claim& claim, std::span<const queue::ItemRecord> items, const Added& added) const;
  void check_touched(const shard::Touch& touch, const shard::Reply& reply) const;
  void check_settled(const Request& request, const shard::Reply& reply, const Added& added) const;
  void check_recorded(const queue::QueueKey& queue, ItemId item, queue::Action action, const shard::Reply& reply) const;
  void check_released(const shard::Release& release) const;
  void check_puts(std::span<const shard::PutDocument> puts, const shard::Reply& reply, const Added& added) const;
  void check_put(std::size_t index, const shard::PutDocument& put, const shard::Document& told,
                 const Added& added) const;
  void check_removed(const shard::RemoveDocument& remove, const shard::Reply& reply, const Added& added) const;
  void check_workers(const shard::ListWorkers& question, const shard::Workers& answer) const;
  void check_forgotten(const shard::WorkerDrop& drop) const;

  // Promises that hold after every call.
  void check_timers(const Call& call, Time next_tick) const;
  void check_waiters(Time next_tick) const;
  // Remembers the items that a command names as they were before it.
  void keep_named(const shard::Command* command);
  // Those states in order, one after each entry of the call; null if the item does not exist.
  const std::vector<Item>* states_of(ItemId id) const;
  void check_counters() const;

  ShardId shard_;
  shard::ShardOptions options_;
  View applied_;
  View committed_;
  std::map<RequestId, Request> requests_;
  std::map<RequestId, shard::Command> undelivered_;         // answered, not yet passed on
  std::set<std::pair<shard::ItemRef, LeaseToken>> tokens_;  // every one that was ever given out, lost or not
  std::map<shard::EventPtr, KnownEvent> event_notes_;       // what was sent with each, lost or not
  std::vector<Pause> pauses_;                               // of the group being filled
  std::deque<std::vector<Pause>> sealed_pauses_;
  std::set<shard::ItemRef> parked_;  // since the last reload, and still
  bool ever_parked_ = false;         // anything, since the last reload or before
  Residents residents_;
  // Of each group, those that take their turn in it.
  std::map<GroupName, std::set<ItemId>> parked_members_;
  Seen seen_;
  Time now_{};
  // Of the call being looked at:
  // Timers, then the command: a lease given by the first is not judged by what the second changed.
  bool two_phases_ = false;
  std::map<ItemId, std::vector<Item>> named_;
  std::optional<queue::QueueKey> named_queue_;
  std::vector<std::optional<shard::Document>> documents_before_;  // that it writes or removes, in its order
};

// The claim a command carries, or null.
const shard::Claim* claim_of(const shard::Command& command);

// The documents that a command puts.
std::span<const shard::PutDocument> puts_of(const shard::Command& command);

}  // namespace millrace::simulation
