// What is no pattern is refused with its place and the way out (S2.8).
#include <gtest/gtest.h>

#include "match/limits.h"
#include "match/testing.h"

namespace millrace::match {
namespace {

struct Refused {
  const char* pattern;
  const char* says;  // "place: detail", from its start
};

void check(std::initializer_list<Refused> table, Dialect dialect) {
  for (const auto& [pattern, says] : table) {
    const std::string said = objection(pattern, dialect);
    EXPECT_TRUE(said.starts_with(says)) << pattern << "\n said: " << said << "\n  not: " << says;
  }
}

TEST(Compile, NamesThePlaceAndTheWayOut) {
  check({{"[]", ": a pattern is an object of fields, not an array"},
         {"{}", ": an empty object matches nothing"},
         {R"({"a":{"b":{}}})", "a.b: an empty object"},
         {R"({"a":[]})", "a: an empty array matches nothing"},
         {R"({"a":"x"})", R"(a: must be an array of values or an object of fields, not a string; write ["x"])"},
         {R"({"a":{"b":1}})", "a.b: must be an array of values or an object of fields, not a number; write [1]"},
         {R"({"a":[["x"]]})", "a[0]: must be a string, number, true, false, null or an operator, not an array"},
         {R"({"a":["x",{}]})", "a[1]: must have exactly one operator, not 0"},
         {R"({"a":[{"prefix":"x","suffix":"y"}]})", "a[0]: must have exactly one operator, not 2"},
         {R"({"a":[{"starts":"x"}]})", R"(a[0]: has no operator "starts"; there are prefix, suffix)"}},
        Dialect::extended);
}

TEST(Compile, ChecksOperandsOfTextOperators) {
  check({{R"({"a":[{"prefix":1}]})", "a[0].prefix: must be a string or {\"equals-ignore-case\""},
         {R"({"a":[{"prefix":{"wildcard":"x"}}]})", "a[0].prefix: takes a string or equals-ignore-case, not"},
         {R"({"a":[{"suffix":{"equals-ignore-case":1}}]})", "a[0].suffix.equals-ignore-case: must be a string"},
         {R"({"a":[{"equals-ignore-case":["x"]}]})", "a[0].equals-ignore-case: must be a string, not an array"},
         {R"({"a":[{"wildcard":"x**y"}]})", "a[0].wildcard: has two stars in a row"},
         {R"({"a":[{"wildcard":"x\\y"}]})", R"(a[0].wildcard: has a \ that escapes neither)"},
         {R"({"a":[{"wildcard":"x\\"}]})", R"(a[0].wildcard: has a \ that escapes neither)"},
         {R"({"a":[{"regex":"("}]})", "a[0].regex: is no regular expression of RE2: missing )"},
         {R"({"a":[{"regex":"(a{1,1000}){1,1000}"}]})", "a[0].regex: is no regular expression of RE2"},
         {R"({"a":[{"exists":"yes"}]})", "a[0].exists: must be true or false, not a string"}},
        Dialect::extended);
}

TEST(Compile, ChecksRanges) {
  check({{R"({"a":[{"numeric":5}]})", "a[0].numeric: must be an array like"},
         {R"({"a":[{"numeric":[]}]})", "a[0].numeric: must have one or two pairs of operator and number, not 0"},
         {R"({"a":[{"numeric":[">",1,"<"]}]})", "a[0].numeric: must have one or two pairs"},
         {R"({"a":[{"numeric":["!=",1]}]})", "a[0].numeric[0]: \"!=\" is none of =, <, <=, >, >="},
         {R"({"a":[{"numeric":[">","1"]}]})", "a[0].numeric[1]: must be a number, not a string"},
         {R"({"a":[{"numeric":["<",5,">",1]}]})", "a[0].numeric[2]: a range is > or >= and a number, then"},
         {R"({"a":[{"numeric":["=",5,"<",6]}]})", "a[0].numeric[2]: a range is"},
         {R"({"a":[{"numeric":[">",5,">",6]}]})", "a[0].numeric[2]: a range is"},
         {R"({"a":[{"numeric":[">",5,"<",5]}]})",
          "a[0].numeric: the lower bound 5 must be less than the upper bound 5; one number alone is [\"=\",5]"}},
        Dialect::extended);
}

TEST(Compile, ChecksBlocks) {
  check({{R"({"a":[{"cidr":1}]})", "a[0].cidr: must be a string like"},
         {R"({"a":[{"cidr":"10.0.0.0"}]})", "a[0].cidr: 10.0.0.0 has no /bits"},
         {R"({"a":[{"cidr":"10.0.0/8"}]})", "a[0].cidr: 10.0.0 is no IPv4 or IPv6 address"},
         {R"({"a":[{"cidr":"10.0.0.0/33"}]})", "a[0].cidr: /33 is no number of bits from 0 to 32"},
         {R"({"a":[{"cidr":"::/129"}]})", "a[0].cidr: /129 is no number of bits from 0 to 128"},
         {R"({"a":[{"cidr":"10.0.0.0/x"}]})", "a[0].cidr: /x is no number"}},
        Dialect::extended);
}

TEST(Compile, ChecksAnythingBut) {
  check({{R"({"a":[{"anything-but":[]}]})", "a[0].anything-but: must not be empty"},
         {R"({"a":[{"anything-but":{}}]})", "a[0].anything-but: must have exactly one operator, not 0"},
         {R"({"a":[{"anything-but":{"numeric":["<",1]}}]})", "a[0].anything-but: cannot negate numeric"},
         {R"({"a":[{"anything-but":{"anything-but":"x"}}]})", "a[0].anything-but: cannot negate anything-but"},
         {R"({"a":[{"anything-but":{"prefix":[]}}]})", "a[0].anything-but.prefix: must not be empty"},
         {R"({"a":[{"anything-but":{"suffix":["x",1]}}]})", "a[0].anything-but.suffix[1]: must be a string"},
         {R"({"a":[{"anything-but":[["x"]]}]})", "a[0].anything-but[0]: must be a string"}},
        Dialect::extended);
}

TEST(Compile, ChecksCombinations) {
  check({{R"({"$or":{"a":[1]}})", "$or: must be an array of objects, not an object"},
         {R"({"$or":[{"a":[1]}]})", "$or: needs at least two objects"},
         {R"({"x":{"$or":[{"a":[1]},1]}})", "x.$or[1]: must be an object of fields, not a number"},
         {R"({"$or":[{"a":[1]},{}]})", "$or[1]: an empty object"},
         {R"({"$and":[]})", "$and: an empty array"},
         {R"({"$and":[1]})", "$and[0]: must be an object"},
         {R"({"$not":[{"a":[1]}]})", "$not: must be an object of fields, not an array"},
         {R"({"$not":{}})", "$not: an empty object"},
         {R"({"$not":{"a":[{"prefix":1}]}})", "$not.a[0].prefix: must be"}},
        Dialect::extended);
}

TEST(Compile, EventBridgeDialectRefusesWhatIsBeyondIt) {
  check({{R"({"$and":[{"a":[1]}]})", "$and: $and belongs to the extended dialect"},
         {R"({"x":{"$not":{"a":[1]}}})", "x.$not: $not belongs to the extended dialect"},
         {R"({"a":[{"regex":"x"}]})", "a[0]: regex belongs to the extended dialect"},
         {R"({"a":[{"cidr":"10.0.0.1/32"}]})", "a[0].cidr: /32 is a single address"},
         {R"({"a":[{"cidr":"::1/128"}]})", "a[0].cidr: /128 is a single address"},
         {R"({"a":[{"numeric":[">",5000000001]}]})", "a[0].numeric[1]: 5000000001 is outside -5e9"},
         {R"({"a":[{"anything-but":-5.1e9}]})", "a[0].anything-but: -5.1e9 is outside"},
         {R"({"a":[{"anything-but":["x",1]}]})", "a[0].anything-but[1]: the values must be all strings or all numbers"},
         {R"({"a":[{"anything-but":null}]})", "a[0].anything-but: must be a string or a number, not null"},
         {R"({"a":[{"anything-but":{"prefix":""}}]})", "a[0].anything-but.prefix: must not be empty"},
         {R"({"a":[{"anything-but":{"prefix":{"equals-ignore-case":"x"}}}]})",
          "a[0].anything-but.prefix: must be a string"},
         {R"({"$or":[{"prefix":["x"]},{"a":[1]}]})", "$or[0].prefix: is an operator, which needs a field around it"}},
        Dialect::eventbridge);
  for (const char* pattern : {R"({"a":[{"numeric":[">",-5e9,"<=",5.0e9]}]})", R"({"a":[123456789012]})",
                              R"({"a":[{"cidr":"10.0.0.1/31"}]})", R"({"a":[{"anything-but":[1,2]}]})"}) {
    EXPECT_EQ(objection(pattern, Dialect::eventbridge), "") << pattern;
  }
}

// A pattern whose $or's multiply to 2^n.
std::string many_alternatives(int n) {
  std::string pattern;
  for (int i = 0; i < n; ++i) {
    const std::string name = "f" + std::to_string(i);
    pattern += (i > 0 ? ",\"" : "{\"") + name + R"(":{"$or":[{"a":[1]},{"b":[1]}]})";
  }
  return pattern + "}";
}

TEST(Compile, BoundsWhatAlternativesMultiplyTo) {
  EXPECT_EQ(objection(many_alternatives(9), Dialect::eventbridge), "");
  EXPECT_TRUE(objection(many_alternatives(10), Dialect::eventbridge).starts_with(": the pattern has more than 1000"));
  EXPECT_TRUE(objection(many_alternatives(60), Dialect::eventbridge).starts_with(": the pattern has more than 1000"));
  EXPECT_TRUE(objection(R"({"$not":)" + many_alternatives(10) + "}", Dialect::extended).starts_with("$not: has more"));
}

TEST(Compile, BoundsTheSize) {
  const std::string value(kPatternBytesMax - 10, 'x');
  EXPECT_EQ(objection(R"({"a": [")" + value + R"("]})", Dialect::extended), "");
  EXPECT_TRUE(objection(R"({"a":[")" + value + R"(x"]})", Dialect::extended).starts_with(": the pattern is longer"));
}

}  // namespace
}  // namespace millrace::match
