#include "match/index.h"

#include <algorithm>

#include "match/agreement.h"

namespace millrace::match {
namespace {

void prepare(IndexScratch& scratch, std::size_t branches, std::size_t rules, std::size_t lists) {
  if (scratch.list_steps.size() < lists) scratch.list_steps.resize(lists);
  if (scratch.branch_epochs.size() < branches) scratch.branch_epochs.resize(branches);
  if (scratch.rule_epochs.size() < rules) scratch.rule_epochs.resize(rules);
  if (++scratch.epoch != 0) return;
  // Numbers have come round; none of them may look like a new one.
  std::ranges::fill(scratch.branch_epochs, 0);
  std::ranges::fill(scratch.rule_epochs, 0);
  scratch.epoch = 1;
}

}  // namespace

void Index::match(const FlatEvent& event, IndexScratch& scratch, std::vector<RuleId>& out) const {
  prepare(scratch, branches_.size(), rules_.size(), postings_.size());
  scratch.event = &event;
  for (const FlatLeaf& leaf : event.leaves()) {
    if (leaf.field >= accesses_.size()) continue;  // of an index that was built on this one
    const FieldIndex* access = accesses_[leaf.field].get();
    if (access == nullptr) continue;
    ++scratch.step;
    access->find(leaf, scratch.lookup,
                 [&](PostingId list, Evidence evidence) { consider(list, {&leaf, evidence}, scratch, out); });
  }
  ++scratch.step;
  constexpr Lead kNoLead{nullptr, Evidence::hint};
  for (const auto& [field, list] : absent_accesses_) {
    if (event.first(field) == FlatEvent::kNone) consider(list, kNoLead, scratch, out);
  }
  if (unconditional_ != Postings::kNone) consider(unconditional_, kNoLead, scratch, out);
}

void Index::consider(PostingId list, Lead lead, IndexScratch& scratch, std::vector<RuleId>& out) const {
  // A long text can lead to one list at every byte of it.
  const auto consider_all = [&](PostingId candidates) {
    if (scratch.list_steps[candidates] == scratch.step) return;
    scratch.list_steps[candidates] = scratch.step;
    for (const BranchId branch : postings_.at(candidates)) consider_branch(branch, lead, scratch, out);
  };
  if (scratch.list_steps[list] == scratch.step) return;
  consider_all(list);
  refinement_.find(list, *scratch.event, consider_all);
}

void Index::consider_branch(BranchId id, Lead lead, IndexScratch& scratch, std::vector<RuleId>& out) const {
  if (scratch.branch_epochs[id] == scratch.epoch) return;
  const CompiledBranch& branch = branches_[id];
  if (scratch.rule_epochs[branch.rule] == scratch.epoch) return;
  // Tables may bring in more than they should; another value may still be the right one.
  const auto& [leaf, evidence] = lead;
  const bool in_doubt = leaf != nullptr && evidence == Evidence::hint;
  if (in_doubt && !meets(requirements_[branch.required.begin], *leaf, scratch.folded)) return;
  scratch.branch_epochs[id] = scratch.epoch;
  if (!holds(branch, leaf != nullptr ? 1 : 0, scratch)) return;
  scratch.rule_epochs[branch.rule] = scratch.epoch;
  out.push_back(rules_[branch.rule].id);
}

bool Index::holds(const CompiledBranch& branch, std::uint32_t known, IndexScratch& scratch) const {
  const bool found = scratch.event->flat() ? holds_flat(branch, known, scratch) : holds_in_arrays(branch, scratch);
  if (!found) return false;
  for (std::uint32_t e = branch.excluded.begin; e < branch.excluded.end; ++e) {
    for (BranchId inner = exclusions_[e].begin; inner < exclusions_[e].end; ++inner) {
      if (holds(branches_[inner], 0, scratch)) return false;
    }
  }
  return true;
}

bool Index::holds_flat(const CompiledBranch& branch, std::uint32_t known, IndexScratch& scratch) const {
  const FlatEvent& event = *scratch.event;
  for (std::uint32_t r = branch.required.begin + known; r < branch.required.end; ++r) {
    const CompiledRequirement& requirement = requirements_[r];
    std::uint32_t leaf = event.first(requirement.field);
    while (leaf != FlatEvent::kNone && !meets(requirement, event.leaves()[leaf], scratch.folded)) {
      leaf = event.leaves()[leaf].next;
    }
    if (leaf == FlatEvent::kNone) return false;
  }
  for (std::uint32_t a = branch.absent.begin; a < branch.absent.end; ++a) {
    if (event.first(absences_[a]) != FlatEvent::kNone) return false;
  }
  return true;
}

bool Index::holds_in_arrays(const CompiledBranch& branch, IndexScratch& scratch) const {
  const FlatEvent& event = *scratch.event;
  std::vector<std::vector<ElementId>> lists;
  for (std::uint32_t r = branch.required.begin; r < branch.required.end; ++r) {
    const CompiledRequirement& requirement = requirements_[r];
    std::vector<ElementId>& list = lists.emplace_back();
    for (std::uint32_t i = event.first(requirement.field); i != FlatEvent::kNone; i = event.leaves()[i].next) {
      const FlatLeaf& leaf = event.leaves()[i];
      if (meets(requirement, leaf, scratch.folded)) list.push_back(leaf.element);
    }
    if (list.empty()) return false;
  }
  const std::size_t goals = lists.size();
  for (std::uint32_t a = branch.absent.begin; a < branch.absent.end; ++a) {
    std::vector<ElementId>& list = lists.emplace_back();
    for (std::uint32_t i = event.first(absences_[a]); i != FlatEvent::kNone; i = event.leaves()[i].next) {
      list.push_back(event.leaves()[i].element);
    }
  }
  for (std::vector<ElementId>& list : lists) std::ranges::sort(list);
  const std::vector<Places> places(lists.begin(), lists.end());
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(goals);
  return can_agree(event.elements(), {places.begin(), middle}, {middle, places.end()});
}

bool Index::meets(const CompiledRequirement& requirement, const FlatLeaf& leaf, std::string& folded) const {
  const auto [begin, end] = requirement.conditions;
  for (std::uint32_t c = begin; c < end; ++c) {
    if (accepts(*conditions_[c], leaf, folded)) return true;
  }
  return false;
}

}  // namespace millrace::match
