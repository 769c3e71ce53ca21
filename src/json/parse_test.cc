#include "json/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::json {
namespace {

using namespace std::string_literals;

bool accepts(std::string_view text) {
  // A buffer of exactly this size, so that the address sanitizer sees any read past the end.
  const std::vector<char> exact(text.begin(), text.end());
  return parse(std::string_view(exact.data(), exact.size())).has_value();
}

ParseError refusal(std::string_view text) {
  const std::vector<char> exact(text.begin(), text.end());
  auto parsed = parse(std::string_view(exact.data(), exact.size()));
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? ParseError{} : parsed.error();
}

std::string nested(int depth, char open = '[', char close = ']') {
  return std::string(static_cast<std::size_t>(depth), open) + std::string(static_cast<std::size_t>(depth), close);
}

TEST(Parse, AcceptsWhatRfc8259Allows) {
  for (const std::string_view text : {
           "null",
           "true",
           "false",
           "0",
           "-0",
           "1",
           "-1",
           "10",
           "0.5",
           "1.0",
           "-0.0e-0",
           "1e5",
           "1E+5",
           "1e-5",
           "\"\"",
           "\"a\"",
           "[]",
           "{}",
           " [ ] ",
           "\t{\r\n}\n",
           "[1,2]",
           "[1 , 2]",
           "[[],{}]",
           R"({"a":1})",
           R"({"":""})",
           R"({ "a" : [ ] , "b" : { } })",
           R"("\"\\\/\b\f\n\r\t\u0041")",
           R"("\ud83d\ude00")",
           R"("\u0000")",
           "\"\x7f\"",
           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
       }) {
    EXPECT_TRUE(accepts(text)) << text;
  }
}

struct Malformed {
  std::string text;
  std::size_t offset;
};

const std::vector<Malformed> kMalformed = {
    {"", 0},
    {"   ", 3},
    {"[", 1},
    {"]", 0},
    {"[1", 2},
    {"[1,", 3},
    {"[1,]", 3},
    {"[,1]", 1},
    {"[1 2]", 3},
    {"[1}", 2},
    {"{", 1},
    {"}", 0},
    {"{]", 1},
    {R"({"a")", 4},
    {R"({"a":)", 5},
    {R"({"a":1)", 6},
    {R"({"a":1,})", 7},
    {R"({"a":1,,"b":2})", 7},
    {R"({"a" 1})", 5},
    {R"({"a":})", 5},
    {R"({"a":1 "b":2})", 7},
    {R"({a:1})", 1},
    {R"({'a':1})", 1},
    {R"({1:1})", 1},
    {R"({null:1})", 1},
    {"1 2", 2},
    {"{} {}", 3},
    {"[]]", 2},
    {"nul", 0},
    {"nulL", 0},
    {"nullx", 4},
    {"True", 0},
    {"NaN", 0},
    {"Infinity", 0},
    {"-Infinity", 1},
    {"undefined", 0},
    {"+1", 0},
    {".5", 0},
    {"1.", 2},
    {"1.e5", 2},
    {"1e", 2},
    {"1e+", 3},
    {"-", 1},
    {"--1", 1},
    {"01", 0},
    {"-01", 0},
    {"00", 0},
    {"0x10", 1},
    {"1_000", 1},
    {"// a\n1", 0},
    {"/* a */1", 0},
    {"[1]//", 3},
    {"\"", 1},
    {"\"abc", 4},
    {"\"abc\\", 5},
    {"\"a\nb\"", 2},
    {"\"a\tb\"", 2},
    {"\"a\x1f\"", 2},
    {"\"a\0b\""s, 2},
    {R"("\x41")", 1},
    {R"("\a")", 1},
    {R"("\'")", 1},
    {R"("\u12")", 1},
    {R"("\u12g4")", 1},
    {R"("\U0041")", 1},
    {"\0"s, 0},
    {"1\0"s, 1},
    {"[1,\0 2]"s, 3},
    {"\v1", 0},
    {"\xc2\xa0"s + "1", 0},
    {"\xef\xbb\xbf{}", 0},
};

// S4.12
TEST(Parse, RefusesMalformedTextAndSaysWhere) {
  for (const Malformed& malformed : kMalformed) {
    EXPECT_EQ(refusal(malformed.text).offset, malformed.offset) << malformed.text;
  }
}

// S4.12
TEST(Parse, RefusesSurrogatesThatAreNotAPair) {
  for (const std::string_view text : {
           R"("\ud800")",
           R"("\udbff")",
           R"("\udc00")",
           R"("\udfff")",
           R"("\ud800a")",
           R"("\ud800\n")",
           R"("\ud800\u0041")",
           R"("\ud800\ud800")",
           R"("\udc00\ud800")",
           R"("\ud800\udc0")",
           R"("\ud800\u")",
       }) {
    EXPECT_EQ(refusal(text).offset, 1u) << text;
  }
  EXPECT_EQ(refusal(R"("ab\ud83d\ude00\ud83d")").offset, 15u);
  EXPECT_TRUE(accepts(R"("\ud800\udc00\udbff\udfff")"));
}

// S4.12
TEST(Parse, RefusesInvalidUtf8AndSaysWhereItStarts) {
  for (const std::string_view bad : {
           "\x80",
           "\xbf",
           "\xc0\xaf",
           "\xc1\xbf",  // stray tails, overlong two
           "\xc3",
           "\xe2\x82",
           "\xf0\x9f\x98",  // cut short
           "\xe0\x80\xaf",
           "\xe0\x9f\xbf",
           "\xf0\x80\x80\xaf",
           "\xf0\x8f\xbf\xbf",  // overlong
           "\xed\xa0\x80",
           "\xed\xbf\xbf",  // surrogates
           "\xf4\x90\x80\x80",
           "\xf5\x80\x80\x80",
           "\xfe",
           "\xff",  // above U+10FFFF
           "\xc3\x28",
           "\xe2\x28\xa1",
           "\xe2\x82\x28",
           "\xf0\x28\x8c\xbc",  // wrong tails
       }) {
    // Short and long texts take different ways through the validation.
    for (const std::size_t before : {0u, 1u, 15u, 16u, 63u, 64u, 65u, 500u}) {
      for (const std::size_t after : {0u, 100u}) {
        const std::string text = "\"" + std::string(before, 'x') + std::string(bad) + std::string(after, 'y') + "\"";
        const ParseError error = refusal(text);
        EXPECT_EQ(error.offset, before + 1) << text;
        EXPECT_EQ(error.message, "the text is not valid UTF-8");
      }
    }
  }
}

TEST(Parse, AcceptsTheFirstAndLastCharacterOfEachLength) {
  EXPECT_TRUE(
      accepts("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""));
}

TEST(Parse, NestsSixtyFourDeepAndNoDeeper) {
  EXPECT_TRUE(accepts(nested(64)));
  EXPECT_TRUE(accepts("[" + nested(63) + "," + nested(63) + "]"));
  EXPECT_EQ(refusal(nested(65)).offset, 64u);
  EXPECT_EQ(refusal(nested(65)).message, "arrays and objects may be nested 64 deep at most");

  std::string objects = "1";
  for (int i = 0; i < 64; ++i) objects = R"({"a":)" + objects + "}";
  EXPECT_TRUE(accepts(objects));
  EXPECT_FALSE(accepts("[" + objects + "]"));
}

TEST(Parse, TakesItsDepthFromTheLimits) {
  EXPECT_TRUE(parse("1", {.depth = 0}).has_value());
  EXPECT_FALSE(parse("[]", {.depth = 0}).has_value());
  EXPECT_TRUE(parse("[[]]", {.depth = 2}).has_value());
}

TEST(Parse, SurvivesAMillionBrackets) {
  EXPECT_EQ(refusal(std::string(1'000'000, '[')).offset, 64u);
  EXPECT_EQ(refusal(nested(1'000'000)).offset, 64u);
}

// S4.12
TEST(Parse, RefusesTheSameKeyTwiceInOneObject) {
  EXPECT_EQ(refusal(R"({"a":1,"a":2})").offset, 7u);
  EXPECT_EQ(refusal(R"({"a":1,"a":2})").message, R"(the key "a" appears twice in one object)");
  EXPECT_EQ(refusal(R"({"a":1,"\u0061":2})").offset, 7u);
  EXPECT_EQ(refusal(R"({"\u0061":1,"a":2})").offset, 12u);
  EXPECT_EQ(refusal(R"({"\ud83d\ude00":1,)"
                    "\"\xf0\x9f\x98\x80\":2}")
                .offset,
            18u);
  EXPECT_EQ(refusal(R"({"a\/b":1,"a/b":2})").offset, 10u);
  EXPECT_EQ(refusal(R"({"":1,"":2})").offset, 6u);
  EXPECT_EQ(refusal(R"({"x":{"a":[1],"b":{},"a":null}})").offset, 21u);
}

TEST(Parse, AcceptsTheSameKeyInDifferentObjects) {
  EXPECT_TRUE(accepts(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})"));
  EXPECT_TRUE(accepts(R"({"a":1,"A":2,"aa":3,"":4,"\\u0061":5})"));
}

TEST(Parse, ComparesKeysOfAnyLength) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string key(length, 'k');
    for (std::size_t changed = 0; changed < length; ++changed) {
      std::string other = key;
      other[changed] = 'K';
      EXPECT_TRUE(accepts("{\"" + key + "\":1,\"" + other + "\":2}")) << key << " " << other;
    }
    EXPECT_FALSE(accepts("{\"" + key + "\":1,\"" + key + "\":2}")) << key;
  }
}

std::string object_of(int members, const std::string& last_key, const std::string& prefix) {
  std::string text = "{";
  for (int i = 0; i < members - 1; ++i) text += "\"" + prefix + std::to_string(i) + "\":0,";
  return text + "\"" + last_key + "\":0}";
}

TEST(Parse, FindsATwiceUsedKeyInObjectsOfEverySize) {
  for (const int members : {2, 3, 8, 9, 32, 33, 63, 64, 65, 66, 128, 1000}) {
    for (const std::string prefix : {"k", "a_long_prefix_that_all_of_them_share_", "\\u006b"}) {
      EXPECT_TRUE(accepts(object_of(members, "other", prefix))) << members;
      EXPECT_FALSE(accepts(object_of(members, prefix + "0", prefix))) << members;
      EXPECT_FALSE(accepts(object_of(members, prefix + std::to_string(members - 2), prefix))) << members;
    }
  }
}

// Comparing every pair would take minutes here.
TEST(Parse, TakesHundredsOfThousandsOfKeysInLinearTime) {
  EXPECT_TRUE(accepts(object_of(300'000, "other", "k")));
  EXPECT_FALSE(accepts(object_of(300'000, "k7", "k")));
  EXPECT_TRUE(accepts(object_of(300'000, "other", "\\u006b")));
}

TEST(Parse, CountsLinesAndCharactersFromOne) {
  const ParseError first = refusal("x");
  EXPECT_EQ(first.line, 1u);
  EXPECT_EQ(first.column, 1u);

  const ParseError later = refusal(
      "{\n  \"gr\xc3\xb6\xc3\x9f"
      "e\": 1,\r\n  \"\xe2\x82\xac\": ?\n}");
  EXPECT_EQ(later.line, 3u);
  EXPECT_EQ(later.column, 8u);
  EXPECT_EQ(later.offset, 28u);

  const ParseError at_line_end = refusal("[1,\n");
  EXPECT_EQ(at_line_end.line, 2u);
  EXPECT_EQ(at_line_end.column, 1u);
}

// S4.12: malformed JSON is 400 with its position.
TEST(Parse, ErrorsNameThePositionToTheCaller) {
  const Error error = to_error(refusal("{\"a\": 1,\n}"));
  EXPECT_EQ(error.code, Errc::malformed);
  EXPECT_EQ(error.detail, "malformed JSON at line 2, column 1: expected a key in double quotes, found '}'");
}

// Every byte that ends a run of plain content, at every distance from the start and the end of the text.
TEST(Parse, SeesQuotesEscapesAndControlsAtEveryPosition) {
  for (std::size_t length = 0; length < 50; ++length) {
    const std::string content(length, 'x');
    EXPECT_TRUE(accepts("\"" + content + "\""));
    EXPECT_EQ(refusal("\"" + content).offset, length + 1);
    for (std::size_t at = 0; at <= length; ++at) {
      const auto with = [&](const std::string& what) { return "\"" + std::string(content).insert(at, what) + "\""; };
      EXPECT_TRUE(accepts(with("\\n")));
      EXPECT_TRUE(accepts(with("\x7f")));
      EXPECT_TRUE(accepts(with("\xc3\xa9")));
      EXPECT_EQ(refusal(with("\x1f")).offset, at + 1);
      EXPECT_EQ(refusal(with("\0"s)).offset, at + 1);
      EXPECT_EQ(refusal(with("\\q")).offset, at + 1);
      EXPECT_FALSE(accepts(with("\"")));
    }
  }
}

TEST(Parse, SkipsWhitespaceOfEveryLength) {
  for (std::size_t length = 0; length < 50; ++length) {
    std::string space;
    for (std::size_t i = 0; i < length; ++i) space.push_back(" \n\r\t"[i % 4]);
    EXPECT_TRUE(accepts(space + "[" + space + "1" + space + "," + space + "2" + space + "]" + space));
    EXPECT_EQ(refusal(space + "[" + space + "\f]").offset, 2 * length + 1);
  }
}

TEST(Parse, ReusesADocumentAlsoAfterAnError) {
  Document document;
  ASSERT_TRUE(parse_into(document, "[1,2,3]").has_value());
  EXPECT_EQ(document.root().size(), 3u);
  ASSERT_FALSE(parse_into(document, "[1,2").has_value());
  ASSERT_TRUE(parse_into(document, "{}").has_value());
  EXPECT_EQ(document.root().raw(), "{}");
}

TEST(Parse, OwnedTextStaysWhereItIsWhenTheDocumentMoves) {
  auto parsed = parse_owned(R"({"a":"b"})");
  ASSERT_TRUE(parsed.has_value());
  const Value root = parsed->root();
  const Document moved = std::move(*parsed);
  EXPECT_EQ(root.raw(), R"({"a":"b"})");
  EXPECT_EQ(moved.root().find("a")->get_string(), "b");
}

TEST(Parse, RefusesTheTextThatIsNoMemoryAtAll) { EXPECT_FALSE(parse(std::string_view()).has_value()); }

}  // namespace
}  // namespace millrace::json
