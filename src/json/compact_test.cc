#include "json/compact.h"

#include <gtest/gtest.h>

#include <string>

#include "json/parse.h"

namespace millrace::json {
namespace {

std::string compacted(std::string_view text) {
  const auto document = parse(text);
  if (!document) return "refused: " + document.error().message;
  std::string out = "before ";
  append_compact(out, document->root());
  EXPECT_EQ(compact_size(document->root()), out.size() - 7);
  return out.substr(7);
}

TEST(Compact, DropsWhitespaceBetweenTokensOnly) {
  EXPECT_EQ(compacted(" { \"a b\" :\t[ 1 ,\n 2.50 ] , \"c\" : { } , \"d\":[ ] } "),
            R"({"a b":[1,2.50],"c":{},"d":[]})");
  EXPECT_EQ(compacted("[ \" , : { \\\" } \" ]"), R"([" , : { \" } "])");
  EXPECT_EQ(compacted("  \" x \"  "), "\" x \"");
}

TEST(Compact, KeepsEveryTokenByteByByte) {
  const std::string text = R"({"\u0041":[1.0,-0,1E+2,1e400,"\/\u00e9",null,true,false]})";
  EXPECT_EQ(compacted(text), text);
  EXPECT_EQ(compacted("[ " + text + "]"), "[" + text + "]");
}

TEST(Compact, WritesASpacedPartOfAnUnspacedWhole) {
  EXPECT_EQ(compacted("[[1,2],[1, 2],{\"a\":[ ]}]"), R"([[1,2],[1,2],{"a":[]}])");
  const auto document = parse("[[1,2],[1, 2]]");
  ASSERT_TRUE(document.has_value());
  auto element = document->root().elements().begin();
  EXPECT_FALSE((*element).spaced());
  EXPECT_TRUE((*++element).spaced());
}

}  // namespace
}  // namespace millrace::json
