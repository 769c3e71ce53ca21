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

TEST(Target, SaysWhichPartIsWrongAndWhy) {
  const auto told = [](const char* raw) {
    const Error error = parse_target(raw).error();
    return std::pair(error.detail, error.field);
  };
  const std::string escape = "has a \"%\" without two hexadecimal digits after it";
  EXPECT_THAT(told("/%4/x"), Pair("the path " + escape, ""));
  EXPECT_THAT(told("/%00"), Pair("the path has a NUL (%00)", ""));
  EXPECT_THAT(told("/%ff"), Pair("the path is not UTF-8 once it is decoded", ""));
  EXPECT_THAT(told("/x?a=1&b=%zz"), Pair("query parameter \"b\" " + escape, "b"));
  EXPECT_THAT(told("/x?b=%00"), Pair("query parameter \"b\" has a NUL (%00)", "b"));
  EXPECT_THAT(told("/x?b%20c=%ff"), Pair("query parameter \"b c\" is not UTF-8 once it is decoded", "b c"));
  EXPECT_THAT(told("/x?%ff=1"), Pair("the name of a query parameter is not UTF-8 once it is decoded", ""));
}

TEST(Target, GuessesWhatARefusedOneWasMeantFor) {
  EXPECT_THAT(guess_segments("/%65vents/%ff/a%2Fb?x=%ff"), ElementsAre("events", "%ff", "a/b"));
  EXPECT_THAT(guess_segments("http://host/x%"), ElementsAre("x%"));
  EXPECT_THAT(guess_segments("*"), ElementsAre("*"));
  EXPECT_THAT(guess_segments(""), ElementsAre(""));
}

TEST(Target, PathIsWhatStandsBeforeTheQuery) {
  EXPECT_EQ(path_of("/a/b?c=d"), "/a/b");
  EXPECT_EQ(path_of("/a"), "/a");
}

TEST(Target, PathHasNoPasswordInIt) {
  EXPECT_EQ(path_of("http://user:secret@host:80/a/b?c=d"), "/a/b");
  EXPECT_EQ(path_of("HTTPS://user:secret@host"), "/");
  EXPECT_EQ(path_of("user:secret@host:443"), "");
  EXPECT_EQ(path_of("ftp://user:secret@host/a"), "");
}

}  // namespace
}  // namespace millrace::http
