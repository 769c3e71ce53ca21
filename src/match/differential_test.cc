// The rule set against the reference, on random patterns and events. The same seeds every time: a failure names
// its seed, pattern and event.
#include <gtest/gtest.h>

#include <algorithm>

#include "match/random_cases.h"
#include "match/testing.h"

namespace millrace::match {
namespace {

struct Counts {
  std::size_t verdicts = 0;
  std::size_t matched = 0;
  std::size_t in_arrays = 0;  // verdicts on events with arrays of objects
};

std::vector<Rule> random_rules(SeededChoices& choices, std::size_t count, std::vector<std::string>& texts) {
  std::vector<Rule> rules;
  while (rules.size() < count) {
    const std::string text = RandomCases(choices).pattern();
    const auto pattern = compiled_if_bounded(text);
    if (!pattern) continue;
    texts.push_back(text);
    rules.push_back({rules.size(), pattern});
  }
  return rules;
}

void compare(const RuleSet& rule_set, const std::vector<Rule>& rules, const std::vector<std::string>& texts,
             const std::string& event_text, Scratch& scratch, Counts& counts) {
  const json::Document document = parsed(event_text);
  const EventView event(document.root());
  std::vector<RuleId> matched;
  rule_set.match(event, scratch, matched);
  const Leaves leaves(event);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto expected = reference_matches(rules[i].pattern->root(), leaves);
    if (!expected) continue;
    ASSERT_EQ(std::ranges::binary_search(matched, rules[i].id), *expected) << texts[i] << " on " << event_text;
    ++counts.verdicts;
    counts.matched += *expected ? 1 : 0;
    counts.in_arrays += event_text.find("[{") == std::string::npos ? 0 : 1;
  }
}

TEST(Differential, RuleSetAgreesWithReference) {
  Counts counts;
  Scratch scratch;  // one for all, so that nothing of one set or event may show in the next
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    SeededChoices choices(seed);
    std::vector<std::string> texts;
    const std::vector<Rule> rules = random_rules(choices, seed % 2 == 0 ? 100 : 3, texts);
    const auto rule_set = RuleSet::build(rules);
    for (int i = 0; i < 60; ++i) {
      const std::string event = RandomCases(choices).event();
      ASSERT_NO_FATAL_FAILURE(compare(*rule_set, rules, texts, event, scratch, counts));
    }
  }
  // The generator must not drift into cases that say nothing.
  EXPECT_GT(counts.verdicts, 80'000u);
  EXPECT_GT(counts.matched, counts.verdicts / 20);
  EXPECT_GT(counts.in_arrays, counts.verdicts / 10);
}

TEST(Differential, ExplanationAgreesWithReference) {
  SeededChoices choices(4711);
  for (int i = 0; i < 2000; ++i) {
    const std::string pattern = RandomCases(choices).pattern();
    const std::string event = RandomCases(choices).event();
    if (compiled_if_bounded(pattern)) matches(pattern, event);
    ASSERT_FALSE(testing::Test::HasFailure()) << pattern << " on " << event;
  }
}

TEST(Differential, ChangedSetsAgreeWithFreshOnes) {
  SeededChoices choices(99);
  std::vector<std::string> texts;
  const std::vector<Rule> pool = random_rules(choices, 1600, texts);
  std::vector<Rule> present(pool.begin(), pool.begin() + 1200);
  auto changed = RuleSet::build(present);
  Scratch scratch;
  for (int round = 0; round < 20; ++round) {
    std::vector<RuleId> removed;
    for (int i = 0; i < 20; ++i) removed.push_back(choices.below(1600));
    std::vector<Rule> added;
    for (int i = 0; i < 20; ++i) added.push_back({choices.below(1600), pool[choices.below(1600)].pattern});
    changed = changed->with(added, removed);

    std::erase_if(present, [&](const Rule& rule) {
      return std::ranges::find(removed, rule.id) != removed.end() ||
             std::ranges::find(added, rule.id, &Rule::id) != added.end();
    });
    present.insert(present.end(), added.begin(), added.end());
    const auto fresh = RuleSet::build(present);
    ASSERT_EQ(changed->size(), fresh->size());
    for (int i = 0; i < 20; ++i) {
      const json::Document document = parsed(RandomCases(choices).event());
      std::vector<RuleId> seen;
      std::vector<RuleId> expected;
      changed->match(EventView(document.root()), scratch, seen);
      fresh->match(EventView(document.root()), scratch, expected);
      ASSERT_EQ(seen, expected);
    }
  }
}

}  // namespace
}  // namespace millrace::match
