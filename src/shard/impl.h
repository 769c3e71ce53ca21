// The inside of a Shard: its state, and one function per command, in the files named beside them.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "queue/hunger.h"
#include "queue/leases.h"
#include "queue/parked_lanes.h"
#include "queue/waiters.h"
#include "shard/live_items.h"
#include "shard/shard.h"
#include "shard/watch.h"

namespace millrace::shard {

// Kind of the documents that say which routes are paused; the shard itself obeys them.
inline constexpr std::string_view kPausedKind = "paused";

// A claim that waits, with the outcomes that are to be answered together with it.
struct WaitingClaim {
  RequestId request;
  Claim claim;
  std::optional<Settled> settled;  // set where the claim came with a Settle
  std::uint64_t starved = 0;       // so many groups had begun to starve when it came

  // It did not ask to wait: it does so only until what is parked for it has been looked for.
  bool searches() const { return claim.wait <= Millis(0); }
};

Error unknown_item(ItemId id);

struct TenantState {
  TenantCounters counters;  // `queues` is kept sorted by name
  bool dirty = false;
};

struct Shard::Impl {
  Impl(ShardState state, Epoch epoch_, ShardOptions options_, Time now_);

  // What the functions of one command share.
  struct Step {
    RequestId request;
    const Need* asked;  // what `facts` answer; null without facts
    const Facts* facts;
    Effects& effects;

    // The facts about an item or key; null where they were not asked for.
    const std::optional<ItemHistory>* history(const ItemRef& ref) const;
    const std::optional<DedupRecord>* dedup(const DedupKey& key) const;
  };

  std::optional<Need> execute(Step& step, Command& command);

  // create.cc
  std::optional<Need> run(Step& step, Create& command);
  CreatedItem create_one(const queue::QueueKey& queue, NewItem& item, Effects& effects);
  // claim.cc
  std::optional<Need> run(Step& step, Claim& command);
  std::optional<Need> run(Step& step, EndWait& command);
  std::vector<queue::ItemRecord> lease_items(const Claim& claim, Effects& effects);
  void wait_or_answer(Step& step, Claim claim, std::optional<Settled> settled);
  void serve_waiters(Effects& effects);
  void end_wait(WaitingClaim waiting, std::vector<queue::ItemRecord> items, Effects& effects);
  void answer_claim(WaitingClaim waiting, std::vector<queue::ItemRecord> items, Effects& effects);
  void refuse_claim(WaitingClaim waiting, const char* why, Effects& effects);
  void end_late_waits(Effects& effects);
  void refuse_wait(WaitingClaim waiting, const char* why, Effects& effects);
  // settle.cc
  std::optional<Need> run(Step& step, Settle& command);
  std::optional<Need> run(Step& step, Touch& command);
  bool holds(SlotIndex slot, const Holder& holder) const;
  Result<OutcomeRecorded> settle_one(Step& step, const Settle& command, std::size_t index,
                                     const std::vector<Result<OutcomeRecorded>>& before);
  Error not_held(const queue::QueueKey& queue, const Holder& holder, const queue::ItemRecord& stored) const;
  OutcomeRecorded complete(SlotIndex slot, const Outcome& outcome, Effects& effects);
  OutcomeRecorded fail_try(SlotIndex slot, const Outcome& outcome, Effects& effects);
  queue::LogEntry end_try(SlotIndex slot, queue::LogEntry entry, Millis delay, Effects& effects);
  // repair.cc
  std::optional<Need> run(Step& step, Reset& command);
  std::optional<Need> run(Step& step, Cancel& command);
  std::optional<Need> run(Step& step, Release& command);
  void reset_live(SlotIndex slot, Effects& effects);
  void reset_stored(const queue::ItemRecord& stored, Effects& effects);
  void cancel_live(SlotIndex slot, Effects& effects);
  void cancel_stored(queue::ItemRecord stored, Effects& effects);
  // timers.cc
  void tick(Effects& effects);
  Time next_tick() const;
  void time_out(SlotIndex slot, Effects& effects);
  std::optional<Need> run(Step& step, Expire& command);
  // parking.cc
  std::optional<Need> run(Step& step, Refill& command);
  std::optional<Need> run(Step& step, SetPaused& command);
  void load_paused(const Document& document);
  bool must_park(const queue::ItemRecord& record, Effects& effects);
  void park(SlotIndex slot, Effects& effects);
  void note_parked(const queue::LaneKey& lane, Time due);
  void wish_refill(Effects& effects);
  void bring_back(queue::ItemRecord row, Effects& effects);
  void take_due(Refill& command, Effects& effects);
  bool wish_due(Effects& effects);
  // hunger.cc
  void note_hunger(const Claim& claim);
  bool wish_wanted(Effects& effects);
  void take_wanted(Refill& command, Effects& effects);
  void take_wanted(queue::ItemRecord& row, Effects& effects);
  void come_due();
  void note_waiters();
  bool may_come(const WaitingClaim& waiting) const;
  void end_searches(Effects& effects);
  void refuse_searches(Effects& effects);
  // group_parking.cc
  bool must_park_member(const queue::ItemRecord& record);
  std::size_t counted() const;
  std::size_t followers_max() const { return options.live_items_max / 2; }
  std::size_t follower_room() const;
  bool wants_members(const queue::Group& group) const;
  bool wish_members(Effects& effects);
  void take_members(Refill& command, Effects& effects);
  void take_member(queue::ItemRecord row, Effects& effects);
  void end_page(bool complete);
  // append.cc
  std::optional<Need> run(Step& step, AppendEvents& command);
  EventPtr append_one(const TenantId& owner, NewEvent& event, bool owns_event_id, Effects& effects);
  void remember(DedupKey key, const event::Record& record, Time until, Effects& effects);
  // expire_events.cc
  std::optional<Need> run(Step& step, ExpireEvents& command);
  // questions.cc
  std::optional<Need> run(Step& step, ListWorkers& command);
  std::optional<Need> run(Step& step, ListLeased& command);
  std::optional<Need> run(Step& step, CountItems& command);
  std::array<std::uint64_t, queue::kStatuses> counted_in(const queue::QueueKey& queue) const;
  // catalog.cc
  std::optional<Need> run(Step& step, PutDocument& command);
  std::optional<Need> run(Step& step, PutDocuments& command);
  std::optional<Need> run(Step& step, RemoveDocument& command);
  std::optional<Error> refusal_of(const PutDocument& command) const;
  Document put(PutDocument& command, Effects& effects);
  void audit(const AuditNote& note, std::string_view verb, Effects& effects);

  // Shared by all of them (impl.cc).
  TenantState& tenant(const TenantId& id);
  std::array<std::uint64_t, queue::kStatuses>& counts(const queue::QueueKey& queue);
  void count_change(const queue::QueueKey& queue, std::optional<queue::Status> from, std::optional<queue::Status> to);
  void answer(Step& step, Reply reply);
  void write(SlotIndex slot, const PriorItem& prior, Effects& effects);
  void write(queue::ItemRecord record, const PriorItem& prior, Effects& effects);
  PriorItem prior_of(SlotIndex slot) const;
  void finish(SlotIndex slot, queue::Status to, const PriorItem& prior, Effects& effects);
  queue::LogEntry& log(const queue::QueueKey& queue, queue::LogEntry entry, Effects& effects);
  void mark_dirty(TenantState& state);
  void change_status(SlotIndex slot, queue::Status to);
  void end_lease(SlotIndex slot);
  void retire(SlotIndex slot);
  void seal(Effects& effects);

  ShardId shard;
  Epoch epoch;
  ShardOptions options;
  Time now;

  LiveItems items;
  TsidSource tsids;
  queue::Workers workers;
  queue::Waiters<WaitingClaim> waiters;
  std::map<TenantId, TenantState> tenants;                            // nodes stay where they are: dirty points to them
  std::vector<TenantState*> dirty;                                    // in the order they became so
  std::map<std::pair<std::string, std::string>, Document> documents;  // by kind and key
  Watch watch;

  bool has_parked = false;  // the store may hold parked items outside the order of groups
  // Theirs, of as many lanes as there may be items in memory.
  queue::ParkedLanes parked_lanes{options.live_items_max};
  bool refill_under_way = false;
  // What it looks for, passing over all others: what is due, members of groups, what claims asked for and did not get.
  enum class RefillKind { due, members, wanted };
  RefillKind refill_kind = RefillKind::due;
  Time refill_again{};          // the store could not be read; not before this
  bool refill_skipped = false;  // since one began at the front, items of paused routes were passed over
  Time refill_from{};           // no parked item is due earlier, but for those passed over; kNever: none at all
  Time parked_from = kNever;    // the earliest due time parked while a refill is under way
  queue::ParkedLanes parked_meanwhile{options.live_items_max};  // the lanes of these
  std::size_t refill_least = 1;           // rows to read at least, to get past many of one due time that are paused
  absl::btree_set<ItemRef> watch_parked;  // parked items that changed while a refill reads
  queue::Hunger hunger;
  bool waiters_unnoted = false;      // whoever still waits after this command is to be noted there
  std::size_t wanted_rows = 0;       // of the next page that is read for it
  std::size_t wanted_taken = 0;      // in this walk
  std::vector<RequestId> searching;  // claims that wait only for what is read, and some that do so no more
  bool searched = false;             // something was found out that may end their wait
  Time wanted_again{};               // memory held nothing that could give way; not before this
  // One walk over the parked items by parked_at, page by page, for the groups that are hungry.
  struct Pass {
    bool active = false;
    std::uint32_t number = 0;
    Time from{};           // where it began
    Time next{};           // where the next page begins
    Time asked{};          // when it was asked for: members parked since are not before this
    std::size_t rows = 0;  // of the next page
  } pass;
};

}  // namespace millrace::shard
