#include "cli/answer.h"

#include <gtest/gtest.h>

#include "cli/target_text.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

http::ClientResponse answer(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

TEST(Refusal, QuotesTheProblem) {
  EXPECT_EQ(refusal(answer(404, R"({"title":"Not Found","detail":"there is no such key"})")), "there is no such key");
}

TEST(Refusal, QuotesTheQueueApi) {
  EXPECT_EQ(refusal(answer(409, R"({"error":"item 7 is held by w2"})")), "item 7 is held by w2");
}

TEST(Refusal, SaysWhatToDoAboutKeys) {
  EXPECT_NE(refusal(answer(401, R"({"error":"the key is not valid"})")).find("MILLRACE_KEY"), std::string::npos);
}

TEST(Refusal, HasWordsForAnAnswerWithoutAny) {
  EXPECT_EQ(refusal(answer(502, "<html>")), "the server answered with status 502");
}

TEST(Accepted, RefusesWhatIsNoJson) {
  EXPECT_THROW(accepted(answer(200, "<html>")), Failure);
  EXPECT_THROW(accepted(answer(422, R"({"error":"no"})")), Failure);
  EXPECT_EQ(accepted(answer(200, R"({"id":7})")).root().raw(), R"({"id":7})");
}

TEST(Indented, PutsEachMemberOnItsLine) {
  const auto document = json::parse_owned(R"({"a":[1,{"b":"x"}],"c":{},"d":[]})");
  ASSERT_TRUE(document);
  EXPECT_EQ(indented(document->root()),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {\n"
            "      \"b\": \"x\"\n"
            "    }\n"
            "  ],\n"
            "  \"c\": {},\n"
            "  \"d\": []\n"
            "}");
}

TEST(TargetText, EncodesWhatAQueryCannotHold) {
  TargetText target("/events");
  target.segment("a/b").with("tags", "x,y z").with("limit", 5).with_if("cursor", std::optional<std::string>{});
  EXPECT_EQ(target.text(), "/events/a%2Fb?tags=x%2Cy%20z&limit=5");
}

TEST(TargetText, EncodesBytesAboveAscii) { EXPECT_EQ(percent_encoded("ü&"), "%C3%BC%26"); }

}  // namespace
}  // namespace millrace::cli
