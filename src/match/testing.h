// For this folder's tests and fuzzers: texts in, verdicts out.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/parse.h"
#include "match/explain.h"
#include "match/pattern.h"
#include "match/reference.h"
#include "match/rule_set.h"

namespace millrace::match {

inline json::Document parsed(std::string text) {
  auto document = json::parse_owned(std::move(text));
  if (!document) ADD_FAILURE() << document.error().message;
  return std::move(*document);
}

inline std::shared_ptr<const Pattern> compiled(std::string_view text, Dialect dialect = Dialect::extended) {
  const json::Document document = parsed(std::string(text));
  auto pattern = Pattern::compile(document.root(), dialect);
  if (!pattern) {
    ADD_FAILURE() << text << "\n" << pattern.error().field << ": " << pattern.error().detail;
    return nullptr;
  }
  return std::make_shared<const Pattern>(std::move(*pattern));
}

// nullptr where alternatives multiply to too many.
inline std::shared_ptr<const Pattern> compiled_if_bounded(std::string_view text) {
  const json::Document document = parsed(std::string(text));
  auto pattern = Pattern::compile(document.root(), Dialect::extended);
  if (!pattern) EXPECT_NE(pattern.error().detail.find("alternatives"), std::string::npos) << text;
  return pattern ? std::make_shared<const Pattern>(std::move(*pattern)) : nullptr;
}

// What the compiler says: "field: detail", or "" where it has no objection.
inline std::string objection(std::string_view text, Dialect dialect) {
  const json::Document document = parsed(std::string(text));
  const auto pattern = Pattern::compile(document.root(), dialect);
  if (pattern) return {};
  EXPECT_EQ(pattern.error().code, Errc::invalid);
  return pattern.error().field + ": " + pattern.error().detail;
}

inline bool rule_set_matches(const std::shared_ptr<const Pattern>& pattern, const EventView& event) {
  const auto rules = RuleSet::build({{7, pattern}});
  Scratch scratch;
  std::vector<RuleId> matched = {1, 2, 3};
  rules->match(event, scratch, matched);
  EXPECT_TRUE(matched.empty() || matched == std::vector<RuleId>{7});
  return !matched.empty();
}

// The verdict, on which the rule set, the reference and the explanation must agree.
inline bool matches(std::string_view pattern_text, std::string_view event_text, Dialect dialect = Dialect::extended) {
  const auto pattern = compiled(pattern_text, dialect);
  if (!pattern) return false;
  const json::Document document = parsed(std::string(event_text));
  const EventView event(document.root());
  const bool verdict = rule_set_matches(pattern, event);
  EXPECT_EQ(reference_matches(*pattern, event), verdict) << pattern_text << " on " << event_text;
  const Explanation explanation = explain(*pattern, event);
  EXPECT_EQ(explanation.matches, verdict);
  EXPECT_EQ(explanation.why.empty(), verdict) << pattern_text << " on " << event_text;
  return verdict;
}

}  // namespace millrace::match
