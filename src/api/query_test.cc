#include "api/query.h"

#include <gmock/gmock.h>

namespace millrace::api {
namespace {

using Parameters = std::vector<Query::Parameter>;

TEST(Query, EmptyParametersCountAsAbsent) {
  const Parameters parameters = {{"limit", ""}, {"status", ""}};
  EXPECT_EQ(Query(parameters).number("limit", 1, 9).value(), std::nullopt);
  EXPECT_EQ(Query(parameters).text("status", 9).value(), std::nullopt);
  EXPECT_EQ(Query(parameters).required_text("status", 9).error().field, "status");
}

// "Out-of-range numbers are refused, not clamped."
TEST(Query, NumbersAreDigitsInBounds) {
  for (const char* text : {"0", "10", "-1", "+5", "5.0", "1e0", " 5", "5 ", "abc", "0x5", "99999999999999999999999"}) {
    const Parameters parameters = {{"limit", text}};
    const auto number = Query(parameters).number("limit", 1, 9);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().code, Errc::bad_query);
    EXPECT_EQ(number.error().field, "limit");
  }
  const Parameters parameters = {{"limit", "9"}};
  EXPECT_EQ(Query(parameters).number("limit", 1, 9).value(), 9u);
}

TEST(Query, AParameterGivenTwiceIsRefused) {
  const Parameters parameters = {{"limit", "1"}, {"limit", "1"}};
  EXPECT_EQ(Query(parameters).number("limit", 1, 9).error().code, Errc::bad_query);
}

TEST(Query, AnUnknownParameterIsRefusedWithThoseThatAreKnown) {
  const Parameters parameters = {{"limit", "1"}, {"statsu", "failed"}};
  const auto refused = Query(parameters).refuse_unknown("status limit");
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error(),
      (Error{Errc::bad_query, "query parameter \"statsu\" is unknown; this endpoint has status, limit", "statsu"}));
  EXPECT_THAT(Query(parameters).refuse_unknown("").error().detail, testing::EndsWith("this endpoint has none"));
  EXPECT_TRUE(Query(parameters).refuse_unknown("limit statsu"));
  EXPECT_TRUE(Query(parameters).refuse_unknown("*"));
  EXPECT_FALSE(Query(parameters).refuse_unknown("lim stat limits statsus"));
}

TEST(Query, AFamilyOfParametersIsKnownByItsBeginning) {
  const Parameters parameters = {{"context.order", "7"}};
  EXPECT_TRUE(Query(parameters).refuse_unknown("type context.*"));
  const Parameters misspelt = {{"contxt.order", "7"}};
  EXPECT_THAT(Query(misspelt).refuse_unknown("type context.*").error().detail,
              testing::EndsWith("this endpoint has type, context.KEY"));
}

TEST(Query, BooleansAreTrueOrFalse) {
  const Parameters parameters = {{"a", "true"}, {"b", "false"}, {"c", "yes"}};
  EXPECT_EQ(Query(parameters).boolean("a").value(), true);
  EXPECT_EQ(Query(parameters).boolean("b").value(), false);
  EXPECT_FALSE(Query(parameters).boolean("c"));
  EXPECT_EQ(Query(parameters).boolean("d").value(), std::nullopt);
}

TEST(Query, TagsAreSplitAndBounded) {
  const Parameters parameters = {{"tags", "a, b"}, {"long", std::string(201, 'x')}};
  EXPECT_THAT(Query(parameters).tags("tags").value(), testing::ElementsAre("a", "b"));
  EXPECT_EQ(Query(parameters).tags("long").error().code, Errc::bad_query);
  EXPECT_THAT(Query(parameters).tags("none").value(), testing::IsEmpty());
}

TEST(Query, TagsThatNameNoneAreRefused) {
  const Parameters parameters = {{"comma", ","}, {"blanks", " , "}, {"empty", ""}};
  EXPECT_EQ(Query(parameters).tags("comma").error().field, "comma");
  EXPECT_EQ(Query(parameters).tags("blanks").error().code, Errc::bad_query);
  EXPECT_THAT(Query(parameters).tags("empty").value(), testing::IsEmpty());
}

}  // namespace
}  // namespace millrace::api
