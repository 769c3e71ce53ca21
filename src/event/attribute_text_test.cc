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

// S3.2
TEST(AttributeText, KnowsUriReferences) {
  for (const char* text : {"/s", "shop", "https://example.com/a?b=c#d", "urn:uuid:6e8bc430", "a%20b", "#", "mailto:a@b",
                           "/\xc3\xa4", "../x", "//host/[::1]"}) {
    EXPECT_TRUE(is_uri_reference(text)) << text;
    EXPECT_EQ(to_uri_reference(text), text);
  }
  for (const char* text : {"", " ", "a b", "a\tb", "%", "a%2", "%zz", "a\x7f", "a\xc2\xa0", "a\xe3\x80\x80"}) {
    EXPECT_FALSE(is_uri_reference(text)) << text;
  }
  EXPECT_EQ(to_uri_reference("my shop 100% a%20b"), "my%20shop%20100%25%20a%20b");
  EXPECT_EQ(to_uri_reference("\xe3\x80\x80"), "%E3%80%80");
}

TEST(AttributeText, KnowsUrisByTheirScheme) {
  for (const char* text : {"https://example.com/s", "urn:x", "a+b-1.0:x"}) EXPECT_TRUE(is_uri(text)) << text;
  for (const char* text : {"", "/s", "s", ":x", "1a:x", "a b:x", "x:", "x: y", "\xc3\xa4:x"}) {
    EXPECT_FALSE(is_uri(text)) << text;
  }
}

}  // namespace
}  // namespace millrace::event
