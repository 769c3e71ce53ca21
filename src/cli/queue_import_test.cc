#include "cli/queue_import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_session.h"

namespace millrace::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Import : public testing::Test, protected FakeSession {
 protected:
  static std::string lines(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += fmt::format("{{\"title\":\"{}\"}}\n", i);
    return text;
  }
  void will_add(int first, int last) {
    std::string body = "[";
    for (int id = first; id <= last; ++id) body += fmt::format("{}{{\"id\":{}}}", id == first ? "" : ",", id);
    will_answer(201, body + "]");
  }
};

TEST_F(Import, SendsArraysOf500) {  // S4.16
  in.str(lines(1001));
  will_add(1, 500);
  will_add(501, 1000);
  will_add(1001, 1001);
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_THAT(calls[0].body, StartsWith(R"([{"title":"1"},)"));
  EXPECT_THAT(calls[0].body, EndsWith(R"({"title":"500"}])"));
  EXPECT_EQ(calls[2].body, R"([{"title":"1001"}])");
  EXPECT_EQ(out.str(), "added 1001 items\n");
  EXPECT_EQ(err.str(), "");
}

TEST_F(Import, SendsSoonerWhenTheItemsAreLarge) {
  const std::string large = fmt::format(R"({{"title":"{}"}})", std::string(600'000, 'x'));
  in.str(large + "\n" + large + "\n");
  will_add(1, 1);
  will_add(2, 2);
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 0);
  EXPECT_EQ(calls.size(), 2u);
}

TEST_F(Import, PrintsTheIdsAsOneDocument) {
  in.str(lines(2));
  will_add(4, 5);
  EXPECT_EQ(run({"queue", "add", "--from", "-", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"added\":2,\"ids\":[4,5]}\n");
}

TEST_F(Import, ShowsProgressOnATerminalOnly) {
  err_terminal.interactive = true;
  in.str(lines(501));
  will_add(1, 500);
  will_add(501, 501);
  run({"queue", "add", "--from", "-"});
  EXPECT_THAT(err.str(), HasSubstr("\radded 500 items"));
  EXPECT_THAT(err.str(), HasSubstr("\radded 501 items"));
}

TEST_F(Import, LeavesOutBlankLinesAndThoseToSkip) {
  in.str("{\"title\":\"a\"}\n\n{\"title\":\"b\"}\r\n{\"title\":\"c\"}");
  will_add(1, 2);
  EXPECT_EQ(run({"queue", "add", "--from", "-", "--skip", "1"}), 0);
  EXPECT_EQ(calls.at(0).body, R"([{"title":"b"},{"title":"c"}])");
}

TEST_F(Import, NamesTheLineThatIsNoJsonAndSendsWhatPrecedesIt) {
  in.str("{\"title\":\"a\"}\n{\"title\":\n");
  will_add(1, 1);
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 1);
  EXPECT_EQ(calls.size(), 1u);
  EXPECT_THAT(err.str(), HasSubstr("standard input line 2:"));
  EXPECT_THAT(err.str(), HasSubstr("1 item before it added; --skip 1 goes on after that"));
}

TEST_F(Import, NamesTheLineThatTheServerRefuses) {
  in.str("\n" + lines(3));
  will_answer(422, R"({"error":"\"[2].title\" must not be empty","field":"[2].title"})");
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("standard input line 4:"));
  EXPECT_THAT(err.str(), HasSubstr("nothing was added"));
}

TEST_F(Import, SendsTheSameArrayAgainToABusyServer) {
  in.str(lines(2));
  will_answer(429, R"({"error":"busy"})");
  will_answer(429, R"({"error":"busy"})");
  will_add(1, 2);
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].body, calls[2].body);
  EXPECT_EQ(pauses, 2);
  EXPECT_EQ(out.str(), "added 2 items\n");
}

TEST_F(Import, GivesUpOnAServerThatStaysBusy) {
  in.str(lines(1));
  for (int i = 0; i < 100; ++i) will_answer(429, R"({"error":"busy"})");
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("busy"));
}

TEST_F(Import, SaysThatTheFateIsUnknownWhenTheServerGoesAway) {
  in.str(lines(2));
  unreachable = true;
  EXPECT_EQ(run({"queue", "add", "--from", "-"}), 3);
  EXPECT_THAT(err.str(), HasSubstr("lines 1 to 2: no answer; they may or may not have been added"));
}

TEST_F(Import, ExcludesTheOptionsOfASingleItem) {
  EXPECT_EQ(run({"queue", "add", "--from", "-", "--title", "a"}), 2);
  EXPECT_EQ(run({"queue", "add", "--title", "a", "--skip", "3"}), 2);
}

TEST_F(Import, RefusesAFileThatCannotBeRead) {
  EXPECT_EQ(run({"queue", "add", "--from", "/nowhere/items.jsonl"}), 2);
  EXPECT_EQ(run({"queue", "add", "--from", "/"}), 2);
  EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace millrace::cli
