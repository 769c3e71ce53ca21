#include "match/rule_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>

namespace millrace::match {
namespace {

// So few rules are built anew for every change, so that nothing of a removed rule stays: about 1.3 ms at most, as
// long as the request that changed it took.
constexpr std::size_t kSmall = 512;

// How many changes a base of n rules carries. A change builds what changed since the base, and every so many changes
// the base is built: about the square root of n makes the two cost the same.
std::size_t changes_max(std::size_t rules) {
  return 64 + 2 * static_cast<std::size_t>(std::sqrt(static_cast<double>(rules)));
}

// The last of each id, in the order of ids.
std::vector<Rule> without_repeats(std::vector<Rule> rules) {
  absl::flat_hash_set<RuleId> seen;
  std::vector<Rule> kept;
  kept.reserve(rules.size());
  for (Rule& rule : std::views::reverse(rules)) {
    if (seen.insert(rule.id).second) kept.push_back(std::move(rule));
  }
  std::ranges::sort(kept, {}, &Rule::id);
  return kept;
}

void append_kept(std::vector<Rule>& to, const std::vector<Rule>& from, const absl::flat_hash_set<RuleId>& dropped) {
  for (const Rule& rule : from) {
    if (!dropped.contains(rule.id)) to.push_back(rule);
  }
}

}  // namespace

RuleSet::RuleSet(std::shared_ptr<const Index> base, std::shared_ptr<const Index> recent,
                 absl::flat_hash_set<RuleId> hidden)
    : base_(std::move(base)), recent_(std::move(recent)), hidden_(std::move(hidden)) {}

std::shared_ptr<const RuleSet> RuleSet::build(std::vector<Rule> rules) {
  auto base = std::make_shared<const Index>(without_repeats(std::move(rules)));
  return std::shared_ptr<const RuleSet>(new RuleSet(std::move(base), nullptr, {}));
}

std::shared_ptr<const RuleSet> RuleSet::with(std::vector<Rule> added, std::span<const RuleId> removed) const {
  absl::flat_hash_set<RuleId> changed(removed.begin(), removed.end());
  for (const Rule& rule : added) changed.insert(rule.id);

  absl::flat_hash_set<RuleId> hidden = hidden_;
  for (const RuleId id : changed) {
    if (std::ranges::binary_search(base_->rules(), id, {}, &Rule::id)) hidden.insert(id);
  }
  std::vector<Rule> recent;
  if (recent_) append_kept(recent, recent_->rules(), changed);
  recent.insert(recent.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));

  const std::size_t rules = base_->rules().size();
  const bool small = rules - hidden.size() + recent.size() <= kSmall;
  if (!small && recent.size() + hidden.size() <= changes_max(rules)) {
    std::shared_ptr<const Index> index;
    if (!recent.empty()) index = std::make_shared<const Index>(without_repeats(std::move(recent)), base_.get());
    return std::shared_ptr<const RuleSet>(new RuleSet(base_, std::move(index), std::move(hidden)));
  }
  std::vector<Rule> all;
  append_kept(all, base_->rules(), hidden);
  all.insert(all.end(), std::make_move_iterator(recent.begin()), std::make_move_iterator(recent.end()));
  return build(std::move(all));
}

void RuleSet::match(const EventView& event, Scratch& scratch, std::vector<RuleId>& out) const {
  out.clear();
  scratch.event_.flatten((recent_ ? *recent_ : *base_).paths(), event);
  base_->match(scratch.event_, scratch.index_, out);
  if (!hidden_.empty()) std::erase_if(out, [&](RuleId id) { return hidden_.contains(id); });
  if (recent_) recent_->match(scratch.event_, scratch.index_, out);
  std::ranges::sort(out);
}

std::size_t RuleSet::size() const {
  return base_->rules().size() - hidden_.size() + (recent_ ? recent_->rules().size() : 0);
}

}  // namespace millrace::match
