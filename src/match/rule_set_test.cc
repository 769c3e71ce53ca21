// Sets that change: what is added is found, what is removed is not, and what it leaves is bounded (S2.8).
#include "match/rule_set.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "match/testing.h"

namespace millrace::match {
namespace {

// Rule i wants n to be i.
std::vector<Rule> numbered_rules(std::size_t count) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < count; ++i) rules.push_back({i, compiled(fmt::format(R"({{"n":[{}]}})", i))});
  return rules;
}

std::vector<RuleId> matched_by(const RuleSet& rules, std::string event) {
  const json::Document document = parsed(std::move(event));
  static Scratch scratch;  // one for all, so that nothing of one set or event may show in the next
  std::vector<RuleId> matched;
  rules.match(EventView(document.root()), scratch, matched);
  return matched;
}

TEST(ChangedSet, FindsRulesOnPathsThatItDidNotKnow) {
  const auto base = RuleSet::build(numbered_rules(1000));
  const std::vector<Rule> added = {{2000, compiled(R"({"new":{"path":["x"]}})")},
                                   {2001, compiled(R"({"n":[7],"new":{"other":[{"exists":false}]}})")},
                                   {2002, compiled(R"({"lines":{"a":[1],"b":[2]}})")}};
  const auto changed = base->with(added);
  EXPECT_EQ(changed->size(), 1003u);
  EXPECT_EQ(matched_by(*changed, R"({"n":7,"new":{"path":"x"}})"), (std::vector<RuleId>{7, 2000, 2001}));
  EXPECT_EQ(matched_by(*changed, R"({"n":7,"new":{"other":1},"lines":[{"a":1},{"b":2}]})"), (std::vector<RuleId>{7}));
  EXPECT_EQ(matched_by(*changed, R"({"n":8,"lines":[{"a":1,"b":2}]})"), (std::vector<RuleId>{8, 2002}));
  EXPECT_EQ(matched_by(*base, R"({"n":7,"new":{"path":"x"}})"), (std::vector<RuleId>{7}));
}

TEST(ChangedSet, NeverReportsARemovedRuleAndBoundsWhatItLeaves) {
  constexpr std::size_t kRules = 1000;
  auto rules = RuleSet::build(numbered_rules(kRules));
  std::size_t most = 0;
  for (RuleId id = 0; id < kRules; ++id) {
    rules = rules->with({}, std::vector<RuleId>{id});
    EXPECT_EQ(rules->size(), kRules - id - 1);
    EXPECT_EQ(matched_by(*rules, fmt::format(R"({{"n":{}}})", id)), std::vector<RuleId>{});
    const std::size_t all = rules->size() + rules->hidden();
    if (rules->size() <= 512) EXPECT_EQ(rules->hidden(), 0u);
    EXPECT_LE(rules->hidden(), 64 + 2 * static_cast<std::size_t>(std::sqrt(static_cast<double>(all))));
    most = std::max(most, rules->hidden());
  }
  EXPECT_GT(most, 0u);
}

TEST(ChangedSet, KeepsNothingOfARemovedRuleWhereRulesAreFew) {
  auto rules = numbered_rules(512);
  const std::weak_ptr<const Pattern> removed = rules[5].pattern;
  auto set = RuleSet::build(std::move(rules));
  ASSERT_FALSE(removed.expired());
  set = set->with({}, std::vector<RuleId>{5});
  EXPECT_TRUE(removed.expired());
}

}  // namespace
}  // namespace millrace::match
