// `rules …` against prepared answers (S2.8).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/fake_session.h"

namespace millrace::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr const char* kRuleText = R"({ "pattern": {"detail": {"n": [1]}}, "targets": [] })";

class RulesCommand : public testing::Test, protected FakeSession {
 public:
  ~RulesCommand() override { std::filesystem::remove_all(root_); }

 protected:
  RulesCommand() { std::filesystem::create_directories(root_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }

 private:
  std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(RulesCommand, ListShowsThemAll) {
  will_answer(200, R"({"items":[{"name":"a","enabled":true,"pattern":{"x": [1]},"targets":[{},{}],"version":3}],
                       "nextCursor":"c"})");
  will_answer(200, R"({"items":[{"name":"b","enabled":false,"bus":"orders","version":1}],"nextCursor":null})");
  EXPECT_EQ(run({"rules", "list"}), 0);
  EXPECT_EQ(calls.at(1).target, "/api/rules?limit=1000&cursor=c");
  EXPECT_EQ(out.str(),
            "NAME  ENABLED  BUS     TARGETS  VERSION  UPDATED  PATTERN\n"
            "a     yes                    2        3           {\"x\":[1]}\n"
            "b     no       orders        0        1\n");
}

TEST_F(RulesCommand, ListIsOneDocumentForScripts) {
  will_answer(200, R"({"items":[{"name":"a"}],"nextCursor":"c"})");
  will_answer(200, R"({"items":[{"name":"b"}],"nextCursor":null})");
  EXPECT_EQ(run({"rules", "list", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"items\":[{\"name\":\"a\"},{\"name\":\"b\"}]}\n");
  will_answer(200, R"({"items":[],"nextCursor":null})");
  EXPECT_EQ(run({"rules", "list"}), 0);
  EXPECT_EQ(err.str(), "there are no rules\n");
}

TEST_F(RulesCommand, ShowPrintsPatternAndTargets) {
  will_answer(200, R"({"name":"a b","enabled":false,"version":3,"pattern":{"x":[1]},"targets":[]})");
  EXPECT_EQ(run({"rules", "show", "a b"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/rules/a%20b");
  EXPECT_THAT(out.str(), HasSubstr("enabled      no\n"));
  EXPECT_THAT(out.str(), HasSubstr("pattern\n  {\n    \"x\": [\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("targets"))) << "there are none";
  EXPECT_EQ(run({"rules", "show", ""}), 2);
}

TEST_F(RulesCommand, PutSendsTheFile) {
  will_answer(201, R"({"name":"large","version":1})");
  will_answer(200, R"({"name":"large","version":2})");
  EXPECT_EQ(run({"rules", "put", "large", "--file", file("r.json", kRuleText)}), 0);
  EXPECT_EQ(calls.at(0).method, http::Method::put);
  EXPECT_EQ(calls.at(0).target, "/api/rules/large");
  EXPECT_EQ(calls.at(0).body, R"({"pattern":{"detail":{"n":[1]}},"targets":[]})");
  EXPECT_TRUE(calls.at(0).headers.empty());
  in.str(kRuleText);
  EXPECT_EQ(run({"rules", "put", "large", "--file", "-"}), 0);
  EXPECT_EQ(calls.at(1).body, calls.at(0).body);
  EXPECT_EQ(out.str(), "rule large is created, version 1\nrule large is replaced, version 2\n");
}

TEST_F(RulesCommand, IfMatchNamesTheVersionThatIsReplaced) {
  const std::string rule = file("r.json", kRuleText);
  for (const char* version : {"3", "*", "0"}) run({"rules", "put", "a", "--file", rule, "--if-match", version});
  EXPECT_THAT(calls.at(0).headers, ElementsAre(Pair("If-Match", "\"3\"")));
  EXPECT_THAT(calls.at(1).headers, ElementsAre(Pair("If-Match", "*")));
  EXPECT_THAT(calls.at(2).headers, ElementsAre(Pair("If-None-Match", "*")));
  will_answer(412, R"({"detail":"rule \"a\" is at version 4"})");
  EXPECT_EQ(run({"rules", "delete", "a", "--if-match", "3"}), 1);
  EXPECT_EQ(calls.at(3).method, http::Method::delete_);
  EXPECT_THAT(calls.at(3).headers, ElementsAre(Pair("If-Match", "\"3\"")));
  EXPECT_THAT(err.str(), HasSubstr("rule \"a\" is at version 4 (it is not what --if-match says"));
  for (const char* wrong : {"", "v3", "\"3\"", "-1"}) {
    EXPECT_EQ(run({"rules", "put", "a", "--file", rule, "--if-match", wrong}), 2) << wrong;
  }
  EXPECT_EQ(calls.size(), 4u);
}

TEST_F(RulesCommand, ADryRunShowsWhatWouldHaveMatched) {
  will_answer(200, R"({"dryRun":true,"matched":21,"scanned":20000,"skipped":1,"complete":false,
    "sample":[{"id":"0H","eventId":"e1","type":"a.b","subject":"o:1","time":"T"}]})");
  EXPECT_EQ(run({"rules", "put", "a", "--file", file("r.json", kRuleText), "--dry-run", "--from", "F", "--to", "T"}),
            0);
  EXPECT_EQ(calls.at(0).target, "/api/rules/a?dryRun=true&from=F&to=T");
  EXPECT_EQ(out.str(),
            "EVENT ID  TIME  TYPE  SUBJECT\n"
            "e1        T     a.b   o:1\n"
            "21 of 20000 stored events would match\n");
  EXPECT_THAT(err.str(), HasSubstr("only the newest 1 are shown\n"));
  EXPECT_THAT(err.str(), HasSubstr("1 large event was not judged"));
  EXPECT_THAT(err.str(), HasSubstr("older events were not looked at"));
  EXPECT_THAT(err.str(), HasSubstr("nothing was saved: --dry-run\n"));
}

TEST_F(RulesCommand, OptionsThatDoNotGoTogetherAreRefused) {
  const std::string rule = file("r.json", kRuleText);
  EXPECT_EQ(run({"rules", "put", "a", "--file", rule, "--from", "F"}), 2);
  EXPECT_EQ(run({"rules", "put", "a", "--file", rule, "--dry-run", "--if-match", "3"}), 2);
  EXPECT_EQ(run({"rules", "put", "a"}), 2);
  EXPECT_EQ(run({"rules", "test", "--file", "-", "--event", "-"}), 2);
  EXPECT_EQ(run({"rules", "test", "--file", rule}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST_F(RulesCommand, AFileThatIsNoJsonIsNamed) {
  EXPECT_EQ(run({"rules", "put", "a", "--file", "no-such-file"}), 2);
  EXPECT_EQ(err.str(), "millrace: no-such-file cannot be read: No such file or directory\n");
  err.str("");
  const std::string broken = file("broken.json", "{");
  EXPECT_EQ(run({"rules", "put", "a", "--file", broken}), 2);
  EXPECT_THAT(err.str(), HasSubstr(broken + " is no JSON: "));
  EXPECT_EQ(run({"rules", "test", "--file", file("r.json", kRuleText), "--event", broken}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST_F(RulesCommand, DeleteSaysSo) {
  will_answer(204, "");
  will_answer(204, "");
  EXPECT_EQ(run({"rules", "delete", "a"}), 0);
  EXPECT_EQ(run({"rules", "delete", "a", "--json"}), 0);
  EXPECT_EQ(out.str(), "rule a is deleted\n{\"name\":\"a\",\"deleted\":true}\n");
}

TEST_F(RulesCommand, TestNamesTheFieldThatFails) {  // S2.8
  will_answer(200, R"({"matches":false,"why":[{"path":"detail.n","expected":"1","seen":"2"}],"seenAs":"object"})");
  will_answer(200, R"({"matches":true,"why":[],"seenAs":"event"})");
  const std::string event = file("e.json", R"({"detail": {"n": 2}})");
  EXPECT_EQ(run({"rules", "test", "--file", file("p.json", R"({"detail": {"n": [1]}})"), "--event", event}), 1);
  EXPECT_EQ(calls.at(0).method, http::Method::post);
  EXPECT_EQ(calls.at(0).target, "/api/rules/test");
  EXPECT_EQ(calls.at(0).body, R"({"pattern":{"detail":{"n":[1]}},"event":{"detail":{"n":2}}})");
  EXPECT_EQ(out.str(),
            "matches  no\nseen as  object\n"
            "FIELD     EXPECTED  SEEN\n"
            "detail.n  1         2\n");
  EXPECT_EQ(run({"rules", "test", "--file", file("p.json", "{}"), "--event", event, "--json"}), 0);
}

TEST_F(RulesCommand, TestTakesThePatternOutOfARule) {
  const std::string event = file("e.json", "{}");
  const auto body_for = [&](const char* text, std::vector<std::string> more = {}) {
    std::vector<std::string> command = {"rules", "test", "--file", file("p.json", text), "--event", event};
    command.insert(command.end(), more.begin(), more.end());
    run(command);
    return calls.back().body;
  };
  EXPECT_EQ(body_for(kRuleText), R"({"pattern":{"detail":{"n":[1]}},"event":{}})");
  constexpr const char* kExtended = R"({"name":"a","dialect":"extended","pattern":{"x":[1]},"version":3})";
  EXPECT_EQ(body_for(kExtended), R"({"pattern":{"x":[1]},"event":{},"dialect":"extended"})");
  EXPECT_EQ(body_for(kExtended, {"--dialect", "eventbridge"}),
            R"({"pattern":{"x":[1]},"event":{},"dialect":"eventbridge"})");
  EXPECT_EQ(body_for(R"({"pattern":["x"],"detail":{"n":[1]}})"),
            R"({"pattern":{"pattern":["x"],"detail":{"n":[1]}},"event":{}})")
      << "a pattern about a field of that name";
  EXPECT_EQ(body_for("[]"), R"({"pattern":[],"event":{}})") << "the server says what is wrong with it";
}

}  // namespace
}  // namespace millrace::cli
