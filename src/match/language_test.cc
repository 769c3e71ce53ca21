// docs/pattern-language.md, the definition of the language: its examples hold and its bounds are the ones in force.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "match/agreement.h"
#include "match/limits.h"
#include "match/testing.h"

namespace millrace::match {
namespace {

std::string page() {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::ifstream file(root / "docs" / "pattern-language.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Fence {
  std::string info;
  std::vector<std::string> lines;
};

std::vector<Fence> fences(const std::string& text) {
  std::vector<Fence> found;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) found.push_back({line.substr(3), {}});
    } else if (inside) {
      found.back().lines.push_back(line);
    }
  }
  return found;
}

TEST(PatternLanguage, ExamplesOfThePageHold) {
  std::string pattern;
  Dialect dialect = Dialect::eventbridge;
  std::map<std::string, int> seen;
  for (const auto& [info, lines] : fences(page())) {
    ++seen[info];
    ASSERT_FALSE(lines.empty()) << info;
    if (info.starts_with("json pattern") || info == "json refused") {
      ASSERT_EQ(lines.size(), 1u) << "a pattern stands on one line";
      pattern = lines.front();
      dialect = info == "json pattern" ? Dialect::eventbridge : Dialect::extended;
    } else if (info == "json matches" || info == "json does not match") {
      for (const std::string& event : lines) {
        EXPECT_EQ(matches(pattern, event, dialect), info == "json matches") << pattern << " on " << event;
      }
    } else {
      EXPECT_EQ(info, "text") << "a kind of example that nothing checks";
      EXPECT_EQ(objection(pattern, Dialect::extended), lines.front());
    }
    if (info == "json pattern extended") EXPECT_NE(objection(pattern, Dialect::eventbridge), "") << pattern;
  }
  EXPECT_GT(seen["json pattern"], 10);
  EXPECT_GT(seen["json does not match"], 10);
  EXPECT_EQ(seen["json refused"], seen["text"]);
}

TEST(PatternLanguage, BoundsOfThePageAreInForce) {
  const std::map<std::string, std::size_t> bounds = {{"kPatternBytesMax", kPatternBytesMax},
                                                     {"kAlternativesMax", kAlternativesMax},
                                                     {"kAlternativeFieldsMax", kAlternativeFieldsMax},
                                                     {"kRegexBytesMax", kRegexBytesMax},
                                                     {"kAgreementSteps", kAgreementSteps}};
  const std::string text = page();
  for (const auto& [name, value] : bounds) {
    EXPECT_NE(text.find("| `" + name + "` | " + std::to_string(value) + " |"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace millrace::match
