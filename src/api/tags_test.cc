#include "api/tags.h"

#include <gmock/gmock.h>

#include "base/limits.h"

namespace millrace::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// S4.1
TEST(Tags, AreTrimmedKeptInOrderAndEachOnce) {
  EXPECT_THAT(split_tags(" email , b,email,,  ,a"), ElementsAre("email", "b", "a"));
  EXPECT_THAT(split_tags(""), IsEmpty());
  EXPECT_THAT(split_tags(" , ,"), IsEmpty());
}

TEST(Tags, AreRefusedWhenTooManyTooLongOrWithAComma) {
  EXPECT_TRUE(check_tags({"a", "b"}, 2, Errc::invalid, "tags"));
  EXPECT_EQ(check_tags({"a", "b", "c"}, 2, Errc::invalid, "tags").error().field, "tags");
  EXPECT_FALSE(check_tags({"a,b"}, 2, Errc::invalid, "tags"));
  EXPECT_FALSE(check_tags({""}, 2, Errc::invalid, "tags"));
  EXPECT_TRUE(check_tags({std::string(limits::kTagBytesMax, 'x')}, 2, Errc::invalid, "tags"));
  EXPECT_EQ(check_tags({std::string(limits::kTagBytesMax + 1, 'x')}, 2, Errc::bad_query, "tags").error().code,
            Errc::bad_query);
}

TEST(Tags, OfALaneAreSortedWithoutRepeats) { EXPECT_THAT(sorted_tags({"b", "a", "b"}), ElementsAre("a", "b")); }

}  // namespace
}  // namespace millrace::api
