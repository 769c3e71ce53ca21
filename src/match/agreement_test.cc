// How far the search for array elements that agree goes (S2.8). The verdicts within that bound are structure_test's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "match/agreement.h"
#include "match/testing.h"

namespace millrace::match {
namespace {

// Each field stands in three arrays, since x.y.z is spelled in three ways. In the first two arrays every field has an
// element of its own, so that at most one of them can be found there; the one element of the last array has them all.
struct Spellings {
  explicit Spellings(std::size_t fields) {
    std::string nested, half, whole, wanted;
    for (std::size_t i = 0; i < fields; ++i) {
      const char* const comma = i == 0 ? "" : ",";
      nested += fmt::format(R"({}{{"y":{{"z":{{"f{}":1}}}}}})", comma, i);
      half += fmt::format(R"({}{{"z":{{"f{}":1}}}})", comma, i);
      whole += fmt::format(R"({}"f{}":1)", comma, i);
      wanted += fmt::format(R"({}"f{}":[1])", comma, i);
    }
    event = fmt::format(R"({{"x":[{}],"x.y":[{}],"x.y.z":[{{{}}}]}})", nested, half, whole);
    pattern = fmt::format(R"({{"x":{{"y":{{"z":{{{}}}}}}}}})", wanted);
  }

  bool match() const {
    const json::Document document = parsed(event);
    return rule_set_matches(compiled(pattern), EventView(document.root()));
  }

  std::string event;
  std::string pattern;
};

// 3^n ways, of which the last one agrees.
TEST(Agreement, TriesEveryChoiceWithinItsBound) {
  EXPECT_TRUE(Spellings(2).match());
  EXPECT_TRUE(Spellings(7).match());
}

TEST(Agreement, IsNoMatchBeyondItsBound) { EXPECT_FALSE(Spellings(16).match()); }

TEST(Agreement, EndsSoonHoweverManyChoicesAndFieldsThereAre) { EXPECT_FALSE(Spellings(500).match()); }

// Events that spell a field in one way leave nothing to take back, however many fields and elements they have.
TEST(Agreement, HasNoBoundWhereFieldsAreSpelledInOneWay) {
  std::string elements;
  for (int i = 0; i < 500; ++i) elements += fmt::format(R"({{"a{}":1,"b{}":1,"c":1}},)", i, i);
  elements += R"({"a":1,"b":1,"c":1})";
  EXPECT_TRUE(matches(R"({"x":{"a":[1],"b":[1],"c":[1]}})", fmt::format(R"({{"x":[{}]}})", elements)));
  EXPECT_FALSE(matches(R"({"x":{"a1":[1],"b2":[1],"c":[1]}})", fmt::format(R"({{"x":[{}]}})", elements)));
}

}  // namespace
}  // namespace millrace::match
