#include "json/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "json/parse.h"

namespace millrace::json {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

Document must_parse(std::string text) {
  auto parsed = parse_owned(std::move(text));
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
  return std::move(*parsed);
}

std::optional<std::int64_t> int_of(std::string text) { return must_parse(std::move(text)).root().as_int64(); }
std::optional<double> double_of(std::string text) { return must_parse(std::move(text)).root().as_double(); }

TEST(Value, KnowsItsKind) {
  const Document document = must_parse(R"([null,true,1,"s",[],{}])");
  std::vector<Kind> kinds;
  for (const Value value : document.root().elements()) kinds.push_back(value.kind());
  EXPECT_THAT(kinds, ElementsAre(Kind::null, Kind::boolean, Kind::number, Kind::string, Kind::array, Kind::object));
}

TEST(Value, KeepsTheSourceOfNumbersOfAnySize) {
  const std::string digits(5000, '7');
  for (const std::string& number :
       {"1.0"s, "1e400"s, "-0"s, "100.0"s, "18446744073709551616"s, "1E+2"s, digits, "0." + digits, "1e" + digits}) {
    EXPECT_EQ(must_parse(" " + number + " ").root().raw(), number);
  }
}

TEST(Value, IntegersAreThoseThatAreWholeAndFit) {
  EXPECT_EQ(int_of("0"), 0);
  EXPECT_EQ(int_of("-0"), 0);
  EXPECT_EQ(int_of("-0.0e9"), 0);
  EXPECT_EQ(int_of("42"), 42);
  EXPECT_EQ(int_of("100.0"), 100);
  EXPECT_EQ(int_of("1e2"), 100);
  EXPECT_EQ(int_of("1.5e1"), 15);
  EXPECT_EQ(int_of("120e-1"), 12);
  EXPECT_EQ(int_of("0.001e3"), 1);
  EXPECT_EQ(int_of("-12.5e+1"), -125);
  EXPECT_EQ(int_of("0e99999999999999999999"), 0);
  EXPECT_EQ(int_of("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(int_of("9223372036854775807.0"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(int_of("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(int_of("-9223372036854775.808e3"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(int_of("1" + std::string(500, '0') + "e-500"), 1);
  EXPECT_EQ(int_of("0." + std::string(500, '0') + "7e501"), 7);
}

TEST(Value, OtherNumbersAreNoIntegers) {
  for (const char* number : {"1.5", "0.1", "1e-1", "15e-1", "9223372036854775808", "9223372036854775808.0",
                             "-9223372036854775809", "-9223372036854775809e0", "1e19", "1e400", "1e-400",
                             "1e99999999999999999999", "1e-99999999999999999999", "100000000000000000000"}) {
    EXPECT_EQ(int_of(number), std::nullopt) << number;
  }
  EXPECT_EQ(int_of("\"1\""), std::nullopt);
}

TEST(Value, DoublesAreTheNearestOrNoneBeyondTheRange) {
  EXPECT_EQ(double_of("0.1"), 0.1);
  EXPECT_EQ(double_of("-1.5e3"), -1500.0);
  EXPECT_EQ(double_of("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(double_of("18446744073709551616"), 18446744073709551616.0);
  EXPECT_EQ(double_of("1e400"), std::nullopt);
  EXPECT_EQ(double_of("-1e400"), std::nullopt);
  EXPECT_EQ(double_of("1" + std::string(400, '0')), std::nullopt);
  EXPECT_EQ(double_of("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*double_of("-1e-400")));
  EXPECT_EQ(double_of("null"), std::nullopt);
}

TEST(Value, StringsAreUnescaped) {
  EXPECT_EQ(must_parse(R"("plain")").root().plain_string(), "plain");
  EXPECT_EQ(must_parse(R"("plain")").root().get_string(), "plain");
  const Document document = must_parse(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00z")");
  EXPECT_EQ(document.root().plain_string(), std::nullopt);
  EXPECT_EQ(document.root().get_string(), "a\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
  EXPECT_EQ(must_parse(R"("\u0000")").root().get_string(), "\0"s);
  EXPECT_EQ(must_parse(R"("\u007f\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff")").root().get_string(),
            "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(Value, FindsMembersByWhatTheirKeysSay) {
  const Document document = must_parse(R"({"a":{"x":[1,[2,3]]},"\u0062":2,"c":"c"})");
  const Value root = document.root();
  EXPECT_EQ(root.size(), 3u);
  EXPECT_EQ(root.find("a")->find("x")->raw(), "[1,[2,3]]");
  EXPECT_EQ(root.find("b")->as_int64(), 2);
  EXPECT_TRUE(root.find("c")->equals("c"));
  EXPECT_FALSE(root.find("b")->equals("2"));
  EXPECT_FALSE(root.find("x").has_value());
  EXPECT_FALSE(root.find("c")->find("c").has_value());
}

TEST(Value, WalksMembersAndElementsInOrder) {
  const Document document = must_parse(R"( { "z" : [ [ ], 1 , { } ] , "a" : false } )");
  std::vector<std::string> seen;
  for (const Member member : document.root().members()) {
    seen.push_back(member.key.get_string() + "=" + std::string(member.value.raw()));
  }
  EXPECT_THAT(seen, ElementsAre("z=[ [ ], 1 , { } ]", "a=false"));
  EXPECT_FALSE(document.root().find("a")->get_bool());

  std::vector<std::string_view> elements;
  for (const Value element : document.root().find("z")->elements()) elements.push_back(element.raw());
  EXPECT_THAT(elements, ElementsAre("[ ]", "1", "{ }"));
}

TEST(ValueDeathTest, AsksOnlyWhatTheKindCanAnswer) {
  const Document document = must_parse("1");
  EXPECT_DEATH(document.root().get_bool(), "another kind");
  EXPECT_DEATH(document.root().get_string(), "another kind");
  EXPECT_DEATH(document.root().members(), "another kind");
  EXPECT_DEATH(Document().root(), "holds nothing");
}

}  // namespace
}  // namespace millrace::json
