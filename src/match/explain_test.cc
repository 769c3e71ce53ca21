// Why an event does not match: the first failing field, what was expected, what was seen (S2.8).
#include "match/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/testing.h"

namespace millrace::match {

// For messages of failed expectations.
void PrintTo(const Reason& reason, std::ostream* out) {
  *out << reason.path << " expected " << reason.expected << " seen " << reason.seen;
}

namespace {

std::vector<Reason> why(std::string_view pattern, std::string_view event) {
  const json::Document document = parsed(std::string(event));
  return explain(*compiled(pattern), EventView(document.root())).why;
}

TEST(Explain, NamesTheFirstFailingField) {
  const char* pattern =
      R"({"source":["billing"],"detail":{"state":["paid",{"prefix":"re"}],"sum":[{"numeric":[">",10]}]}})";
  EXPECT_THAT(why(pattern, R"({"source":"billing","detail":{"state":"open","sum":1}})"),
              testing::ElementsAre(Reason{"detail.state", R"("paid" or {"prefix":"re"})", R"("open")"}));
  EXPECT_THAT(why(pattern, R"({"source":"billing","detail":{"state":"refused","sum":1}})"),
              testing::ElementsAre(Reason{"detail.sum", R"({"numeric":[">",10]})", "1"}));
  EXPECT_THAT(why(pattern, R"({"source":"billing","detail":{"state":"paid","sum":11}})"), testing::IsEmpty());
}

TEST(Explain, TellsWhatIsMissingDeeperOrMany) {
  EXPECT_THAT(why(R"({"a":[1]})", R"({"b":1})"), testing::ElementsAre(Reason{"a", "1", "nothing"}));
  EXPECT_THAT(why(R"({"a":[1]})", R"({"a":{"b":1}})"),
              testing::ElementsAre(Reason{"a", "1", "nothing but an object, with a.b"}));
  EXPECT_THAT(why(R"({"a":[1]})", R"({"a":["x",null,2]})"),
              testing::ElementsAre(Reason{"a", "1", R"(["x", null, 2])"}));
  EXPECT_THAT(why(R"({"a":[{"exists":false}]})", R"({"a":null})"),
              testing::ElementsAre(Reason{"a", R"({"exists":false})", "null"}));
}

TEST(Explain, GivesAReasonForEveryAlternative) {
  EXPECT_THAT(why(R"({"$or":[{"a":[1],"b":[1]},{"c":[2]}]})", R"({"a":1,"c":3})"),
              testing::ElementsAre(Reason{"b", "1", "nothing"}, Reason{"c", "2", "3"}));
}

TEST(Explain, NamesTheFieldWhoseElementDisagrees) {
  const char* event = R"({"staff":[{"first":"Anna","last":"Smith"},{"first":"Peter","last":"Jones"}]})";
  EXPECT_THAT(why(R"({"staff":{"first":["Anna"],"last":["Jones"]}})", event),
              testing::ElementsAre(Reason{"staff.last", R"("Jones" in the same array element as the fields before it)",
                                          R"(["Smith", "Jones"])"}));
}

TEST(Explain, NamesTheNegationThatMatches) {
  EXPECT_THAT(why(R"({"x":{"$not":{"a":[1]}}})", R"({"x":{"a":1}})"),
              testing::ElementsAre(Reason{"x.$not", "no match of what stands there", "a match"}));
}

TEST(Explain, SaysConditionsAsAPatternDoes) {
  for (const char* condition :
       {R"("x")", "1.50", "null", R"({"prefix":"x"})", R"({"suffix":{"equals-ignore-case":"x"}})",
        R"({"equals-ignore-case":"x"})", R"({"wildcard":"a*\\*b"})", R"({"numeric":[">=",1,"<",2]})",
        R"({"cidr":"10.0.0.0/8"})", R"({"cidr":"2001:db8::/32"})", R"({"regex":"[a-z]+"})", R"({"exists":true})",
        R"({"anything-but":["a",1]})"}) {
    const std::string pattern = std::string(R"({"x":[)") + condition + "]}";
    EXPECT_EQ(describe(compiled(pattern)->root().any_of), condition);
  }
}

TEST(Explain, KeepsTheVerdictWhereChoicesAreTooMany) {
  std::string pattern;
  std::string event;
  for (const char* array : {"a", "b", "c", "d"}) {
    pattern += std::string(pattern.empty() ? "{" : ",") + '"' + array + R"(":{"x":[1]})";
    event += std::string(event.empty() ? "{" : ",") + '"' + array + R"(":[)";
    for (int i = 0; i < 50; ++i) event += R"({"x":1},)";
    event += R"({"y":1}])";
  }
  // Each array can be satisfied in fifty ways; the last field in none.
  event += "}";
  EXPECT_TRUE(matches(pattern + "}", event));
  const auto reasons = why(R"({"z":[{"exists":false}],)" + pattern.substr(1) + R"(,"$and":[{"a.y":[1]}]})", event);
  ASSERT_EQ(reasons.size(), 1u);
}

TEST(Explain, BoundsWhatItShows) {
  const std::string event = R"({"a":[")" + std::string(5000, 'x') + R"(",1,2,3,4,5,6,7]})";
  const auto reasons = why(R"({"a":["y"]})", event);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_LT(reasons[0].seen.size(), 300u);
}

}  // namespace
}  // namespace millrace::match
