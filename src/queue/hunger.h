// Tags that claims asked for and got nothing, while items that have them may be parked. Decides for which of them the
// parked items are walked through, and remembers for which that would find nothing, so that a worker who asks again and
// again for what is not there costs one walk.
//
// Tags and lanes are known by a hash. Owned by a shard, used on its thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/time.h"
#include "queue/item.h"
#include "queue/parked_lanes.h"

namespace millrace::queue {

class Hunger {
 public:
  // A claim with any of these tags got nothing.
  void note(const QueueKey& queue, std::span<const std::string> tags);
  // Whether a walk might find something due that has one of them.
  bool may_find(const QueueKey& queue, std::span<const std::string> tags) const;
  // An item was parked; `waited_for`: by a claim that got nothing. A walk that is under way may have been where it
  // belongs: it takes nothing of the lane that is due as late or later.
  void parked(const LaneKey& lane, Time due, Time now, bool waited_for);
  // Something that is parked is due then.
  void parked_until(Time due) { due_ = due < due_ ? due : due_; }
  // When something parked becomes due that no walk has looked at; kNever: nothing is known of any.
  Time due() const { return due_; }
  // It has: what was known to be missing may be there.
  void come_due();
  // What walks passed over may be taken now: they begin anew, and one that is under way takes nothing more.
  void restart();

  bool any() const { return !tags_.empty(); }
  // Where the next page of the walk begins; kNever: there is nothing to look at.
  Time begin_page();
  // Whether the walk takes an item of the lane that is due then.
  bool wants(const LaneKey& lane, Time due);
  // It has no room for an item of the lane: it leaves all that follow, which keeps their order.
  void leave(const LaneKey& lane, Time due);
  // It found no room for some of everything that it was begun for.
  bool has_left_all() const;
  // goes_on: there is more from `next` on. enough: the walk took as much as it may. complete: that was all that is due.
  // Whoever still gets nothing after the last two has to be noted again.
  enum class Page { goes_on, enough, complete };
  void end_page(Time next, Page page, Time now);
  // The last walk that ended left something that it was begun for.
  bool has_left_some() const { return left_from_ != kNever; }

 private:
  using Hashes = absl::flat_hash_set<std::uint64_t>;
  // Whether items with a tag stay parked: those due as late as one that was parked meanwhile, or those without room.
  enum class Stays { none, behind, no_room };
  struct Asked {
    Stays stays = Stays::none;
    Time from = kNever;  // nothing with the tag stays that is due earlier
  };
  static constexpr std::size_t kTagsMax = 65'536;  // beyond it is forgotten what was found out, and found out again
  // Known apart in one walk; a queue with more leaves all its others from the earliest of them on. As many as a few
  // walks can bring back: see kTakenMax in src/shard/hunger.cc.
  static constexpr std::size_t kLanesMax = 4096;

  void park_behind(const LaneKey& lane, Time due, Time now);
  bool is_asked(const LaneKey& lane) const;
  void pass_over(const LaneKey& lane);
  void keep(const LaneKey& lane, Time due, Stays why);

  Hashes tags_;    // asked for
  Hashes walked_;  // nothing parked that has one of these is due before next_
  Hashes barren_;  // nothing parked that has one of these is due
  Time next_{};
  Time due_ = kNever;

  // Of the walk that is under way.
  bool walking_ = false;
  Time position_{};
  absl::flat_hash_map<std::uint64_t, Asked> asked_;  // what it was begun for
  ParkedLanes left_{kLanesMax};                      // from when on it takes nothing of these
  Time left_from_ = kNever;                          // nothing it was begun for stays parked that is due earlier
};

}  // namespace millrace::queue
