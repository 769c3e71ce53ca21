// Every operator on single values (S2.8). Each verdict is asked of the rule set and of the reference.
#include <gtest/gtest.h>

#include "match/testing.h"

namespace millrace::match {
namespace {

// One field x: does `[value…]` in the pattern accept `seen` in the event?
struct Verdict {
  const char* wanted;
  const char* seen;
  bool expected;
};

void check(std::initializer_list<Verdict> verdicts) {
  for (const auto& [wanted, seen, expected] : verdicts) {
    const std::string pattern = std::string(R"({"x":[)") + wanted + "]}";
    EXPECT_EQ(matches(pattern, std::string(R"({"x":)") + seen + "}"), expected) << wanted << " and " << seen;
  }
}

TEST(Exact, ComparesStringsByContentAndKind) {
  check({{R"("a")", R"("a")", true},
         {R"("a")", R"("b")", false},
         {R"("a")", R"("A")", false},
         {R"("a")", R"("\u0061")", true},
         {R"("\u00e9")", R"("é")", true},
         {R"("")", R"("")", true},
         {R"("")", "null", false},
         {R"("true")", "true", false},
         {R"("100")", "100", false},
         {R"("a","b")", R"("b")", true},
         {R"("a",1,null)", "null", true}});
}

TEST(Exact, ComparesNumbersByValue) {
  check({{"100", "100", true},
         {"100", "100.0", true},
         {"100", "1e2", true},
         {"1E+2", "0.100e3", true},
         {"100", R"("100")", false},
         {"100", "101", false},
         {"0", "-0.0", true},
         {"-1.50", "-1.5", true},
         {"1e400", "10e399", true},
         {"1e400", "1e401", false},
         {"1e-400", "0", false}});
}

TEST(Exact, TellsNumbersApartBeyondDoubles) {
  check({{"9007199254740993", "9007199254740993", true},
         {"9007199254740993", "9007199254740992", false},
         {"9007199254740993", "9007199254740993.0", true},
         {"0.1", "0.1000000000000000000001", false},
         {"123456789012345678901234567890", "123456789012345678901234567891", false}});
}

TEST(Exact, ComparesConstants) {
  check({{"true", "true", true},
         {"true", "false", false},
         {"false", "false", true},
         {"null", "null", true},
         {"null", "false", false},
         {"null", R"("null")", false},
         {"null", "[]", false}});
}

TEST(Prefix, MatchesStringsOnly) {
  check({{R"({"prefix":"ab"})", R"("abc")", true},
         {R"({"prefix":"ab"})", R"("ab")", true},
         {R"({"prefix":"ab"})", R"("a")", false},
         {R"({"prefix":"ab"})", R"("xab")", false},
         {R"({"prefix":"AB"})", R"("abc")", false},
         {R"({"prefix":"1"})", "12", false},
         {R"({"prefix":"é"})", R"("\u00e9t\u00e9")", true}});
}

TEST(Prefix, EmptyMatchesEveryStringAndNothingElse) {
  for (const char* shape : {R"({"prefix":""})", R"({"suffix":""})", R"({"wildcard":"*"})"}) {
    check({{shape, R"("")", true},
           {shape, R"("abc")", true},
           {shape, "1", false},
           {shape, "null", false},
           {shape, "true", false},
           {shape, "[]", false},
           {shape, "{}", false}});
  }
}

TEST(Suffix, MatchesStringsOnly) {
  check({{R"({"suffix":".png"})", R"("a.png")", true},
         {R"({"suffix":".png"})", R"(".png")", true},
         {R"({"suffix":".png"})", R"("a.png2")", false},
         {R"({"suffix":".PNG"})", R"("a.png")", false},
         {R"({"suffix":"2"})", "12", false}});
}

TEST(EqualsIgnoreCase, FoldsCharacterByCharacter) {
  check({{R"({"equals-ignore-case":"Alice"})", R"("aLICE")", true},
         {R"({"equals-ignore-case":"Alice"})", R"("Alic")", false},
         {R"({"equals-ignore-case":"É"})", R"("é")", true},
         {R"({"equals-ignore-case":"ΣΊΣΥΦΟΣ"})", R"("σίσυφος")", true},
         {R"({"equals-ignore-case":"ЖЁ"})", R"("жё")", true},
         {R"({"equals-ignore-case":"straße"})", R"("STRASSE")", false},
         {R"({"equals-ignore-case":"1"})", "1", false},
         {R"({"prefix":{"equals-ignore-case":"EventB"}})", R"("eventbridge")", true},
         {R"({"prefix":{"equals-ignore-case":"EventB"}})", R"("event")", false},
         {R"({"suffix":{"equals-ignore-case":"Bridge"}})", R"("eventBRIDGE")", true},
         {R"({"suffix":{"equals-ignore-case":"Bridge"}})", R"("bridged")", false}});
}

TEST(Wildcard, StarsMatchAnyText) {
  check({{R"({"wildcard":"a*c"})", R"("abc")", true},
         {R"({"wildcard":"a*c"})", R"("ac")", true},
         {R"({"wildcard":"a*c"})", R"("abcd")", false},
         {R"({"wildcard":"a*a"})", R"("a")", false},
         {R"({"wildcard":"*/lib/*"})", R"("usr/lib/x")", true},
         {R"({"wildcard":"*/lib/*"})", R"("usr/local")", false},
         {R"({"wildcard":"*ab*ba*"})", R"("aba")", false},
         {R"({"wildcard":"*ab*ba*"})", R"("abba")", true},
         {R"({"wildcard":"*a*b*c*d*"})", R"("0a1b2c3d4")", true},
         {R"({"wildcard":"plain"})", R"("plain")", true},
         {R"({"wildcard":""})", R"("")", true},
         {R"({"wildcard":"*1*"})", "212", false},
         {R"({"wildcard":"a*aa"})", R"("aaa")", true}});
}

TEST(Wildcard, EscapesAreTheCharactersThemselves) {
  check({{R"({"wildcard":"a\\*c"})", R"("a*c")", true},
         {R"({"wildcard":"a\\*c"})", R"("abc")", false},
         {R"({"wildcard":"a\\\\*"})", R"("a\\b")", true},
         {R"({"wildcard":"\\**\\*"})", R"("**")", true}});
}

TEST(AnythingBut, MatchesEveryOtherValueOfAnyKind) {
  for (const char* but : {R"({"anything-but":"a"})", R"({"anything-but":["a"]})", R"({"anything-but":{"prefix":"a"}})",
                          R"({"anything-but":{"suffix":"a"}})", R"({"anything-but":{"equals-ignore-case":"A"}})",
                          R"({"anything-but":{"wildcard":"*a"}})", R"({"anything-but":{"prefix":["a","q"]}})"}) {
    check({{but, R"("a")", false},
           {but, R"("b")", true},
           {but, R"("")", true},
           {but, "null", true},
           {but, "1", true},
           {but, "false", true},
           {but, "[]", false},
           {but, "{}", false},
           {but, R"(["a"])", false},
           {but, R"(["a","b"])", true}});
  }
}

TEST(AnythingBut, ExcludesNumbersByValue) {
  check({{R"({"anything-but":100})", "1e2", false},
         {R"({"anything-but":100})", R"("100")", true},
         {R"({"anything-but":[1,2]})", "2.0", false},
         {R"({"anything-but":[1,2]})", "3", true},
         {R"({"anything-but":["a",1,null]})", "null", false},
         {R"({"anything-but":{"equals-ignore-case":["x","Y"]}})", R"("y")", false},
         {R"({"anything-but":{"regex":"[0-9]+"}})", R"("12")", false}});
}

TEST(AnythingBut, DoesNotMatchAMissingField) {
  EXPECT_FALSE(matches(R"({"x":[{"anything-but":"a"}]})", R"({"y":1})"));
  EXPECT_FALSE(matches(R"({"x":[{"anything-but":"a"}]})", "{}"));
}

TEST(Numeric, ComparesWithOneOrTwoBounds) {
  check({{R"({"numeric":["=",3.018e2]})", "301.8", true},
         {R"({"numeric":[">",0,"<=",5]})", "5", true},
         {R"({"numeric":[">",0,"<=",5]})", "5.0000001", false},
         {R"({"numeric":[">",0,"<=",5]})", "0", false},
         {R"({"numeric":[">=",0,"<",5]})", "-0", true},
         {R"({"numeric":["<",10]})", "-1e300", true},
         {R"({"numeric":["<",10]})", "10", false},
         {R"({"numeric":["<=",10]})", "10.0", true},
         {R"({"numeric":[">",9007199254740992]})", "9007199254740993", true},
         {R"({"numeric":[">",9007199254740993]})", "9007199254740993", false},
         {R"({"numeric":["<",9007199254740993]})", "9007199254740992", true},
         {R"({"numeric":[">",1e308]})", "1e309", true},
         {R"({"numeric":[">",0]})", R"("1")", false},
         {R"({"numeric":[">",0]})", "true", false}});
}

TEST(Exists, LooksAtValuesOnly) {
  check({{R"({"exists":true})", "null", true},
         {R"({"exists":true})", R"("")", true},
         {R"({"exists":true})", "0", true},
         {R"({"exists":true})", "[]", false},
         {R"({"exists":true})", "{}", false},
         {R"({"exists":true})", R"({"y":1})", false},
         {R"({"exists":true})", "[null]", true},
         {R"({"exists":false})", "null", false},
         {R"({"exists":false})", R"("")", false},
         {R"({"exists":false})", "[]", true},
         {R"({"exists":false})", "[[],{}]", true},
         {R"({"exists":false})", "{}", true},
         {R"({"exists":false})", R"({"y":1})", true}});
  EXPECT_TRUE(matches(R"({"x":[{"exists":false}]})", R"({"y":1})"));
  EXPECT_TRUE(matches(R"({"x":{"y":[{"exists":false}]}})", R"({"x":1})"));
  EXPECT_FALSE(matches(R"({"x":[{"exists":true}]})", R"({"y":1})"));
}

TEST(Exists, MayStandBesideValues) {
  const char* pattern = R"({"x":["a",{"exists":false}],"y":[1]})";
  EXPECT_TRUE(matches(pattern, R"({"x":"a","y":1})"));
  EXPECT_TRUE(matches(pattern, R"({"y":1})"));
  EXPECT_FALSE(matches(pattern, R"({"x":"b","y":1})"));
  EXPECT_FALSE(matches(pattern, R"({"x":"a"})"));
}

TEST(Cidr, ContainsAddressesOfItsVersion) {
  check({{R"({"cidr":"10.0.0.0/24"})", R"("10.0.0.33")", true},
         {R"({"cidr":"10.0.0.0/24"})", R"("10.0.1.33")", false},
         {R"({"cidr":"10.0.0.77/24"})", R"("10.0.0.1")", true},
         {R"({"cidr":"10.0.0.7/32"})", R"("10.0.0.7")", true},
         {R"({"cidr":"10.0.0.7/32"})", R"("10.0.0.8")", false},
         {R"({"cidr":"0.0.0.0/0"})", R"("255.1.2.3")", true},
         {R"({"cidr":"0.0.0.0/0"})", R"("::1")", false},
         {R"({"cidr":"2001:db8::/32"})", R"("2001:DB8:1::5")", true},
         {R"({"cidr":"2001:db8::/32"})", R"("2001:db9::")", false},
         {R"({"cidr":"10.0.0.0/8"})", R"("::ffff:10.1.2.3")", true},
         {R"({"cidr":"10.0.0.0/8"})", R"("10.1.2")", false},
         {R"({"cidr":"10.0.0.0/8"})", R"("10.1.2.3/32")", false},
         {R"({"cidr":"10.0.0.0/8"})", R"("10.1.2.3\u0000")", false},
         {R"({"cidr":"10.0.0.0/8"})", "10", false}});
}

TEST(Regex, MatchesTheWholeString) {
  check({{R"({"regex":"[a-z]+-[0-9]{3}"})", R"("lot-123")", true},
         {R"({"regex":"[a-z]+-[0-9]{3}"})", R"("lot-1234")", false},
         {R"({"regex":"(?i)ab.*"})", R"("ABC")", true},
         {R"({"regex":"a|bc"})", R"("abc")", false},
         {R"({"regex":"[0-9]+"})", "12", false}});
}

}  // namespace
}  // namespace millrace::match
