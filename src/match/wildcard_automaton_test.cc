// Many wildcards on one field (S2.8): the automaton against the check of one wildcard, and rule sets that use it
// against the reference.
#include "match/wildcard_automaton.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "match/accept.h"
#include "match/popularity.h"
#include "match/random_cases.h"
#include "match/testing.h"

namespace millrace::match {
namespace {

std::string random_letters(SeededChoices& choices, std::size_t length, std::uint32_t letters = 2) {
  std::string text;
  while (text.size() < length) text.push_back(static_cast<char>('a' + choices.below(letters)));
  return text;
}

// Of random letters, with stars between parts and perhaps at its ends; at least one part has letters.
Wildcard random_wildcard(SeededChoices& choices, std::uint32_t parts_max, std::uint32_t part_bytes_max) {
  Wildcard wildcard;
  wildcard.parts.push_back(choices.below(2) == 0 ? "" : random_letters(choices, choices.below(4)));
  for (std::uint32_t n = 1 + choices.below(parts_max); n > 0; --n) {
    wildcard.parts.push_back(random_letters(choices, 1 + choices.below(part_bytes_max)));
  }
  wildcard.parts.push_back(choices.below(2) == 0 ? "" : random_letters(choices, choices.below(4)));
  return wildcard;
}

std::string source_of(const Wildcard& wildcard) {
  return fmt::format("{}", fmt::join(wildcard.parts.begin(), wildcard.parts.end(), "*"));
}

// An automaton whose lists are numbered as the wildcards are.
class Crowd {
 public:
  void add(Wildcard wildcard) {
    if (!known_.insert(wildcard.parts).second) return;
    wildcards_.push_back(std::move(wildcard));
    PostingId& list = automaton_.at(wildcards_.back());
    // Wildcards that differ in what their pieces do not tell share a list.
    if (list == Postings::kNone) list = lists_++;
    list_of_.push_back(list);
  }
  void build() { automaton_.build(); }

  // How many were found. Every wildcard that matches must be among them, and nothing else if there is proof.
  std::size_t check(const std::string& text, WildcardScratch& scratch) const {
    std::map<PostingId, Evidence> found;
    automaton_.find(text, scratch, [&](PostingId list, Evidence evidence) {
      EXPECT_TRUE(found.emplace(list, evidence).second) << "found twice";
    });
    for (std::size_t i = 0; i < wildcards_.size(); ++i) {
      const bool expected = accepts_wildcard(wildcards_[i].parts, text);
      const auto entry = found.find(list_of_[i]);
      const bool hint = entry != found.end() && entry->second == Evidence::hint;
      if (hint && !expected) continue;
      EXPECT_EQ(entry != found.end(), expected) << source_of(wildcards_[i]) << " on " << text;
    }
    return found.size();
  }

  std::size_t size() const { return wildcards_.size(); }
  std::size_t pieces() const {
    std::size_t count = 0;
    for (const Wildcard& wildcard : wildcards_) count += WildcardAutomaton::pieces_of(wildcard);
    return count;
  }

 private:
  std::deque<Wildcard> wildcards_;  // the automaton holds views of them
  std::set<std::vector<std::string>> known_;
  WildcardAutomaton automaton_;
  std::vector<PostingId> list_of_;
  PostingId lists_ = 0;
};

TEST(WildcardAutomaton, FindsWhatTheCheckOfEachAccepts) {
  WildcardScratch scratch;  // one for all, so that nothing of one automaton or text may show in the next
  std::size_t found = 0;
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    SeededChoices choices(seed);
    Crowd crowd;
    for (int i = 0; i < 200; ++i) crowd.add(random_wildcard(choices, 6, seed % 3 == 0 ? 20 : 5));
    crowd.build();
    // Around the lengths at which a bit stands for one byte, for two, for many.
    for (const std::uint32_t length : {0u, 1u, 5u, 20u, 62u, 63u, 64u, 65u, 127u, 128u, 300u, 3000u}) {
      for (int i = 0; i < 4; ++i) {
        found += crowd.check(random_letters(choices, length), scratch);
        checked += crowd.size();
      }
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(found, checked / 20);
  EXPECT_LT(found, checked / 2);
}

TEST(WildcardAutomaton, PartsDoNotOverlap) {
  Crowd crowd;
  for (const char* part : {"aba", "ab", "ba"}) {
    crowd.add({{part, part}});
    crowd.add({{"", part, part}});
    crowd.add({{part, part, ""}});
    crowd.add({{"", part, part, ""}});
  }
  crowd.build();
  WildcardScratch scratch;
  for (const char* text : {"aba", "ababa", "abaaba", "abab", "baba", "ab", "ba", "aabaa", "xabaxabax"}) {
    crowd.check(text, scratch);
  }
  EXPECT_EQ(crowd.check("aba", scratch), 0u);
  EXPECT_EQ(crowd.check("abaaba", scratch), 4u + 2u + 2u);
}

TEST(WildcardAutomaton, LongPartsThatEndAlikeAreToldApart) {
  Crowd crowd;
  for (int i = 0; i < 1000; ++i) crowd.add({{"", fmt::format("Company-{:04} Holding", i), ""}});
  crowd.build();
  WildcardScratch scratch;
  EXPECT_EQ(crowd.check("the Company-0123 Holding of Europe", scratch), 1u);
  EXPECT_EQ(crowd.check("the Company-0123 Folding of Europe", scratch), 0u);
}

// Patterns and texts made to be reached everywhere and to fail late: an automaton made deterministic would have a
// state for nearly every byte of every text.
TEST(WildcardAutomaton, HostilePatternsAndTextsTakeNoMoreThanTheirSize) {
  SeededChoices choices(7);
  Crowd crowd;
  for (int i = 0; i < 5000; ++i) {
    Wildcard wildcard = random_wildcard(choices, 12, 4);
    wildcard.parts.insert(wildcard.parts.end() - 1, "c");
    crowd.add(std::move(wildcard));
  }
  crowd.build();
  WildcardScratch scratch;
  for (int i = 0; i < 4; ++i) {
    const std::string text = random_letters(choices, 4096);
    EXPECT_EQ(crowd.check(text, scratch), 0u);
    EXPECT_GT(crowd.check(text + 'c', scratch), 100u);
  }
  // All words of up to four letters at each of three places, with room to spare; then the nodes that wait.
  EXPECT_LE(scratch.seen.size(), 100u);
  EXPECT_LE(scratch.found.capacity(), 2 * scratch.seen.size());
  EXPECT_LE(scratch.visits.capacity(), 2 * crowd.pieces());
}

struct Sets {
  std::vector<Rule> rules;
  std::vector<std::string> sources;
};

// So that its wildcards on "line.x" go into an automaton.
Sets crowded_rules(SeededChoices& choices, std::size_t count) {
  Sets sets;
  Popularity popularity;
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < count; ++i) {
    conditions.push_back({random_wildcard(choices, 4, 3)});
    const std::string wildcard = source_of(std::get<Wildcard>(conditions.back().test));
    std::string fields = fmt::format(R"("x":[{{"wildcard":"{}"}}])", wildcard);
    if (i % 3 == 1) fields += fmt::format(R"(,"y":[{}])", choices.below(3));
    if (i % 7 == 2) fields = fmt::format(R"("x":["abab",{{"wildcard":"{}"}},{{"prefix":"ba"}}])", wildcard);
    if (i % 11 == 3) fields = fmt::format(R"("x":[{{"anything-but":{{"wildcard":"{}"}}}}])", wildcard);
    std::string text = fmt::format(R"({{"line":{{{}}}}})", fields);
    sets.rules.push_back({i, compiled(text)});
    sets.sources.push_back(std::move(text));
  }
  for (const Condition& condition : conditions) popularity.count(0, condition);
  for (const Condition& condition : conditions) popularity.weigh(0, condition);
  EXPECT_TRUE(popularity.is_crowded(0, {{"", "ab", "ba", ""}}));
  return sets;
}

std::string random_event(SeededChoices& choices) {
  const auto text = [&] { return random_letters(choices, choices.below(choices.below(8) == 0 ? 200 : 12)); };
  const std::uint32_t y = choices.below(3);
  const std::string line = fmt::format(R"({{"x":"{}","y":{}}})", text(), y);
  if (choices.below(4) == 0) return fmt::format(R"({{"line":[{},{{"x":"{}","y":1}}]}})", line, text());
  if (choices.below(4) == 0) return fmt::format(R"({{"line":{{"x":["{}",7,"{}"],"y":{}}}}})", text(), text(), y);
  return fmt::format(R"({{"line":{}}})", line);
}

TEST(CrowdedWildcards, RuleSetAgreesWithReference) {
  SeededChoices choices(3);
  const Sets sets = crowded_rules(choices, 1500);
  const auto rule_set = RuleSet::build(sets.rules);
  Scratch scratch;
  std::vector<RuleId> matched;
  std::size_t matches = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string text = random_event(choices);
    const json::Document document = parsed(text);
    rule_set->match(EventView(document.root()), scratch, matched);
    const Leaves leaves{EventView(document.root())};
    for (std::size_t r = 0; r < sets.rules.size(); ++r) {
      const auto expected = reference_matches(sets.rules[r].pattern->root(), leaves);
      ASSERT_EQ(std::ranges::binary_search(matched, sets.rules[r].id), expected) << sets.sources[r] << " on " << text;
    }
    matches += matched.size();
  }
  EXPECT_GT(matches, 5000u);
}

TEST(CrowdedWildcards, OneScratchServesSetsInTurn) {
  SeededChoices choices(5);
  const Sets first = crowded_rules(choices, 400);
  const Sets second = crowded_rules(choices, 900);
  auto changing = RuleSet::build(second.rules);
  const auto steady = RuleSet::build(first.rules);
  Scratch scratch;
  for (RuleId i = 0; i < 200; ++i) {
    const RuleId removed[] = {i * 3};
    changing = changing->with({{i, first.rules[i].pattern}}, removed);
    const json::Document document = parsed(random_event(choices));
    for (const auto& rule_set : {changing, steady}) {
      Scratch fresh;
      std::vector<RuleId> expected;
      std::vector<RuleId> matched;
      rule_set->match(EventView(document.root()), fresh, expected);
      rule_set->match(EventView(document.root()), scratch, matched);
      ASSERT_EQ(matched, expected);
    }
  }
}

TEST(CrowdedWildcards, EscapedStarsAndBackslashesAreLiterals) {
  std::vector<Rule> rules;
  for (const char* wildcard : {R"(*\\**a*)", R"(*\\\\*a*)", R"(\\**a*\\*)", R"(*\\*\\\\*a\\*)", R"(*a*\\*)",
                               R"(*a*\\\\)", R"(*a*b*)", R"(*a*b\\**)", R"(a*\\*b*a)", R"(*\\**a*b)"}) {
    rules.push_back({rules.size(), compiled(fmt::format(R"({{"x":[{{"wildcard":"{}"}}]}})", wildcard))});
  }
  // Enough with the same parts that all of them are found together.
  for (int i = 0; i < 200; ++i) rules.push_back({rules.size(), compiled(R"({"x":[{"wildcard":"*a*\\**a*"}]})")});
  const auto rule_set = RuleSet::build(rules);
  Scratch scratch;
  std::vector<RuleId> matched;
  std::set<RuleId> ever;
  for (const char* text : {R"(*a)", R"(\\a)", R"(*a*)", R"(*\\a*)", R"(a*)", R"(a\\)", R"(ab)", R"(ab*)", R"(a*ba)",
                           R"(**ab)", R"(a\\*b)", R"(a)", R"(xa*xax)"}) {
    const json::Document document = parsed(fmt::format(R"({{"x":"{}"}})", text));
    rule_set->match(EventView(document.root()), scratch, matched);
    ever.insert(matched.begin(), matched.end());
    for (const Rule& rule : rules) {
      ASSERT_EQ(std::ranges::binary_search(matched, rule.id),
                reference_matches(*rule.pattern, EventView(document.root())))
          << rule.id << " on " << text;
    }
  }
  EXPECT_EQ(ever.size(), rules.size());
}

}  // namespace
}  // namespace millrace::match
