// Finding the command, its help, and what is said about a command line that is wrong.
#include "cli/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_session.h"

namespace millrace::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CommandLine : public testing::Test, protected FakeSession {};

TEST_F(CommandLine, HelpNamesEveryCommand) {
  EXPECT_EQ(run({"--help"}), 0);
  for (const char* command : {"serve", "rules", "event-types", "queue", "keys", "tenants", "doctor", "version"}) {
    EXPECT_THAT(out.str(), HasSubstr(command));
  }
  EXPECT_EQ(out.str(), help());
}

TEST_F(CommandLine, EveryLevelHasHelpWithExamples) {
  const std::vector<std::vector<std::string>> levels = {{"publish"},
                                                        {"tail"},
                                                        {"get"},
                                                        {"query"},
                                                        {"explain"},
                                                        {"rules"},
                                                        {"rules", "list"},
                                                        {"rules", "show"},
                                                        {"rules", "put"},
                                                        {"rules", "delete"},
                                                        {"rules", "test"},
                                                        {"event-types"},
                                                        {"event-types", "list"},
                                                        {"event-types", "show"},
                                                        {"event-types", "put"},
                                                        {"event-types", "delete"},
                                                        {"schema"},
                                                        {"schema", "check"},
                                                        {"schema", "docs"},
                                                        {"schema", "push"},
                                                        {"lint"},
                                                        {"lint", "events"},
                                                        {"queue"},
                                                        {"queue", "add"},
                                                        {"queue", "claim"},
                                                        {"queue", "start"},
                                                        {"queue", "heartbeat"},
                                                        {"queue", "complete"},
                                                        {"queue", "fail"},
                                                        {"queue", "list"},
                                                        {"queue", "show"},
                                                        {"queue", "reset"},
                                                        {"queue", "stats"},
                                                        {"keys"},
                                                        {"keys", "create"},
                                                        {"keys", "list"},
                                                        {"keys", "revoke"},
                                                        {"tenants"},
                                                        {"tenants", "create"},
                                                        {"tenants", "list"},
                                                        {"tenants", "show"},
                                                        {"doctor"}};
  for (std::vector<std::string> level : levels) {
    const std::string path = "millrace " + level.front() + (level.size() > 1 ? " " + level[1] : "");
    level.emplace_back("--help");
    out.str("");
    EXPECT_EQ(run(level), 0) << path;
    EXPECT_THAT(out.str(), HasSubstr("Usage: " + path));
    EXPECT_THAT(out.str(), HasSubstr("examples:\n  millrace "));
  }
  EXPECT_EQ(err.str(), "");
}

TEST_F(CommandLine, AnUnknownCommandSuggestsTheNearest) {
  EXPECT_EQ(run({"quue", "list"}), 2);
  EXPECT_EQ(err.str(), "millrace: millrace has no command \"quue\" (did you mean queue? see `millrace --help`)\n");
  err.str("");
  EXPECT_EQ(run({"srve"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean serve?"));
  err.str("");
  EXPECT_EQ(run({"queue", "compelte", "7"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean complete? see `millrace queue --help`"));
}

TEST_F(CommandLine, AnUnknownOptionSuggestsTheNearest) {
  EXPECT_EQ(run({"queue", "list", "--stauts=PENDING"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("did you mean --status?"));
  EXPECT_THAT(err.str(), HasSubstr("see `millrace queue list --help`"));
}

TEST_F(CommandLine, AGroupNeedsACommand) {
  EXPECT_EQ(run({"keys"}), 2);
  EXPECT_THAT(err.str(), StartsWith("millrace: millrace keys needs a command: create, list, revoke"));
  EXPECT_EQ(run({}), 2);
}

TEST_F(CommandLine, KnowsItsCommandsOnly) {
  EXPECT_TRUE(knows("queue"));
  EXPECT_TRUE(knows("doctor"));
  EXPECT_FALSE(knows("serve"));
  EXPECT_FALSE(knows(""));
}

TEST_F(CommandLine, TheServerComesFromOptionOrEnvironment) {
  environment = {{"MILLRACE_SERVER", "http://env:1"}, {"MILLRACE_KEY", "mr_1_2"}, {"MILLRACE_TENANT", "acme"}};
  run({"tenants", "list"});
  run({"tenants", "list", "--server", "http://option:2", "--key", "mr_3_4", "--tenant", "other"});
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].server, "http://env:1");
  EXPECT_EQ(places[0].key, "mr_1_2");
  EXPECT_EQ(places[0].tenant, "acme");
  EXPECT_EQ(places[1].server, "http://option:2");
  EXPECT_EQ(places[1].key, "mr_3_4");
  EXPECT_EQ(places[1].tenant, "other");
}

TEST_F(CommandLine, OutputThatCannotBeWrittenIsAFailure) {
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run({"queue", "list", "--json"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("could not be written"));
}

TEST_F(CommandLine, AWordFromTheCommandLineCannotControlTheTerminal) {
  run({"\x1b[2J"});
  EXPECT_EQ(err.str().find('\x1b'), std::string::npos);
}

TEST_F(CommandLine, KeysCreatePrintsTheKeyAloneOnTheLastLine) {
  will_answer(201, R"({"id":"ab","tenant":"acme","scopes":["admin"],"expires":null,"key":"mr_ab_cd"})");
  EXPECT_EQ(run({"keys", "create", "--tenant", "acme", "--scopes", "events:read,queue:work", "--name", "ci",
                 "--expires", "90d"}),
            0);
  EXPECT_EQ(calls.at(0).target, "/api/keys");
  EXPECT_EQ(calls.at(0).body, R"({"scopes":["events:read","queue:work"],"name":"ci","expires":"90d"})");
  EXPECT_EQ(places.at(0).tenant, "acme");
  EXPECT_EQ(out.str(), "mr_ab_cd\n");
}

TEST_F(CommandLine, KeysCreateNeedsScopes) {
  EXPECT_EQ(run({"keys", "create", "--tenant", "acme"}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST_F(CommandLine, KeysListFollowsTheCursor) {
  will_answer(200, R"({"items":[{"id":"a","scopes":["admin"]}],"nextCursor":"n"})");
  will_answer(200, R"({"items":[{"id":"b","scopes":[]}],"nextCursor":null})");
  EXPECT_EQ(run({"keys", "list", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"items\":[{\"id\":\"a\",\"scopes\":[\"admin\"]},{\"id\":\"b\",\"scopes\":[]}]}\n");
  EXPECT_EQ(calls.at(1).target, "/api/keys?limit=1000&cursor=n");
}

TEST_F(CommandLine, KeysRevokeTakesAnIdOrTheWholeKey) {
  will_answer(204, "");
  will_answer(204, "");
  EXPECT_EQ(run({"keys", "revoke", "ab12"}), 0);
  EXPECT_EQ(run({"keys", "revoke", "mr_ab12_secret"}), 0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].target, "/api/keys/ab12");
  EXPECT_EQ(calls[1].target, "/api/keys/ab12");
  EXPECT_EQ(calls[0].method, http::Method::delete_);
}

TEST_F(CommandLine, TenantsAreCreatedAndShown) {
  will_answer(201, R"({"id":"acme","shard":5,"created":null})");
  will_answer(404, R"({"detail":"there is no tenant \"x\""})");
  EXPECT_EQ(run({"tenants", "create", "acme"}), 0);
  EXPECT_EQ(calls.at(0).body, R"({"id":"acme"})");
  EXPECT_EQ(run({"tenants", "show", "x"}), 1);
  EXPECT_EQ(err.str(), "millrace: there is no tenant \"x\"\n");
}

}  // namespace
}  // namespace millrace::cli
