#include "event/attribute_text.h"

#include <gtest/gtest.h>

namespace millrace::event {
namespace {

TEST(AttributeText, EncodesAllThatHeaderFieldsCannotHold) {
  EXPECT_EQ(encode_header_value("Euro \xe2\x82\xac \xf0\x9f\x98\x80"), "Euro%20%E2%82%AC%20%F0%9F%98%80");
  EXPECT_EQ(encode_header_value("a\"b%c~!"), "a%22b%25c~!");
  EXPECT_EQ(encode_header_value(""), "");
}

TEST(AttributeText, DecodesOnceAndWhatNeedNotBeEncodedToo) {
  EXPECT_EQ(decode_header_value("%41%2541"), "A%41");
  EXPECT_EQ(decode_header_value("plain text"), "plain text");
  EXPECT_EQ(decode_header_value("100%"), "100%");
  EXPECT_EQ(decode_header_value("%4"), "%4");
  EXPECT_EQ(decode_header_value("%zz"), "%zz");
}

TEST(AttributeText, TakesQuotedStringsOutOfTheirQuotes) {
  EXPECT_EQ(decode_header_value(R"("a b")"), "a b");
  EXPECT_EQ(decode_header_value(R"("a \"b\" \\")"), R"(a "b" \)");
  EXPECT_EQ(decode_header_value(R"("a)"), std::nullopt);
  EXPECT_EQ(decode_header_value(R"("a" b)"), std::nullopt);
  EXPECT_EQ(decode_header_value(R"("a\)"), std::nullopt);
}

TEST(AttributeText, RefusesWhatIsNoUtf8) {
  for (const char* value : {"%C0%A0", "%FF", "%E2%82", "\xff", "%ED%A0%80"}) {
    EXPECT_EQ(decode_header_value(value), std::nullopt) << value;
  }
}

TEST(AttributeText, KnowsControlCharactersAndNoncharacters) {
  EXPECT_TRUE(is_attribute_text("a \xc2\xa0 \xe2\x82\xac \xf0\x9f\x98\x80"));
  for (const char* text : {"\n", "a\x7f", "\xc2\x80", "\xc2\x9f", "\xef\xb7\x90", "\xef\xbf\xbe", "\xf0\x9f\xbf\xbf"}) {
    EXPECT_FALSE(is_attribute_text(text)) << text;
  }
}

}  // namespace
}  // namespace millrace::event
