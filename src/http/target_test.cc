#include "http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Target, SplitsThePath) {
  EXPECT_THAT(parse_target("/")->segments, ElementsAre(""));
  EXPECT_THAT(parse_target("/events")->segments, ElementsAre("events"));
  EXPECT_THAT(parse_target("/events/")->segments, ElementsAre("events", ""));
  EXPECT_THAT(parse_target("/a//b")->segments, ElementsAre("a", "", "b"));
}

TEST(Target, DecodesSegmentsAfterSplitting) {
  EXPECT_THAT(parse_target("/%65vents/a%2Fb/c+d")->segments, ElementsAre("events", "a/b", "c+d"));
  EXPECT_THAT(parse_target("/%C3%A4")->segments, ElementsAre("\xc3\xa4"));
}

TEST(Target, ReadsTheQueryInOrder) {
  EXPECT_THAT(
      parse_target("/x?a=1&b=%26%3d&a=2&&c&d=+%2B&=e")->query,
      ElementsAre(Pair("a", "1"), Pair("b", "&="), Pair("a", "2"), Pair("c", ""), Pair("d", " +"), Pair("", "e")));
  EXPECT_TRUE(parse_target("/x?")->query.empty());
  EXPECT_THAT(parse_target("/x?a=b=c?d")->query, ElementsAre(Pair("a", "b=c?d")));
}

TEST(Target, TakesTheAbsoluteForm) {
  EXPECT_THAT(parse_target("http://host:80/events?a=1")->segments, ElementsAre("events"));
  EXPECT_THAT(parse_target("HTTPS://host")->segments, ElementsAre(""));
}

TEST(Target, RefusesWhatIsNotPercentEncodedUtf8) {
  for (const char* raw : {"",       "*",       "events",     "/%",       "/%4",      "/%zz",        "/%00",
                          "/%ff",   "/%C3",    "/%ED%A0%80", "/x?a=%",   "/x?%g0=1", "/x?a=%C0%80", "/a#b",
                          "/x?a#b", "http://", "http:///x",  "host:443", "/a\x01",   "/\xc3\xa4"}) {
    const auto target = parse_target(raw);
    ASSERT_FALSE(target.has_value()) << raw;
    EXPECT_EQ(target.error().code, Errc::malformed) << raw;
  }
}

TEST(Target, PathIsWhatStandsBeforeTheQuery) {
  EXPECT_EQ(path_of("/a/b?c=d"), "/a/b");
  EXPECT_EQ(path_of("/a"), "/a");
}

}  // namespace
}  // namespace millrace::http
