// All branches of many patterns behind one entrance: values lead to candidates, candidates are verified. Immutable
// once built, so any thread may match with a scratch of its own. Holds the patterns it was built from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "match/branches.h"
#include "match/event_view.h"
#include "match/field_index.h"
#include "match/flatten.h"
#include "match/path_trie.h"
#include "match/pattern.h"
#include "match/popularity.h"
#include "match/postings.h"
#include "match/refinement.h"

namespace millrace::match {

using RuleId = std::uint64_t;

struct Rule {
  RuleId id;
  std::shared_ptr<const Pattern> pattern;
};

// Buffers of one thread, for any index; kept from event to event.
struct IndexScratch {
  const FlatEvent* event = nullptr;          // the one being matched
  std::vector<std::uint32_t> branch_epochs;  // the event at which a branch was last looked at
  std::vector<std::uint32_t> rule_epochs;    // the event that a rule last matched
  std::uint32_t epoch = 0;
  std::vector<std::uint64_t> list_steps;  // the step at which a list was last looked at
  std::uint64_t step = 0;                 // counts the values that were looked up, of all events
  std::string folded;                     // for verifying; the lookup has its own, since they take turns
  LookupScratch lookup;
};

class Index {
 public:
  // Where there is a `base`, its fields keep their numbers: an event flattened along paths() is right for both.
  explicit Index(std::vector<Rule> rules, const Index* base = nullptr);

  // Appends the ids of the rules that match, each once, in no order.
  // REQUIRES: flattened along paths() of this index, or of one that was built on it.
  void match(const FlatEvent& event, IndexScratch& scratch, std::vector<RuleId>& out) const;

  const std::vector<Rule>& rules() const { return rules_; }
  const PathTrie& paths() const { return trie_; }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct CompiledRequirement {
    FieldId field;
    Range conditions;
  };
  struct CompiledBranch {
    std::uint32_t rule;  // its number in rules_; unused inside $not
    Range required;      // the one that brings in the fewest candidates first: it is the access
    Range absent;
    Range excluded;
  };

  struct Access {
    PostingId list;
    BranchId branch;
  };

  Range add_branches(const Node& pattern, std::uint32_t rule);
  void add_branch(const Branch& branch, std::uint32_t rule, const std::vector<Range>& excluded);
  // Equal texts of different patterns become one, which stays in the processor's cache.
  void share_conditions();
  Popularity popularity_of(const std::vector<BranchId>& indexed) const;
  void order_requirements(CompiledBranch& branch, const Popularity& popularity);
  // The lists under which a branch is found, before long ones are split.
  void add_access(BranchId branch, const Popularity& popularity, std::vector<Access>& accesses);
  void add_candidates(const std::vector<Access>& accesses);
  std::vector<BranchId> branches_of_rules() const;

  // The value that led to a list, and whether branches are certain to want it; leaf nullptr where none did.
  struct Lead {
    const FlatLeaf* leaf;
    Evidence evidence;
  };

  // Adds the rules of a list that match.
  void consider(PostingId list, Lead lead, IndexScratch& scratch, std::vector<RuleId>& out) const;
  void consider_branch(BranchId branch, Lead lead, IndexScratch& scratch, std::vector<RuleId>& out) const;
  // The first `known` requirements were found to be met.
  bool holds(const CompiledBranch& branch, std::uint32_t known, IndexScratch& scratch) const;
  bool holds_flat(const CompiledBranch& branch, std::uint32_t known, IndexScratch& scratch) const;
  bool holds_in_arrays(const CompiledBranch& branch, IndexScratch& scratch) const;
  bool meets(const CompiledRequirement& requirement, const FlatLeaf& leaf, std::string& folded) const;

  std::vector<Rule> rules_;
  PathTrie trie_;
  std::vector<CompiledBranch> branches_;
  std::vector<CompiledRequirement> requirements_;
  std::vector<const Condition*> conditions_;
  std::vector<FieldId> absences_;
  std::vector<Range> exclusions_;  // each the branches of one $not
  std::vector<Range> rule_branches_;

  std::vector<std::unique_ptr<FieldIndex>> accesses_;  // by field; nullptr: the access of no branch
  struct AbsentAccess {
    FieldId field;
    PostingId posting;
  };
  std::vector<AbsentAccess> absent_accesses_;  // for branches that require nothing
  PostingId unconditional_ = Postings::kNone;  // for branches that only exclude
  Postings postings_;
  Refinement refinement_;
};

}  // namespace millrace::match
