// Many rules, matched together: the cost of an event depends on the event and on what it nearly matches, not on
// how many rules there are. Immutable: the owner keeps a shared_ptr and swaps it (std::atomic) when rules
// change; threads that still match with the old one keep it alive.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <span>
#include <vector>

#include "match/event_view.h"
#include "match/index.h"

namespace millrace::match {

// The buffers of one thread, for any number of rule sets; kept from event to event.
class Scratch {
 private:
  friend class RuleSet;
  FlatEvent event_;
  IndexScratch index_;
};

class RuleSet {
 public:
  // Of two rules with one id the later holds.
  static std::shared_ptr<const RuleSet> build(std::vector<Rule> rules);

  // This set without the rules `removed` and with the rules `added`, which replace those of the same id. Costs in
  // proportion to the recent changes, at most about the square root of all rules, and to the different paths (a copy);
  // once in so many changes, to all rules (about two microseconds each). docs/adr/0017.
  std::shared_ptr<const RuleSet> with(std::vector<Rule> added, std::span<const RuleId> removed = {}) const;

  // Replaces `out` by the ids of the rules that match, in ascending order.
  void match(const EventView& event, Scratch& scratch, std::vector<RuleId>& out) const;

  std::size_t size() const;
  // Rules that were removed or replaced and are still in memory: at most 64 and twice the square root of all; none
  // where there are up to 512.
  std::size_t hidden() const { return hidden_.size(); }

 private:
  RuleSet(std::shared_ptr<const Index> base, std::shared_ptr<const Index> recent, absl::flat_hash_set<RuleId> hidden);

  std::shared_ptr<const Index> base_;
  std::shared_ptr<const Index> recent_;  // what changed since the base was built; nullptr: nothing
  absl::flat_hash_set<RuleId> hidden_;   // rules of the base that hold no longer
};

}  // namespace millrace::match
