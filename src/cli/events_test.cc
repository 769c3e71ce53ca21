// `tail`, `get` and `query` against prepared answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/fake_session.h"
#include "cli/stop_signals.h"

namespace millrace::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kOne = "id: 1\nevent: event\ndata: {\"position\":1,\"type\":\"a.b\",\"data\":{\"n\":1}}\n\n";
constexpr const char* kTwo = "id: 2\nevent: event\ndata: {\"position\":2,\"type\":\"a.c\"}\n\n";

std::string header_of(const Call& call, std::string_view name) {
  for (const auto& [key, value] : call.headers) {
    if (key == name) return value;
  }
  return "";
}

class TailCommand : public testing::Test, protected FakeSession {};

TEST_F(TailCommand, PrintsALineAnEvent) {
  will_answer(200, std::string(": following\n\n") + kOne + kTwo);
  EXPECT_EQ(run({"tail", "--from", "beginning", "--type", "a.b,a.c", "--count", "2"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/tail?from=1&type=a.b%2Ca.c");
  EXPECT_THAT(out.str(), HasSubstr("POSITION  TIME  TYPE"));
  EXPECT_THAT(out.str(), HasSubstr("{\"n\":1}\n"));
  EXPECT_THAT(out.str(), HasSubstr("a.c\n"));
}

TEST_F(TailCommand, PrintsTheDocumentsForScripts) {
  will_answer(200, std::string(kOne) + kTwo);
  EXPECT_EQ(run({"tail", "--count", "1", "--json"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/tail?from=latest");
  EXPECT_EQ(out.str(), "{\"position\":1,\"type\":\"a.b\",\"data\":{\"n\":1}}\n");
}

TEST_F(TailCommand, GoesOnAfterTheLastEventSeen) {
  will_answer(200, kOne);
  will_lose_the_connection();
  will_answer(503, "{}");
  will_answer(200, kTwo);
  EXPECT_EQ(run({"tail", "--count", "2", "--json"}), 0);
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(header_of(calls[0], "Last-Event-ID"), "");
  for (std::size_t i = 1; i < calls.size(); ++i) EXPECT_EQ(header_of(calls[i], "Last-Event-ID"), "1");
  EXPECT_EQ(err.str(), "connection lost: the server ended the stream; trying again\n");
  EXPECT_EQ(paused, Millis(250 + 500 + 1000));
}

TEST_F(TailCommand, SaysThatItMayMissEventsWhereItHasSeenNone) {
  will_answer(200, ": following\n\n");
  will_answer(200, kTwo);
  EXPECT_EQ(run({"tail", "--count", "1"}), 0);
  EXPECT_THAT(err.str(), HasSubstr("events until then are not shown"));
}

TEST_F(TailCommand, AWrongServerOrKeyIsToldAtOnce) {
  will_lose_the_connection();
  EXPECT_EQ(run({"tail"}), 3);
  will_answer(401, R"({"detail":"no key"})");
  EXPECT_EQ(run({"tail"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("no key"));
  EXPECT_EQ(pauses, 0);
}

TEST_F(TailCommand, AProblemInTheStreamIsNoEvent) {
  const std::string problem = "event: error\ndata: {\"status\":%,\"detail\":\"moved on\"}\n\n";
  const auto with = [&](const char* status) { return std::string(problem).replace(problem.find('%'), 1, status); };
  will_answer(200, kOne + with("503"));
  will_answer(200, kTwo);
  EXPECT_EQ(run({"tail", "--count", "2"}), 0);
  EXPECT_EQ(header_of(calls.at(1), "Last-Event-ID"), "1");
  EXPECT_THAT(out.str(), Not(HasSubstr("moved on")));
  EXPECT_THAT(err.str(), HasSubstr("moved on"));
  will_answer(200, with("401"));
  EXPECT_EQ(run({"tail", "--count", "1", "--json"}), 1);
  EXPECT_THAT(out.str(), Not(HasSubstr("moved on")));
}

TEST_F(TailCommand, AKeyThatIsRevokedEndsIt) {
  will_answer(200, kOne);
  will_answer(401, R"({"detail":"no key"})");
  EXPECT_EQ(run({"tail"}), 1);
}

TEST_F(TailCommand, RefusesWrongUsage) {
  EXPECT_EQ(run({"tail", "--from", "yesterday"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("millrace: --from: \"yesterday\" is neither a position nor latest or beginning ("));
  err.str("");
  EXPECT_EQ(run({"tail", "--count", "0"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("millrace: --count: \"0\" is no number from 1 on ("));
  EXPECT_TRUE(calls.empty());
}

TEST(StopSignals, TellOfTheFirstSignalAndGiveBackWhatWasThere) {
  struct sigaction before = {};
  ::sigaction(SIGTERM, nullptr, &before);
  {
    const StopSignals stop;
    EXPECT_FALSE(stop.raised());
    ::raise(SIGTERM);
    EXPECT_TRUE(stop.raised());
    struct sigaction now = {};
    ::sigaction(SIGTERM, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL) << "a second one ends the program";
  }
  struct sigaction after = {};
  ::sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

class EventCommand : public testing::Test, protected FakeSession {};

TEST_F(EventCommand, GetShowsFieldsAndData) {
  will_answer(200, R"({"id":"0H","position":7,"type":"a.b","subject":"o:1","contextData":[],"data":{"n":[1]}})");
  EXPECT_EQ(run({"get", "a/b c"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/a%2Fb%20c");
  EXPECT_THAT(out.str(), HasSubstr("position         7\n"));
  EXPECT_THAT(out.str(), HasSubstr("data\n  {\n    \"n\": [\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("contextData")));
}

TEST_F(EventCommand, GetShowsAnEnvelopeAsItIs) {
  will_answer(200, R"({"event_type":"a.b"})");
  EXPECT_EQ(run({"get", "x", "--format", "snake"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/x?format=snake");
  EXPECT_EQ(out.str(), "{\n  \"event_type\": \"a.b\"\n}\n");
  EXPECT_EQ(run({"get", "x", "--format", "xml"}), 2);
}

TEST_F(EventCommand, GetOfAnUnknownEventIsRefused) {
  will_answer(404, R"({"detail":"there is no event with this id"})");
  EXPECT_EQ(run({"get", "x"}), 1);
  EXPECT_EQ(out.str(), "");
}

TEST_F(EventCommand, GetBringsBackWhatIsInTheBlobStore) {  // S0.9
  EXPECT_EQ(run({"get", "x", "--resolve", "--json"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/x?resolve=true");
}

TEST_F(EventCommand, ExplainNamesTheFieldThatFails) {  // S2.8
  will_answer(200, R"({"eventId":"e","rule":"large","matches":false,
    "why":[{"path":"detail.n","expected":"{\"numeric\":[\">\",9]}","seen":"5"}]})");
  EXPECT_EQ(run({"explain", "0H", "--rule", "large orders"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/0H/explain?rule=large%20orders");
  EXPECT_THAT(out.str(), HasSubstr("matches  no\n"));
  EXPECT_THAT(out.str(), HasSubstr("detail.n  {\"numeric\":[\">\",9]}  5\n"));
}

TEST_F(EventCommand, ExplainAsksForAllRulesPageByPage) {  // S2.8
  const auto prepare = [this] {
    will_answer(200, R"({"items":[{"rule":"a","matches":true,"why":[]}],"nextCursor":"c"})");
    will_answer(200, R"({"items":[{"rule":"b","matches":false,"why":[{"path":"x","expected":"1","seen":"2"},
      {"path":"y","expected":"1","seen":"2"}]}],"nextCursor":null})");
  };
  prepare();
  EXPECT_EQ(run({"explain", "0H"}), 0);
  EXPECT_EQ(calls.at(1).target, "/api/events/0H/explain?limit=1000&cursor=c");
  EXPECT_THAT(out.str(), HasSubstr("RULE  MATCHES  WHY NOT"));
  EXPECT_THAT(out.str(), HasSubstr("x: expected 1, seen 2 (and 1 more)"));
  prepare();
  out.str("");
  EXPECT_EQ(run({"explain", "0H", "--json"}), 0);
  EXPECT_THAT(out.str(), testing::StartsWith(R"({"items":[{"rule":"a","matches":true,"why":[]},{"rule":"b")"));
  EXPECT_THAT(out.str(), testing::EndsWith("],\"nextCursor\":null}\n"));
}

TEST_F(EventCommand, ExplainSaysWhatIsMissing) {
  will_answer(200, R"({"items":[],"nextCursor":null})");
  EXPECT_EQ(run({"explain", "0H"}), 0);
  EXPECT_EQ(err.str(), "there are no rules\n");
  will_answer(404, R"({"detail":"there is no rule"})");
  EXPECT_EQ(run({"explain", "0H", "--rule", "x"}), 1);
  EXPECT_EQ(run({"explain"}), 2);
}

TEST_F(EventCommand, QueryFiltersTheListing) {  // S3.4
  will_answer(200, R"({"items":[{"position":7,"type":"a.b"}],"nextCursor":"c2"})");
  EXPECT_EQ(run({"query", "--type", "a.b", "--source", "s", "--subject", "o:1", "--correlation-id", "r", "--from", "1",
                 "--to", "2", "--context", "k=v", "--context", "l=w", "--limit", "1"}),
            0);
  EXPECT_EQ(calls.at(0).target,
            "/api/events?type=a.b&source=s&subject=o%3A1&correlationId=r&from=1&to=2&context.k=v&context.l=w&limit=1");
  EXPECT_THAT(err.str(), HasSubstr("--cursor c2"));
}

TEST_F(EventCommand, QueryAsksAnIndex) {  // S0.3
  will_answer(200, R"({"items":[],"nextCursor":null})");
  EXPECT_EQ(run({"query", "--index", "GSI1", "--pk", "ORDER#7", "--sk-prefix", "T", "--order", "desc"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events/query?index=GSI1&pk=ORDER%237&skPrefix=T&order=desc");
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "no events\n");
  EXPECT_EQ(run({"query", "--pk", "x", "--sk-after", "a", "--sk-before", "b"}), 0);
  EXPECT_EQ(calls.at(1).target, "/api/events/query?pk=x&skAfter=a&skBefore=b");
}

TEST_F(EventCommand, QueryGoesOnFromAPageThatIsEmpty) {  // S3.4
  for (const bool json : {false, true}) {
    calls.clear();
    out.str("");
    err.str("");
    will_answer(200, R"({"items":[],"nextCursor":"c1"})");
    will_answer(200, R"({"items":[],"nextCursor":"c2"})");
    will_answer(200, R"({"items":[{"id":"1","type":"a.b"}],"nextCursor":null})");
    EXPECT_EQ(run(json ? std::vector<std::string>{"query", "--json"} : std::vector<std::string>{"query"}), 0);
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls.at(2).target, "/api/events?cursor=c2");
    EXPECT_THAT(out.str(), HasSubstr("a.b"));
    EXPECT_EQ(err.str(), "");
  }
}

TEST_F(EventCommand, QueryAllFollowsTheCursorIntoOneDocument) {
  will_answer(200, R"({"items":[{"position":2}],"nextCursor":"c"})");
  will_answer(200, R"({"items":[{"position":1}],"nextCursor":null})");
  EXPECT_EQ(run({"query", "--all", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"items\":[{\"position\":2},{\"position\":1}],\"nextCursor\":null}\n");
  EXPECT_EQ(calls.at(1).target, "/api/events?cursor=c&limit=1000");
}

TEST_F(EventCommand, ARefusedListingPrintsNoHalfDocument) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"query", "--all", "--from", "yesterday", "--json"},
                                             {"explain", "nope", "--json"},
                                             {"queue", "list", "--all", "--json"}}) {
    will_answer(404, R"({"detail":"no"})");
    EXPECT_EQ(run(command), 1);
    will_lose_the_connection();
    EXPECT_EQ(run(command), 3);
    EXPECT_EQ(out.str(), "") << command.front();
  }
}

TEST_F(EventCommand, QueryBringsBackWhatIsInTheBlobStore) {  // S0.9
  EXPECT_EQ(run({"query", "--type", "a.b", "--resolve", "--json"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/events?type=a.b&resolve=true");
  EXPECT_EQ(run({"query", "--pk", "x", "--resolve", "--all", "--json"}), 0);
  EXPECT_EQ(calls.at(1).target, "/api/events/query?pk=x&resolve=true&limit=1000");
}

TEST_F(EventCommand, QueryRefusesOptionsThatDoNotGoTogether) {
  EXPECT_EQ(run({"query", "--index", "GSI1"}), 2);
  EXPECT_EQ(run({"query", "--pk", "x", "--type", "a.b"}), 2);
  EXPECT_EQ(run({"query", "--all", "--limit", "3"}), 2);
  EXPECT_EQ(run({"query", "--format", "snake"}), 2);
  EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace millrace::cli
