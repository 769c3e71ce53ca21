#include "api/precondition.h"

#include <gtest/gtest.h>

namespace millrace::api {
namespace {

using Header = std::optional<std::string_view>;
using Present = std::optional<std::uint64_t>;

bool holds(Header if_match, Header if_none_match, Present present) {
  const Result<Precondition> precondition = Precondition::parse(if_match, if_none_match);
  EXPECT_TRUE(precondition);
  const Result<void> checked = precondition->check(present, "rule \"x\"");
  if (!checked) EXPECT_EQ(checked.error().code, Errc::stale_version);
  return checked.has_value();
}

TEST(Precondition, HoldsForTheVersionItNames) {
  EXPECT_TRUE(holds(R"("3")", {}, 3));
  EXPECT_FALSE(holds(R"("3")", {}, 4));
  EXPECT_FALSE(holds(R"("3")", {}, std::nullopt));
  EXPECT_TRUE(holds(R"( "2" , "3" )", {}, 3));
  EXPECT_TRUE(holds("*", {}, 9));
  EXPECT_FALSE(holds("*", {}, std::nullopt));
  EXPECT_TRUE(holds({}, {}, 3));
  EXPECT_TRUE(holds({}, {}, std::nullopt));
}

TEST(Precondition, CanAskForWhatIsNotThere) {
  EXPECT_TRUE(holds({}, "*", std::nullopt));
  EXPECT_FALSE(holds({}, "*", 1));
  EXPECT_FALSE(holds({}, R"("1")", 1));
  EXPECT_TRUE(holds({}, R"("1")", 2));
}

TEST(Precondition, AWeakOrForeignTagMatchesNothing) {
  EXPECT_FALSE(holds(R"(W/"3")", {}, 3));
  EXPECT_FALSE(holds(R"("abc")", {}, 3));
  EXPECT_FALSE(holds(R"("99999999999999999999999")", {}, 3));
}

TEST(Precondition, RefusesWhatIsNoTag) {
  for (const char* value : {"3", "", "\"3", "\"3\" \"4\"", "\"3\",", "*, \"3\""}) {
    const auto precondition = Precondition::parse(value, {});
    ASSERT_FALSE(precondition) << value;
    EXPECT_EQ(precondition.error().code, Errc::bad_query);
    EXPECT_EQ(precondition.error().field, "If-Match");
  }
}

TEST(Precondition, KnowsWhatAReaderHasSeen) {
  EXPECT_TRUE(Precondition::parse({}, etag_of(3))->has_seen(3));
  EXPECT_FALSE(Precondition::parse({}, etag_of(3))->has_seen(4));
  EXPECT_FALSE(Precondition::parse({}, {})->has_seen(3));
}

}  // namespace
}  // namespace millrace::api
