#include "http/chunked.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::http {
namespace {

Result<std::string> decode(std::string_view text, std::size_t limit = 100) {
  ChunkDecoder decoder(limit);
  std::string body;
  const auto taken = decoder.feed(text, body);
  if (!taken) return std::unexpected(taken.error());
  if (!decoder.done()) return fail(Errc::malformed, "incomplete");
  EXPECT_EQ(*taken, text.size());
  return body;
}

TEST(ChunkDecoder, JoinsChunks) {
  EXPECT_EQ(decode("3\r\nabc\r\n0\r\n\r\n"), "abc");
  EXPECT_EQ(decode("A\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n"), "0123456789x");
  EXPECT_EQ(decode("0\r\n\r\n"), "");
  EXPECT_EQ(decode("3 \r\nabc\r\n0\t ;name=value\r\n\r\n"), "abc");
  EXPECT_EQ(decode("003;name=value\r\nabc\r\n000\r\nTrailer: x\r\n\r\n"), "abc");
}

TEST(ChunkDecoder, TakesOneByteAtATimeAndStopsAtTheEnd) {
  const std::string text = "4\r\nab\r\n\r\n2;x\r\ncd\r\n0\r\nA: b\r\n\r\nGET /next";
  ChunkDecoder decoder(100);
  std::string body;
  std::size_t used = 0;
  while (!decoder.done()) {
    const auto taken = decoder.feed(std::string_view(text).substr(used, 1), body);
    ASSERT_TRUE(taken.has_value()) << taken.error().detail;
    used += *taken;
  }
  EXPECT_EQ(body, "ab\r\ncd");
  EXPECT_EQ(text.substr(used), "GET /next");
}

TEST(ChunkDecoder, RefusesWhatCanBeReadInTwoWays) {
  const std::vector<std::string> refused = {
      "\r\n",          "x\r\n",         "-1\r\n",         "+1\r\na",           " 1\r\na",
      "0x1\r\na",      "1\na\r\n0\r\n", "1\r\nab\r\n",    "1\r\na\n0\r\n\r\n", "1\r\r\na",
      "1;a\nb\r\na",   "1;a\x01\r\na",  "0\r\nbad\r\n",   "0\r\n: x\r\n",      "0\r\nA: b\n\r\n",
      "123456789\r\n", "1\r\na\rx",     "0\r\nA : b\r\n", "1 5\r\na",          "1 \tx\r\na"};
  for (const auto& text : refused) {
    ChunkDecoder decoder(1'000'000);
    std::string body;
    const auto taken = decoder.feed(text, body);
    ASSERT_FALSE(taken.has_value()) << ::testing::PrintToString(text);
    EXPECT_EQ(taken.error().code, Errc::malformed);
  }
}

TEST(ChunkDecoder, StopsAtTheLimitAndSaysIt) {
  EXPECT_EQ(decode("4\r\nabcd\r\n0\r\n\r\n", 4), "abcd");
  const auto over = decode("5\r\nabcde\r\n0\r\n\r\n", 4);
  ASSERT_FALSE(over.has_value());
  EXPECT_EQ(over.error().code, Errc::too_large);
  EXPECT_NE(over.error().detail.find("4 bytes"), std::string::npos);
}

TEST(ChunkDecoder, BoundsWhatIsNotData) {
  EXPECT_FALSE(decode("1;" + std::string(5000, 'x') + "\r\na\r\n0\r\n\r\n").has_value());
  EXPECT_FALSE(decode("0\r\nA: " + std::string(5000, 'x') + "\r\n\r\n").has_value());
}

}  // namespace
}  // namespace millrace::http
