#include "api/cursor.h"

#include <gtest/gtest.h>

namespace millrace::api {
namespace {

// S4.9
TEST(Cursor, ComesBackAsItWasMade) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 53}) {
    EXPECT_EQ(read_number_cursor("list", make_number_cursor("list", number)), number);
  }
  EXPECT_EQ(read_cursor("keys", make_cursor("keys", "abc")), "abc");
}

TEST(Cursor, IsRefusedWhenMangledOrOfAnotherListing) {
  const std::string cursor = make_number_cursor("list", 42);
  EXPECT_FALSE(read_number_cursor("other", cursor));
  EXPECT_FALSE(read_number_cursor("list", cursor.substr(1)));
  EXPECT_FALSE(read_number_cursor("list", cursor + "A"));
  EXPECT_FALSE(read_number_cursor("list", "42"));
  EXPECT_FALSE(read_number_cursor("list", ""));
  EXPECT_FALSE(read_number_cursor("list", "!!!!"));
  std::string changed = cursor;
  changed[3] = changed[3] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(read_number_cursor("list", changed));
}

TEST(Base64Url, FollowsTheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> vectors[] = {
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},         {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64url(bytes), text);
    EXPECT_EQ(from_base64url(text), bytes);
  }
  EXPECT_EQ(to_base64url("\xfb\xff"), "-_8");
}

TEST(Base64Url, RefusesOtherSpellingsOfTheSameBytes) {
  EXPECT_FALSE(from_base64url("Zh"));    // bits left over
  EXPECT_FALSE(from_base64url("Z"));     // half a byte
  EXPECT_FALSE(from_base64url("Zg=="));  // padded
}

}  // namespace
}  // namespace millrace::api
