#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_session.h"
#include "cli/publish_events.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class Publish : public testing::Test, protected FakeSession {
 protected:
  void will_accept(std::size_t count) {
    std::string body = R"({"items":[)";
    for (std::size_t i = 0; i < count; ++i) body += i == 0 ? "{}" : ",{}";
    will_answer(207, body + "]}");
  }
  static std::string lines(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += fmt::format("{{\"type\":\"a.b\",\"eventId\":\"{}\"}}\n", i);
    return text;
  }
};

TEST_F(Publish, RefusesAnInputWithoutEvents) {
  for (const char* nothing : {"", "\n \n"}) {
    in.clear();
    in.str(nothing);
    EXPECT_EQ(run({"publish", "-"}), 2) << nothing;
    EXPECT_THAT(err.str(), HasSubstr("standard input is empty"));
    EXPECT_TRUE(calls.empty());
  }
}

TEST_F(Publish, SendsOneEventFromOptions) {  // S3.1
  will_answer(201, R"({"eventId":"e1","position":7})");
  EXPECT_EQ(run({"publish",
                 "--type",
                 "order.created",
                 "--source",
                 "shop",
                 "--subject",
                 "order:7",
                 "--data",
                 "{ \"amount\": 9 }",
                 "--event-id",
                 "e1",
                 "--dedup-id",
                 "d",
                 "--correlation-id",
                 "c",
                 "--time",
                 "2026-01-01T00:00:00Z",
                 "--context",
                 "region=us=west",
                 "--context",
                 "b=2"}),
            0);
  EXPECT_EQ(calls.at(0).target, "/api/events");
  EXPECT_EQ(calls.at(0).body,
            R"({"type":"order.created","source":"shop","subject":"order:7","data":{"amount":9},"eventId":"e1",)"
            R"("deduplicationId":"d","correlationId":"c","time":"2026-01-01T00:00:00Z",)"
            R"("contextData":[{"key":"region","value":"us=west"},{"key":"b","value":"2"}]})");
  EXPECT_EQ(out.str(), "published e1 at position 7\n");
}

TEST_F(Publish, GivesAnEventAnIdSoThatItCanBeSentAgain) {  // S2.2
  will_answer(503, "{}");
  will_answer(201, R"({"eventId":"e1","position":7})");
  EXPECT_EQ(run({"publish", "--type", "a.b"}), 0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_THAT(calls[0].body, MatchesRegex(R"(\{"type":"a.b","eventId":"[0-9a-f-]{36}"\})"));
  EXPECT_EQ(calls[1].body, calls[0].body);
}

TEST_F(Publish, TellsADuplicate) {
  will_answer(200, R"({"eventId":"e1","position":7,"duplicate":true})");
  EXPECT_EQ(run({"publish", "--type", "a.b", "--event-id", "e1"}), 0);
  EXPECT_EQ(out.str(), "duplicate of e1 at position 7\n");
}

TEST_F(Publish, TellsADuplicateOfAnEventThatIsGone) {  // S0.7 S2.2
  will_answer(200, R"({"eventId":"e1","type":"a.b","position":7,"duplicate":true,"expired":true})");
  EXPECT_EQ(run({"publish", "--type", "a.b", "--event-id", "e1"}), 0);
  will_answer(200, R"({"type":"a.b","position":7,"duplicate":true,"expired":true})");
  EXPECT_EQ(run({"publish", "--type", "a.b", "--dedup-id", "d"}), 0);
  EXPECT_EQ(out.str(),
            "duplicate of e1 at position 7, which has expired\n"
            "duplicate of an event at position 7, which has expired\n");
}

TEST_F(Publish, NamesTheOptionThatThereIsNot) {
  EXPECT_EQ(run({"publish", "--type", "a.b", "--ttl", "5"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("--ttl"));
  EXPECT_THAT(err.str(), Not(HasSubstr("FILE")));
}

TEST_F(Publish, TakesAFileOrTheOptionsOfOneEvent) {
  for (const auto& option : {std::vector<std::string>{"--type", "a.b"}, {"--context", "a=b"}, {"--time", "now"}}) {
    EXPECT_EQ(run({"publish", "events.json", option[0], option[1]}), 2);
  }
  EXPECT_THAT(err.str(), HasSubstr("\"events.json\" is taken for a FILE"));
  EXPECT_TRUE(calls.empty());
}

TEST_F(Publish, ReadsDataFromStdin) {
  in.str("[1,\n 2]");
  EXPECT_EQ(run({"publish", "--type", "a.b", "--event-id", "e", "--data", "-"}), 0);
  EXPECT_THAT(calls.at(0).body, HasSubstr(R"("data":[1,2])"));
}

TEST_F(Publish, RefusesWrongUsage) {
  EXPECT_EQ(run({"publish"}), 2);
  EXPECT_EQ(run({"publish", "--type", "a.b", "--data", "text"}), 2);
  EXPECT_EQ(run({"publish", "--type", "a.b", "--context", "novalue"}), 2);
  EXPECT_EQ(run({"publish", "-", "--type", "a.b"}), 2);
  EXPECT_EQ(run({"publish", "--type", "a.b", "--data", "1", "--data-file", "x"}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST_F(Publish, KeepsToTheServersRetryAfter) {
  answers.push_back({.status = 429, .headers = {{"Retry-After", "7"}}, .body = "{}"});
  will_answer(201, R"({"eventId":"e1","position":7})");
  EXPECT_EQ(run({"publish", "--type", "a.b"}), 0);
  EXPECT_EQ(paused, std::chrono::seconds(7));
}

TEST_F(Publish, GivesUpOnAServerThatStaysBusy) {
  for (int i = 0; i < 200; ++i) will_answer(503, R"({"detail":"the disk is full"})");
  EXPECT_EQ(run({"publish", "--type", "a.b"}), 1);
  EXPECT_EQ(paused, std::chrono::minutes(1));
  EXPECT_THAT(err.str(), HasSubstr("the disk is full"));
}

TEST_F(Publish, SendsLinesInArraysOf1000) {
  in.str(lines(1001));
  will_accept(1000);
  will_accept(1);
  EXPECT_EQ(run({"publish", "-"}), 0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].target, "/api/events?partial=true");
  EXPECT_THAT(calls[0].body, StartsWith(R"([{"type":"a.b","eventId":"1"},{)"));
  EXPECT_EQ(calls[1].body, R"([{"type":"a.b","eventId":"1001"}])");
  EXPECT_EQ(out.str(), "accepted 1001, duplicates 0, refused 0\n");
  EXPECT_EQ(err.str(), "");
}

TEST_F(Publish, NamesTheLinesThatAreRefused) {
  in.str(
      "{\"type\":\"a.b\",\"eventId\":\"1\"}\n\n{\"type\":\n{\"eventId\":\"2\"}\n{\"type\":\"a.b\",\"eventId\":\"1\"}"
      "\n");
  will_answer(207, R"({"items":[{},{"error":{"detail":"\"[1].type\": is missing"}},{"duplicate":true}]})");
  EXPECT_EQ(run({"publish", "-"}), 1);
  EXPECT_EQ(out.str(), "accepted 1, duplicates 1, refused 2\n");
  EXPECT_THAT(err.str(), HasSubstr("standard input line 3: "));
  EXPECT_THAT(err.str(), HasSubstr("standard input line 4: \"type\": is missing\n"));
}

TEST_F(Publish, SummarisesAsOneDocument) {
  in.str(lines(1));
  will_answer(207, R"({"items":[{"error":{"detail":"no"}}]})");
  EXPECT_EQ(run({"publish", "-", "--json"}), 1);
  EXPECT_EQ(out.str(), "{\"accepted\":0,\"duplicates\":0,\"refused\":1,\"errors\":[{\"line\":1,\"detail\":\"no\"}]}\n");
}

TEST_F(Publish, TakesOneDocumentOverManyLines) {
  in.str("\n[\n  {\"type\": \"a.b\", \"eventId\": \"1\"},\n  {\n  \"type\": \"a.b\", \"eventId\": \"2\"}\n]\n");
  will_answer(207, R"({"items":[{},{"error":{"detail":"no"}}]})");
  EXPECT_EQ(run({"publish", "-"}), 1);
  EXPECT_EQ(calls.at(0).body, R"([{"type":"a.b","eventId":"1"},{"type":"a.b","eventId":"2"}])");
  EXPECT_THAT(err.str(), HasSubstr("line 4: no"));
}

TEST_F(Publish, ADocumentThatIsNoJsonIsRefusedAsAWhole) {
  in.str("[\n{\"type\":\n]");
  EXPECT_EQ(run({"publish", "-"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("standard input: "));
  EXPECT_TRUE(calls.empty());
}

TEST_F(Publish, SendsAgainAfterALostConnectionOnceTheServerHasAnswered) {
  in.str(lines(1001));
  will_accept(1000);
  will_lose_the_connection();
  will_accept(1);
  EXPECT_EQ(run({"publish", "-"}), 0);
  EXPECT_EQ(calls.at(1).body, calls.at(2).body);
}

TEST_F(Publish, AServerThatNeverAnsweredIsNotTriedForLong) {
  in.str(lines(1));
  unreachable = true;
  EXPECT_EQ(run({"publish", "-"}), 3);
  EXPECT_EQ(pauses, 0);
  EXPECT_THAT(err.str(), HasSubstr("lines 1 to 1"));
}

TEST_F(Publish, SaysWhatWasPublishedBeforeAnArrayThatIsRefused) {
  in.str(lines(1001));
  will_accept(1000);
  will_answer(413, R"({"detail":"too large"})");
  EXPECT_EQ(run({"publish", "-"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("lines 1001 to 1001: too large (1000 accepted and 0 duplicates before them)"));
}

TEST_F(Publish, ShowsProgressOnATerminalOnly) {
  err_terminal.interactive = true;
  in.str(lines(1001));
  will_accept(1000);
  will_accept(1);
  run({"publish", "-"});
  EXPECT_THAT(err.str(), HasSubstr("\rpublished 1000\rpublished 1001"));
}

TEST(WithId, GivesOneOnlyWhereTheFormLeavesItOpen) {
  const auto given = [](std::string_view text) { return with_id(json::parse(text)->root(), "new"); };
  EXPECT_EQ(given(R"({"type":"a.b"})"), R"({"eventId":"new","type":"a.b"})");
  EXPECT_EQ(given(R"({"eventType":"Task Pending"})"), R"({"eventId":"new","eventType":"Task Pending"})");
  for (const char* whole : {R"({"type":"a.b","eventId":"1"})", R"({"type":"a.b","deduplicationId":"1"})",
                            R"({"event_type":"a.b"})", R"({"specversion":"1.0","type":"a"})", "{}", "7"}) {
    EXPECT_EQ(given(whole), whole);
  }
}

}  // namespace
}  // namespace millrace::cli
