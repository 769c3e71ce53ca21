// How an Index is made. The other half, matching, is in index.cc.
#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include <algorithm>
#include <string_view>

#include "match/index.h"

namespace millrace::match {
namespace {

// Candidates that are sooner verified than looked up by a second field.
constexpr std::uint32_t kLongList = 8;

}  // namespace

Index::Index(std::vector<Rule> rules, const Index* base)
    : rules_(std::move(rules)), trie_(base != nullptr ? base->trie_ : PathTrie()) {
  rule_branches_.reserve(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    rule_branches_.push_back(add_branches(rules_[i].pattern->root(), i));
  }
  accesses_.resize(trie_.fields());
  share_conditions();

  const std::vector<BranchId> indexed = branches_of_rules();
  const Popularity popularity = popularity_of(indexed);
  std::vector<Access> accesses;
  for (const BranchId branch : indexed) {
    order_requirements(branches_[branch], popularity);
    add_access(branch, popularity, accesses);
  }
  add_candidates(accesses);
  for (const auto& access : accesses_) {
    if (access) access->build();
  }
  postings_.pack();
}

Popularity Index::popularity_of(const std::vector<BranchId>& indexed) const {
  Popularity popularity;
  const auto for_each_condition = [&](auto visit) {
    for (const BranchId branch : indexed) {
      const auto [begin, end] = branches_[branch].required;
      for (std::uint32_t r = begin; r < end; ++r) {
        const auto& [field, conditions] = requirements_[r];
        for (std::uint32_t c = conditions.begin; c < conditions.end; ++c) visit(field, *conditions_[c]);
      }
    }
  };
  for_each_condition([&](FieldId field, const Condition& condition) { popularity.count(field, condition); });
  for_each_condition([&](FieldId field, const Condition& condition) { popularity.weigh(field, condition); });
  return popularity;
}

void Index::share_conditions() {
  struct Key {
    Shape shape;
    bool ignore_case;
    std::string_view operand;

    bool operator==(const Key&) const = default;
  };
  const auto hash = [](const Key& key) {
    return absl::HashOf(static_cast<int>(key.shape), key.ignore_case, key.operand);
  };
  absl::flat_hash_map<Key, const Condition*, decltype(hash)> first;
  for (const Condition*& condition : conditions_) {
    const auto* text = std::get_if<TextTest>(&condition->test);
    if (text == nullptr) continue;
    condition = first.try_emplace({text->shape, text->ignore_case, text->operand}, condition).first->second;
  }
}

std::vector<BranchId> Index::branches_of_rules() const {
  std::vector<BranchId> indexed;
  for (const Range& range : rule_branches_) {
    for (BranchId branch = range.begin; branch < range.end; ++branch) indexed.push_back(branch);
  }
  return indexed;
}

// Those of one pattern stand together; those of the patterns it excludes come before.
Index::Range Index::add_branches(const Node& pattern, std::uint32_t rule) {
  const std::vector<Branch> branches = match::branches_of(pattern);
  std::vector<std::vector<Range>> excluded(branches.size());
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (const Node* node : branches[i].excluded) excluded[i].push_back(add_branches(*node, rule));
  }
  Range range{static_cast<std::uint32_t>(branches_.size()), 0};
  for (std::size_t i = 0; i < branches.size(); ++i) add_branch(branches[i], rule, excluded[i]);
  range.end = static_cast<std::uint32_t>(branches_.size());
  return range;
}

void Index::add_branch(const Branch& branch, std::uint32_t rule, const std::vector<Range>& excluded) {
  const auto size_of = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  CompiledBranch compiled{rule, {size_of(requirements_), 0}, {size_of(absences_), 0}, {size_of(exclusions_), 0}};
  for (const Requirement& requirement : branch.required) {
    const std::uint32_t begin = size_of(conditions_);
    conditions_.insert(conditions_.end(), requirement.any_of.begin(), requirement.any_of.end());
    requirements_.push_back({trie_.add(*requirement.path), {begin, size_of(conditions_)}});
  }
  for (const std::string* path : branch.absent) absences_.push_back(trie_.add(*path));
  exclusions_.insert(exclusions_.end(), excluded.begin(), excluded.end());
  compiled.required.end = size_of(requirements_);
  compiled.absent.end = size_of(absences_);
  compiled.excluded.end = size_of(exclusions_);
  branches_.push_back(compiled);
}

void Index::order_requirements(CompiledBranch& branch, const Popularity& popularity) {
  const auto cost = [&](const CompiledRequirement& requirement) {
    std::uint64_t sum = 0;
    for (std::uint32_t c = requirement.conditions.begin; c < requirement.conditions.end; ++c) {
      sum += popularity.cost(requirement.field, *conditions_[c]);
    }
    return sum;
  };
  const auto begin = requirements_.begin();
  std::ranges::sort(begin + branch.required.begin, begin + branch.required.end, {}, cost);
}

void Index::add_access(BranchId id, const Popularity& popularity, std::vector<Access>& accesses) {
  const CompiledBranch& branch = branches_[id];
  if (branch.required.begin < branch.required.end) {
    const auto& [field, conditions] = requirements_[branch.required.begin];
    auto& index = accesses_[field];
    if (!index) index = std::make_unique<FieldIndex>();
    for (std::uint32_t c = conditions.begin; c < conditions.end; ++c) {
      const auto* wildcard = std::get_if<Wildcard>(&conditions_[c]->test);
      std::size_t part = 0;
      if (wildcard != nullptr) {
        part =
            popularity.is_crowded(field, *wildcard) ? FieldIndex::kAllParts : popularity.rarest_part(field, *wildcard);
      }
      accesses.push_back({index->list_for(*conditions_[c], part, postings_), id});
    }
    return;
  }
  if (branch.absent.begin == branch.absent.end) {
    if (unconditional_ == Postings::kNone) unconditional_ = postings_.make();
    accesses.push_back({unconditional_, id});
    return;
  }
  const FieldId field = absences_[branch.absent.begin];
  auto access = std::ranges::find(absent_accesses_, field, &AbsentAccess::field);
  if (access == absent_accesses_.end()) access = absent_accesses_.insert(access, {field, postings_.make()});
  accesses.push_back({access->posting, id});
}

void Index::add_candidates(const std::vector<Access>& accesses) {
  absl::flat_hash_map<PostingId, std::uint32_t> lengths;
  for (const Access& access : accesses) ++lengths[access.list];
  for (const auto& [list, id] : accesses) {
    const Range required = branches_[id].required;
    const CompiledRequirement* second = nullptr;
    for (std::uint32_t r = required.begin + 1; r < required.end && second == nullptr; ++r) {
      const auto [begin, end] = requirements_[r].conditions;
      if (std::all_of(&conditions_[begin], &conditions_[0] + end, [](const Condition* c) { return is_exact(*c); })) {
        second = &requirements_[r];
      }
    }
    if (lengths[list] <= kLongList || second == nullptr) {
      postings_.add(list, id);
      continue;
    }
    for (std::uint32_t c = second->conditions.begin; c < second->conditions.end; ++c) {
      refinement_.add(list, second->field, *conditions_[c], id, postings_);
    }
  }
}

}  // namespace millrace::match
