// `schema` and `lint` on folders of their own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/child_output.h"
#include "cli/fake_session.h"
#include "cli/schema_files.h"
#include "registry/bounds.h"

namespace millrace::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlain = R"({"type":"object","properties":{"data":{"type":"object","properties":{
  "id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}}})";
constexpr const char* kWithout = R"({"type":"object","properties":{"data":{"type":"object","properties":{
  "id":{"type":"string"}},"required":["id"]}}})";

// A folder that goes with the test.
class SchemaCommand : public testing::Test, protected FakeSession {
 public:
  SchemaCommand() {
    std::string pattern = (fs::temp_directory_path() / "millrace-schemas-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~SchemaCommand() override { fs::remove_all(root_); }

 protected:
  std::string put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return (root_ / path).parent_path().string();
  }
  std::string folder(const std::string& path) const { return (root_ / path).string(); }
  std::string text(const std::string& path) const {
    std::ifstream file(root_ / path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path root_;
};

TEST_F(SchemaCommand, FilesAreThoseOfTheFolderAndItsEvents) {
  put("s/order.made.v1.json", "1");
  put("s/README.md", "no schema");
  put("s/.hidden.v1.json", "no schema");
  put("s/events/order.sent.v1.json", "2");
  put("s/other/order.lost.v1.json", "not here");
  std::vector<std::string> names;
  for (const auto& file : read_schema_files(folder("s"))) names.push_back(file.name + "=" + file.text);
  EXPECT_THAT(names, ElementsAre("order.made.v1.json=1", "order.sent.v1.json=2"));
  EXPECT_THROW(read_schema_files(folder("nothing")), Failure);
}

TEST_F(SchemaCommand, RequestsHaveAtMostAThousandFilesAndEightMegabytes) {
  const std::vector<registry::SchemaFile> many(1001, {"a.b.v1.json", "{}"});
  ASSERT_EQ(in_requests(many).size(), 2u);
  EXPECT_EQ(in_requests(many)[1].size(), 1u);
  const std::vector<registry::SchemaFile> large(20, {"a.b.v1.json", std::string(registry::kSchemaBytesMax, ' ')});
  EXPECT_EQ(in_requests(large).size(), 2u);
  EXPECT_TRUE(in_requests({}).empty());
}

TEST_F(SchemaCommand, PushOfMoreThanOneRequestTakesSendsNothing) {  // S2.4
  for (int i = 0; i < 1001; ++i) put(fmt::format("s/order.made{}.v1.json", i), "{}");
  EXPECT_EQ(run({"schema", "push", folder("s")}), 2);
  EXPECT_TRUE(calls.empty());
  EXPECT_THAT(err.str(), HasSubstr("1001 schemas"));
}

TEST_F(SchemaCommand, CheckNamesWhatBreaks) {  // S2.5
  put("old/order.made.v1.json", kPlain);
  put("new/order.made.v1.json", kWithout);
  EXPECT_EQ(run({"schema", "check", "--old", folder("old"), "--new", folder("new")}), 1);
  EXPECT_THAT(out.str(), HasSubstr("BREAKING  order.made.v1.json"));
  EXPECT_THAT(out.str(), HasSubstr("note"));
  EXPECT_EQ(err.str(), "1 change, 1 breaking\n");
}

TEST_F(SchemaCommand, CheckPassesWhatOnlyAdds) {  // S2.5
  put("old/order.made.v1.json", kWithout);
  put("new/order.made.v1.json", kPlain);
  put("new/order.sent.v1.json", kPlain);
  EXPECT_EQ(run({"schema", "check", "--old", folder("old"), "--new", folder("new")}), 0);
  EXPECT_THAT(out.str(), HasSubstr("ok"));
  EXPECT_EQ(err.str(), "1 change, 0 breaking\n");
}

TEST_F(SchemaCommand, CheckFindsRemovedAndInvalidSchemas) {  // S2.5
  put("old/order.made.v1.json", kPlain);
  put("old/order.sent.v1.json", kPlain);
  put("new/order.made.v1.json", "{");
  EXPECT_EQ(run({"schema", "check", "--old", folder("old"), "--new", folder("new"), "--json"}), 1);
  EXPECT_THAT(out.str(), HasSubstr(R"({"compatible":false,"files":[{"file":"order.sent.v1.json")"));
  EXPECT_THAT(out.str(), HasSubstr(R"("problems":[{"file":"order.made.v1.json")"));
}

TEST_F(SchemaCommand, CheckOfASchemaThatIsMendedPasses) {
  put("old/order.made.v1.json", "{");
  put("new/order.made.v1.json", kPlain);
  EXPECT_EQ(run({"schema", "check", "--old", folder("old"), "--new", folder("new")}), 0);
}

TEST_F(SchemaCommand, CheckRefusesAPlaceThatIsNone) {
  put("new/order.made.v1.json", kPlain);
  EXPECT_EQ(run({"schema", "check", "--old", folder("nothing"), "--new", folder("new")}), 2);
  EXPECT_EQ(run({"schema", "check", "--old", "--output=x:y", "--new", folder("new")}), 2);
  EXPECT_EQ(run({"schema", "check", "--old", "-x:y", "--new", folder("new")}), 2);
}

TEST_F(SchemaCommand, LintNamesFileRuleAndSuggestion) {  // S2.3
  put("s/time_entry.created.v1.json", kPlain);
  put("s/create_order.v1.json", kPlain);
  EXPECT_EQ(run({"lint", "events", folder("s")}), 1);
  EXPECT_THAT(out.str(), HasSubstr("create_order.v1.json"));
  EXPECT_THAT(out.str(), Not(HasSubstr("time_entry")));
}

TEST_F(SchemaCommand, LintKnowsTheConventions) {  // S2.3
  put("s/TIME_ENTRY_CREATED.v1.json", kPlain);
  EXPECT_EQ(run({"lint", "events", folder("s"), "--convention", "upper"}), 0);
  EXPECT_EQ(run({"lint", "events", folder("s"), "--json"}), 1);
  EXPECT_THAT(out.str(), HasSubstr(R"({"findings":[{"file":"TIME_ENTRY_CREATED.v1.json","rule":"form")"));
  EXPECT_EQ(run({"lint", "events", folder("s"), "--convention", "camel"}), 2);
}

TEST_F(SchemaCommand, DocsWritesAPageAType) {  // S2.6
  put("s/order.made.v1.json", kPlain);
  put("s/order.made.v2.json", kWithout);
  put("s/order.sent.v1.json", kPlain);
  const std::vector<std::string> command = {"schema", "docs", "--schemas", folder("s"), "--out", folder("d/events")};
  EXPECT_EQ(run(command), 0);
  EXPECT_EQ(out.str(), "2 written, 0 unchanged\n");
  EXPECT_THAT(text("d/events/order.made.md"), HasSubstr("order.made"));
  EXPECT_EQ(run(command), 0);
  EXPECT_THAT(out.str(), HasSubstr("0 written, 2 unchanged\n"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder("d/events")), fs::directory_iterator()), 2);
}

TEST_F(SchemaCommand, DocsDoesNotFollowALinkOutOfItsFolder) {
  put("s/order.made.v1.json", kPlain);
  put("elsewhere", "untouched");
  put("d/x", "");
  fs::create_symlink(root_ / "elsewhere", root_ / "d/order.made.md");
  EXPECT_EQ(run({"schema", "docs", "--schemas", folder("s"), "--out", folder("d")}), 0);
  EXPECT_EQ(text("elsewhere"), "untouched");
  EXPECT_FALSE(fs::is_symlink(root_ / "d/order.made.md"));
}

TEST_F(SchemaCommand, DocsNamesWhatItCouldNotRead) {
  put("s/order.made.v1.json", kPlain);
  put("s/order.sent.v1.json", "{");
  EXPECT_EQ(run({"schema", "docs", "--schemas", folder("s"), "--out", folder("d")}), 1);
  EXPECT_THAT(err.str(), HasSubstr("order.sent.v1.json: "));
  EXPECT_EQ(out.str(), "1 written, 0 unchanged\n");
}

TEST_F(SchemaCommand, PushSendsTheFiles) {  // S2.4
  put("s/order.made.v1.json", "{}");
  will_answer(200,
              R"({"items":[{"file":"order.made.v1.json","type":"order.made","version":"1.0","result":"created"}]})");
  EXPECT_EQ(run({"schema", "push", folder("s"), "--dry-run"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/schemas?dryRun=true");
  EXPECT_EQ(calls.at(0).body, R"([{"file":"order.made.v1.json","text":"{}"}])");
  EXPECT_EQ(out.str(), "RESULT   TYPE        VERSION  FILE\ncreated  order.made  1.0      order.made.v1.json\n");
  EXPECT_EQ(err.str(), "nothing was registered: --dry-run\n");
}

TEST_F(SchemaCommand, PushNamesEveryFileThatIsRefused) {  // S2.4, S2.5
  put("s/order.made.v1.json", "{}");
  will_answer(409, R"({"detail":"d","errors":[{"field":"a.v1.json","message":"breaks"},{"field":"b","message":"m"}]})");
  EXPECT_EQ(run({"schema", "push", folder("s")}), 1);
  EXPECT_THAT(err.str(), HasSubstr("a.v1.json: breaks\nb: m\nmillrace: nothing was registered"));
}

TEST_F(SchemaCommand, PushTellsScriptsWhatIsRefused) {  // S2.4
  put("s/order.made.v1.json", "{");
  will_answer(422, R"({"title":"x","errors":[{"field":"order.made.v1.json","message":"is no JSON"}]})");
  EXPECT_EQ(run({"schema", "push", folder("s"), "--json"}), 1);
  EXPECT_EQ(out.str(), R"({"dryRun":false,"items":[],"errors":[{"file":"order.made.v1.json","message":"is no JSON"}]})"
                       "\n");
  EXPECT_THAT(err.str(), HasSubstr("order.made.v1.json: is no JSON\n"));
}

TEST_F(SchemaCommand, SubfoldersThatAreNotReadAreNamed) {
  put("s/order.made.v1.json", kPlain);
  put("s/events/order.sent.v1.json", kPlain);
  put("s/.git/x", "");
  put("s/old/order.lost.v1.json", kPlain);
  put("s/drafts/order.found.v1.json", kPlain);
  const std::string warning = "these folders are not read: drafts, old (";
  EXPECT_EQ(run({"lint", "events", folder("s")}), 0);
  EXPECT_THAT(err.str(), HasSubstr(warning));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"schema", "docs", "--schemas", folder("s"), "--out", folder("d")},
        std::vector<std::string>{"schema", "check", "--old", folder("s/events"), "--new", folder("s")},
        std::vector<std::string>{"schema", "push", folder("s")}}) {
    err.str("");
    will_answer(200, R"({"items":[]})");
    EXPECT_EQ(run(command), 0);
    const std::string told = err.str();
    EXPECT_THAT(told, HasSubstr(warning)) << command[1];
    EXPECT_EQ(told.find("not read"), told.rfind("not read")) << command[1];
  }
}

TEST_F(SchemaCommand, PushRefusesAFolderWithoutSchemas) {
  put("s/README.md", "");
  EXPECT_EQ(run({"schema", "push", folder("s")}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST(ChildOutput, IsReadFromBothStreamsToTheirEnd) {
  const ChildOutput output =
      run_child({"sh", "-c", "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; cat; exit 3"});
  EXPECT_EQ(output.code, 3);
  EXPECT_EQ(output.out.size(), 300'000u);
  EXPECT_EQ(output.err.size(), 200'000u);
}

TEST(ChildOutput, AProgramThatIsNotThereIsSaidToBe) {
  EXPECT_THROW(run_child({"no-such-program-of-millrace"}), Failure);
}

}  // namespace
}  // namespace millrace::cli
