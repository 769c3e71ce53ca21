#include "json/known_fields.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace millrace::json {
namespace {

Result<void> judge(std::string_view text, std::string path = "") {
  const auto document = parse(text);
  return refuse_unknown(*ObjectReader::open(document->root(), std::move(path)), "a rule", {"name", "pattern"});
}

TEST(KnownFields, ArePassed) {
  EXPECT_TRUE(judge("{}"));
  EXPECT_TRUE(judge(R"({"pattern":1,"name":null})"));
}

// S4.12
TEST(KnownFields, AreListedBesideTheFirstOneThatIsNone) {
  EXPECT_EQ(judge(R"({"name":"a","patern":1,"x":2})").error(),
            (Error{Errc::invalid, R"(a rule has no field "patern"; it has name, pattern)", "patern"}));
  EXPECT_EQ(judge(R"({"patern":1})", "rules[3]").error().field, "rules[3].patern");
}

}  // namespace
}  // namespace millrace::json
