// The rule set against the reference, on patterns and events made from the fuzzer's bytes; and, where the bytes
// are two lines of JSON, on those.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "json/parse.h"
#include "match/random_cases.h"
#include "match/reference.h"
#include "match/rule_set.h"

namespace {

using namespace millrace;
using namespace millrace::match;

// Work that a fuzzer may spend on one question.
constexpr std::size_t kSteps = 50'000;

void add_rule(std::vector<Rule>& rules, std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return;
  auto pattern = Pattern::compile(document->root(), Dialect::extended);
  if (pattern) rules.push_back({rules.size(), std::make_shared<const Pattern>(std::move(*pattern))});
}

void compare(const std::vector<Rule>& rules, std::string_view event_text) {
  const auto document = json::parse(event_text);
  if (!document) return;
  const EventView event(document->root());
  Scratch scratch;
  std::vector<RuleId> matched;
  RuleSet::build(rules)->match(event, scratch, matched);
  const Leaves leaves(event);
  for (const Rule& rule : rules) {
    const auto expected = reference_matches(rule.pattern->root(), leaves, kSteps);
    if (!expected) continue;
    MR_ASSERT(std::ranges::binary_search(matched, rule.id) == *expected, "the rule set agrees with the reference");
  }
}

// Wildcards with the same parts on every field of the generator, so that those of other rules are found together with
// them.
void add_crowd(std::vector<Rule>& rules) {
  for (const char* field : {"a", "b", "c", "d", "a.b", "b.c", "a.b.c"}) {
    for (const char* wildcard : {"*ab*ab*", "*x*y*", "*y*x", "x*y*x", "*ab*d", "*x*"}) {
      for (int i = 0; i < 5; ++i) add_rule(rules, fmt::format(R"({{"{}":[{{"wildcard":"{}"}}]}})", field, wildcard));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Rule> rules;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (text.starts_with('{') && line != text.npos) {
    add_rule(rules, text.substr(0, line));
    compare(rules, text.substr(line + 1));
    return 0;
  }
  ByteChoices choices(data, size);
  const std::string event = RandomCases(choices).event();
  for (std::uint32_t n = 1 + choices.below(4); n > 0; --n) add_rule(rules, RandomCases(choices).pattern());
  if (choices.below(4) == 3) add_crowd(rules);
  compare(rules, event);
  return 0;
}
